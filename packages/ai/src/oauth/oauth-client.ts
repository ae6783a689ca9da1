/** The requests to an authorization server. */
import { ConfigError } from "../errors.js";
import {
  type AuthorizationServer,
  type DeviceAuthorizationResponse,
  loadOAuth,
  type OAuthLibrary,
  type TokenEndpointResponse,
} from "../sdk/oauth.js";
import { httpProxyFetch } from "../transport/http-proxy-fetch.js";
import { anySignal } from "../utils/any-signal.js";
import { createBoundedFetch } from "./bounded-fetch.js";
import { checkOAuthAddress } from "./oauth-address.js";
import { toOAuthError } from "./oauth-error.js";
import type { OAuthProviderOptions } from "./oauth-provider-options.js";

/** The timeout of a request, in milliseconds. */
const REQUEST_MS = 30_000;

/** The options of each request, in the form that `oauth4webapi` expects. */
type RequestOptions = Record<OAuthLibrary["customFetch"], LibraryFetch> &
  Record<OAuthLibrary["allowInsecureRequests"], true> & { signal: AbortSignal };

type LibraryFetch = (
  url: string,
  init: Omit<RequestInit, "body"> & { body?: URLSearchParams | undefined },
) => Promise<Response>;

/** The server, client and options of a request. */
interface Exchange {
  oauth: OAuthLibrary;
  server: AuthorizationServer;
  client: { client_id: string };
  authentication: ReturnType<OAuthLibrary["None"]>;
  /** Creates the options of one request, with its own signal. */
  createOptions: () => RequestOptions;
}

export class OAuthClient {
  readonly #options: OAuthProviderOptions;
  readonly #fetch: typeof globalThis.fetch;
  #server: AuthorizationServer | undefined;

  constructor(options: OAuthProviderOptions) {
    this.#options = options;
    this.#fetch = createBoundedFetch(options.fetch ?? httpProxyFetch);
    if (options.endpoints) this.#server = toServer(options.issuer, options.endpoints);
  }

  /** Builds the URL of the login page and the secrets of this login. */
  startCode(redirectUri: string, signal?: AbortSignal): Promise<{ url: string; verifier: string; state: string }> {
    return this.#run("the login", [], signal, async ({ oauth, server }) => {
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const url = new URL(checkOAuthAddress(required(server.authorization_endpoint, "authorization endpoint")));
      const parameters: Record<string, string> = {
        ...this.#options.authorizationParameters,
        client_id: this.#options.clientId,
        response_type: "code",
        redirect_uri: redirectUri,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        ...(this.#options.scope === undefined ? {} : { scope: this.#options.scope }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, verifier, state };
    });
  }

  /** Exchanges the code from the redirect for tokens. */
  redeemCode(
    returned: URLSearchParams,
    login: { verifier: string; state: string; redirectUri: string },
    signal?: AbortSignal,
  ): Promise<TokenEndpointResponse> {
    const secrets = [login.verifier, login.state, returned.get("code") ?? ""];
    return this.#run("the login", secrets, signal, async ({ oauth, server, client, authentication, createOptions }) => {
      const checked = oauth.validateAuthResponse(server, client, returned, login.state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        checked,
        login.redirectUri,
        login.verifier,
        createOptions(),
      );
      return oauth.processAuthorizationCodeResponse(server, client, response);
    });
  }

  /** Requests a code for the user to enter on another page. */
  startDevice(signal?: AbortSignal): Promise<DeviceAuthorizationResponse> {
    const { scope } = this.#options;
    return this.#run("the login", [], signal, async ({ oauth, server, client, authentication, createOptions }) => {
      const parameters = scope === undefined ? {} : { scope };
      const response = await oauth.deviceAuthorizationRequest(
        server,
        client,
        authentication,
        parameters,
        createOptions(),
      );
      return oauth.processDeviceAuthorizationResponse(server, client, response);
    });
  }

  /** Polls whether the user has entered the code. The `code` of a thrown error is the server's. */
  redeemDevice(deviceCode: string, signal?: AbortSignal): Promise<TokenEndpointResponse> {
    return this.#run("the login", [deviceCode], signal, async (exchange) => {
      const { oauth, server, client, authentication, createOptions } = exchange;
      const response = await oauth.deviceCodeGrantRequest(server, client, authentication, deviceCode, createOptions());
      return oauth.processDeviceCodeResponse(server, client, response);
    });
  }

  refresh(refreshToken: string, signal?: AbortSignal): Promise<TokenEndpointResponse> {
    return this.#run("the refresh", [refreshToken], signal, async (exchange) => {
      const { oauth, server, client, authentication, createOptions } = exchange;
      const response = await oauth.refreshTokenGrantRequest(
        server,
        client,
        authentication,
        refreshToken,
        createOptions(),
      );
      return oauth.processRefreshTokenResponse(server, client, response);
    });
  }

  async #run<T>(
    action: string,
    secrets: readonly string[],
    signal: AbortSignal | undefined,
    work: (exchange: Exchange) => Promise<T>,
  ): Promise<T> {
    const { name, clientId, clientSecret } = this.#options;
    const oauth = await loadOAuth();
    const createOptions = (): RequestOptions => ({
      [oauth.customFetch]: (url, { body, ...init }) => this.#fetch(url, body ? { ...init, body } : init),
      // The fetch above checks each address.
      [oauth.allowInsecureRequests]: true,
      signal: anySignal([AbortSignal.timeout(REQUEST_MS), ...(signal ? [signal] : [])]),
    });
    try {
      this.#server ??= await this.#discover(oauth, createOptions());
      const authentication = clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(clientSecret);
      const client = { client_id: clientId };
      return await work({ oauth, server: this.#server, client, authentication, createOptions });
    } catch (error) {
      const hidden = [...secrets, clientSecret];
      throw toOAuthError({ error, action: `${name}: ${action}`, secrets: hidden, signal });
    }
  }

  /** Reads the metadata of RFC 8414, or of OpenID Connect if the server has no other. */
  async #discover(oauth: OAuthLibrary, options: RequestOptions): Promise<AuthorizationServer> {
    const issuer = new URL(this.#options.issuer);
    let response = await oauth.discoveryRequest(issuer, { ...options, algorithm: "oauth2" });
    if (response.status === 404) response = await oauth.discoveryRequest(issuer, { ...options, algorithm: "oidc" });
    return oauth.processDiscoveryResponse(issuer, response);
  }
}

function toServer(issuer: string, endpoints: NonNullable<OAuthProviderOptions["endpoints"]>): AuthorizationServer {
  const { authorization, token, deviceAuthorization } = endpoints;
  return {
    issuer,
    token_endpoint: token,
    ...(authorization === undefined ? {} : { authorization_endpoint: authorization }),
    ...(deviceAuthorization === undefined ? {} : { device_authorization_endpoint: deviceAuthorization }),
  };
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new ConfigError(`The authorization server has no ${name}; set it in endpoints`);
  return value;
}
