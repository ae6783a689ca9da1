/** Creates an OAuth provider from a server's URLs and a client id. */
import { ConfigError, ProviderError } from "../errors.js";
import type { TokenEndpointResponse } from "../transport/sdk/oauth.js";
import { nameValue } from "../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { logInWithCode, logInWithDevice } from "./login.js";
import { checkOAuthAddress, OAuthClient } from "./oauth-client.js";
import type { OAuthClock, OAuthCredentials, OAuthProviderInterface, OAuthProviderOptions } from "./oauth-types.js";

/** Credentials are refreshed this many milliseconds before they expire, but not before 80 % of their lifetime. */
const MARGIN_MS = 300_000;
/** The default lifetime of an access token, in seconds. */
const DEFAULT_LIFE = 3600;
/** Ten years: of `1e308` seconds, JSON would have no number. */
const LONGEST_TOKEN_LIFE = 315_360_000;

/**
 * Creates a provider for `registerOAuthProvider`, with the authorization code flow (PKCE) or the device flow. A refresh
 * keeps the fields of `addFields`, and the refresh token if the server sends no new one. A client id identifies a
 * product: ask the vendor for one for yours.
 *
 * @throws ConfigError for an option that is missing, wrong or unknown
 *
 * @example
 * registerOAuthProvider(
 *   createOAuthProvider({ id: "acme", name: "Acme", issuer: "https://login.acme.com", clientId: "my-product" }),
 * );
 */
export function createOAuthProvider(options: OAuthProviderOptions): OAuthProviderInterface {
  checkProviderOptions(options);
  const { id, name, flow = "code", clock = systemClock, getApiKey = ({ access }) => access } = options;
  const client = new OAuthClient(options);
  const toCredentials = async (
    response: TokenEndpointResponse,
    previous: OAuthCredentials | undefined,
    signal: AbortSignal | undefined,
  ): Promise<OAuthCredentials> => {
    const life = Math.min(response.expires_in ?? DEFAULT_LIFE, LONGEST_TOKEN_LIFE) * 1000;
    const expires = clock.now() + life - Math.min(MARGIN_MS, life / 5);
    const credentials = {
      ...previous,
      refresh: response.refresh_token ?? previous?.refresh ?? "",
      access: response.access_token,
      expires,
    };
    return { ...credentials, ...(await options.addFields?.(response, signal)) };
  };
  return {
    id,
    name,
    usesCallbackServer: flow === "code",
    async login(callbacks) {
      const response =
        flow === "code"
          ? await logInWithCode(client, options, callbacks)
          : await logInWithDevice(client, options, clock, callbacks);
      return toCredentials(response, undefined, callbacks.signal);
    },
    async refreshToken(credentials, signal) {
      if (credentials.refresh === "")
        throw new ProviderError({ kind: "auth", message: `${name}: there is no refresh token. Log in again` });
      return toCredentials(await client.refresh(credentials.refresh, signal), credentials, signal);
    },
    getApiKey,
  };
}

const NAMES: OptionNames<OAuthProviderOptions> = {
  id: true,
  name: true,
  clientId: true,
  clientSecret: true,
  issuer: true,
  endpoints: true,
  flow: true,
  scope: true,
  redirectUri: true,
  callbackHost: true,
  authorizationParameters: true,
  addFields: true,
  getApiKey: true,
  fetch: true,
  clock: true,
};

/** @throws ConfigError */
function checkProviderOptions(options: OAuthProviderOptions): void {
  checkOptionNames("createOAuthProvider", options, NAMES);
  for (const name of ["id", "name", "clientId", "issuer"] as const)
    if (typeof options[name] !== "string" || options[name] === "")
      throw new ConfigError(`createOAuthProvider needs ${name}, a text, not ${nameValue(options[name])}`);
  checkOAuthAddress(options.issuer);
  const { flow = "code" } = options;
  if (flow !== "code" && flow !== "device")
    throw new ConfigError(`createOAuthProvider: flow must be "code" or "device", not ${nameValue(flow)}`);
  const { scope } = options;
  if (scope !== undefined && typeof scope !== "string")
    throw new ConfigError('createOAuthProvider: scope must be one text, such as "openid offline_access"');
}

const systemClock: OAuthClock = {
  now: Date.now,
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (signal.aborted) end();
      signal.addEventListener("abort", end);
    }),
};
