/** The options of an OAuth provider. */
import type { OAuthClock, OAuthCredentials } from "./oauth-types.js";

/** The URLs of an authorization server. */
export interface OAuthEndpoints {
  /** The page on which the user logs in; for the flow `code`. */
  authorization?: string;
  /** The endpoint that returns tokens. */
  token: string;
  /** The endpoint that returns user codes; for the flow `device`. */
  deviceAuthorization?: string;
}

/** The options of `createOAuthProvider`. */
export interface OAuthProviderOptions {
  /** The id, such as the `provider` of models. */
  id: string;
  /** The name that users see. */
  name: string;
  /** The id that the authorization server assigned to your product. */
  clientId: string;
  /** The client secret, if there is one. A program on users' machines cannot keep it secret. */
  clientSecret?: string;
  /** The URL of the authorization server. Must be HTTPS, or HTTP on this machine. */
  issuer: string;
  /** The server's URLs. Default: read from its metadata (RFC 8414, OpenID Connect Discovery). */
  endpoints?: OAuthEndpoints;
  /**
   * `code`: the user logs in with a browser on this machine (authorization code with PKCE, RFC 7636 and 8252). `device`: the
   * user enters a code on any device (RFC 8628). Default `code`.
   */
  flow?: "code" | "device";
  /** The requested scopes, separated by spaces. */
  scope?: string;
  /**
   * The redirect URL, as registered with the server: `http://localhost:1455/auth/callback`. Default
   * `http://127.0.0.1/callback`, with a free port. If the port is busy, the user pastes the code.
   */
  redirectUri?: string;
  /** The address on which to listen for the redirect, such as `0.0.0.0` in a container. Default `127.0.0.1`. */
  callbackHost?: string;
  /** Additional parameters for the login page. */
  authorizationParameters?: Readonly<Record<string, string>>;
  /** Returns fields of the server's response to keep with the tokens, such as an account id. */
  addFields?: (
    response: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>;
  /** Returns the `apiKey` for requests. Default: the access token. */
  getApiKey?: (credentials: OAuthCredentials) => string;
  /** Sends requests. Default: the global `fetch`, through the HTTP proxy of the environment. */
  fetch?: typeof globalThis.fetch;
  /** The clock, for tests. */
  clock?: OAuthClock;
}
