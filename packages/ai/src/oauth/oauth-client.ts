/**
 * The requests to an authorization server, which may be hostile, and the errors that they end in: without codes,
 * tokens or bodies.
 */
import { AbortedError, ConfigError, cutText, NetworkError, PiError, ProtocolError, ProviderError } from "../errors.js";
import { describeNetworkError, httpProxyFetch } from "../transport/index.js";
import {
  type AuthorizationServer,
  type DeviceAuthorizationResponse,
  loadOAuth,
  type OAuthLibrary,
  type TokenEndpointResponse,
} from "../transport/sdk/oauth.js";
import { anySignal } from "../utils/any-signal.js";
import { isRecord } from "../utils/is-object.js";
import { parsePublicAddress } from "../utils/public-address.js";
import { collectSecrets, redact } from "../utils/redact.js";
import type { OAuthProviderOptions } from "./oauth-types.js";

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
    const server = await oauth.processDiscoveryResponse(issuer, response);
    for (const [name, address] of Object.entries(server))
      if (name.endsWith("_endpoint") && typeof address === "string") checkOAuthAddress(address, issuer.href);
    return server;
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

/** Longest body, in bytes. Tokens and metadata are a few kilobytes. */
const MAX_BODY = 100_000;

/** Sends only to safe URLs. Reads the whole body, which must not be longer than that. */
function createBoundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    checkOAuthAddress(input instanceof Request ? input.url : String(input));
    const response = await fetch(input, init);
    if (!response.body) return response;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      length += chunk.length;
      // Leaving the loop cancels the body.
      if (length > MAX_BODY)
        throw new ProtocolError("The authorization server's response is too long", { retryable: false });
      chunks.push(chunk);
    }
    const { status, statusText, headers } = response;
    return new Response(new Blob(chunks), { status, statusText, headers });
  };
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Returns the normalized URL if it is safe to request or open. Tokens may be sent unencrypted only within the machine.
 *
 * @param issuer the server that names the address: one of the public web must not lead into this machine or a private network
 * @throws ConfigError unless it is HTTPS, or HTTP on this machine
 */
export function checkOAuthAddress(address: string, issuer?: string): string {
  const url = URL.parse(address);
  if (url && issuer && parsePublicAddress(issuer) && !parsePublicAddress(url.href))
    throw new ConfigError("An address of the authorization server is one of this machine or of a private network");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname))) return url.href;
  throw new ConfigError("An address of the authorization server is neither HTTPS nor HTTP on this machine");
}

/** Longest text taken from a server, in characters. */
const MAX_TEXT = 300;

export interface OAuthFailure {
  error: unknown;
  /** The action that failed, such as `Acme: the token request`. */
  action: string;
  /** The secrets of the request, which are redacted. */
  secrets: readonly (string | undefined)[];
  /** The caller's signal. */
  signal: AbortSignal | undefined;
}

/** Returns the error for the caller. The original is never its cause, because it may contain the whole response. */
function toOAuthError({ error, action, secrets, signal }: OAuthFailure): PiError {
  if (signal?.aborted) return new AbortedError("Login was aborted");
  if (PiError.is(error)) return error;
  const clean = (text: string): string => redact(cutText(text, MAX_TEXT), collectSecrets(secrets));
  const refusal = readRefusal(error);
  if (refusal) {
    const { status, code, description } = refusal;
    const text = clean(description === undefined ? code : `${code}: ${description}`);
    return new ProviderError({ kind: kindOf(status), message: `${action} failed: ${text}`, status, code: clean(code) });
  }
  if (!(error instanceof Error)) return new NetworkError(`${action} failed`);
  if (error.name === "TimeoutError") return new NetworkError(`${action} took too long`, { kind: "timeout" });
  if (codeOf(error).startsWith("OAUTH_"))
    return createResponseError(`${action} failed: ${clean(error.message)}`, error.cause);
  return new NetworkError(`${action} failed: ${clean(describeNetworkError(error))}`);
}

/** The error for a response that breaks the protocol. */
function createResponseError(message: string, response: unknown): PiError {
  const status = response instanceof Response ? response.status : 200;
  if (status < 400) return new ProtocolError(message, { retryable: false });
  return new ProviderError({ kind: kindOf(status), message: `${message} (status ${status})`, status });
}

/** Reads the error that a server returned. */
function readRefusal(error: unknown): { status: number | undefined; code: string; description?: string } | undefined {
  if (!isRecord(error)) return undefined;
  // The `code` is checked instead of the class, whose name the build shortens.
  const type = codeOf(error);
  const status = typeof error["status"] === "number" ? error["status"] : undefined;
  if (type === "OAUTH_WWW_AUTHENTICATE_CHALLENGE") return { status, code: "the client was rejected" };
  if (type !== "OAUTH_RESPONSE_BODY_ERROR" && type !== "OAUTH_AUTHORIZATION_RESPONSE_ERROR") return undefined;
  const description = error["error_description"];
  return { status, code: String(error["error"]), ...(typeof description === "string" ? { description } : {}) };
}

function codeOf(error: unknown): string {
  return isRecord(error) && typeof error["code"] === "string" ? error["code"] : "";
}

function kindOf(status: number | undefined): "auth" | "rate_limit" | "server" {
  if (status === 429) return "rate_limit";
  return status !== undefined && status >= 500 ? "server" : "auth";
}
