/** Creates an OAuth provider from a server's URLs and a client id. */

import { ProviderError } from "../errors.js";
import type { TokenEndpointResponse } from "../transport/sdk/oauth.js";
import { logInWithCode, logInWithDevice } from "./login.js";
import { OAuthClient } from "./oauth-client.js";
import type { OAuthClock, OAuthCredentials, OAuthProviderInterface, OAuthProviderOptions } from "./oauth-types.js";

/** Credentials are refreshed this many milliseconds before they expire, but not before 80 % of their lifetime. */
const MARGIN_MS = 300_000;
/** The default lifetime of an access token, in seconds. */
const DEFAULT_LIFE = 3600;

/**
 * Creates a provider for `registerOAuthProvider`, with the authorization code flow (PKCE) or the device flow. A refresh
 * keeps the fields of `addFields`, and the refresh token if the server sends no new one. A client id identifies a
 * product: ask the vendor for one for yours.
 *
 * @example
 * registerOAuthProvider(
 *   createOAuthProvider({ id: "acme", name: "Acme", issuer: "https://login.acme.com", clientId: "my-product" }),
 * );
 */
export function createOAuthProvider(options: OAuthProviderOptions): OAuthProviderInterface {
  const { id, name, flow = "code", clock = systemClock, getApiKey = ({ access }) => access } = options;
  const client = new OAuthClient(options);
  const toCredentials = async (
    response: TokenEndpointResponse,
    previous: OAuthCredentials | undefined,
    signal: AbortSignal | undefined,
  ): Promise<OAuthCredentials> => {
    const life = (response.expires_in ?? DEFAULT_LIFE) * 1000;
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
          : await logInWithDevice(client, name, clock, callbacks);
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
