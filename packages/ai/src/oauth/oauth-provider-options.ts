/** The options of a provider of logins. */
import type { OAuthClock, OAuthCredentials } from "./oauth-types.js";

/** The addresses of an authorization server. */
export interface OAuthEndpoints {
  /** Where the user logs in; for the flow `code`. */
  authorization?: string;
  /** Where tokens come from. */
  token: string;
  /** Where user codes come from; for the flow `device`. */
  deviceAuthorization?: string;
}

/** The options of `createOAuthProvider`. */
export interface OAuthProviderOptions {
  /** The id, such as the `provider` of models. */
  id: string;
  /** The name that users see. */
  name: string;
  /** The id that the authorization server gave your product. */
  clientId: string;
  /** The secret that belongs to it, if there is one. Programs on users' machines cannot keep it secret. */
  clientSecret?: string;
  /** The address of the authorization server. Must be HTTPS, or HTTP on this machine. */
  issuer: string;
  /** The server's addresses. Default: read from its metadata (RFC 8414, OpenID Connect Discovery). */
  endpoints?: OAuthEndpoints;
  /**
   * `code`: the user logs in with a browser on this machine (authorization code with PKCE, RFC 7636 and 8252). `device`: the
   * user enters a code on any device (RFC 8628). Default `code`.
   */
  flow?: "code" | "device";
  /** What to ask for, separated by spaces. */
  scope?: string;
  /**
   * Where the browser returns to, as registered with the server: `http://localhost:1455/auth/callback`. Default
   * `http://127.0.0.1/callback`, with a free port. If the port is busy, the user pastes the code.
   */
  redirectUri?: string;
  /** The address that the server for the browser listens on, such as `0.0.0.0` in a container. Default `127.0.0.1`. */
  callbackHost?: string;
  /** More parameters for the page of the login. */
  authorizationParameters?: Readonly<Record<string, string>>;
  /** Returns fields to keep beside the tokens, from the server's response: an account id, a project. */
  addFields?: (
    response: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>;
  /** Makes the `apiKey` for requests. Default: the access token. */
  getApiKey?: (credentials: OAuthCredentials) => string;
  /** Sends requests. Default: the global `fetch`, through the HTTP proxy of the environment. */
  fetch?: typeof globalThis.fetch;
  /** The time, for tests. */
  clock?: OAuthClock;
}
