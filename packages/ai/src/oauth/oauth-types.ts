/**
 * The credentials of a login, the interface of an OAuth provider, and the options of a provider that is made from
 * them.
 */
import type { Model } from "../types/model.js";

/** The id of a provider. */
export type OAuthProviderId = string;

/** @deprecated Use {@link OAuthProviderId}. */
export type OAuthProvider = OAuthProviderId;

/** @deprecated Use {@link OAuthProviderInterface}. */
export interface OAuthProviderInfo {
  /** The id. */
  id: OAuthProviderId;
  /** The name that users see. */
  name: string;
  /** Whether users can log in. */
  available: boolean;
}

/** The result of a login. Keep it secret: both tokens allow access to the account. A provider may add fields. */
export interface OAuthCredentials {
  /** The refresh token. Empty if the server sends none; the user must then log in again when `expires` has passed. */
  refresh: string;
  /** The access token. */
  access: string;
  /** When to refresh, in Unix milliseconds: some minutes before the access token expires. */
  expires: number;
  [field: string]: unknown;
}

/** A URL for the user to open. */
export interface OAuthAuthInfo {
  /** The page of the login. */
  url: string;
  /** One sentence with instructions for the user. */
  instructions?: string;
}

/** A code for the user to enter on a page, possibly on another device. */
export interface OAuthDeviceCodeInfo {
  /** The code. */
  userCode: string;
  /** The page on which to enter it. */
  verificationUri: string;
  /** The same page with the code filled in, such as for a QR code. */
  verificationUriComplete?: string;
  /** How long the code is valid, in seconds. */
  expiresInSeconds?: number;
  /** The interval at which the server is polled, in seconds. */
  intervalSeconds?: number;
}

/** A question for the user. */
export interface OAuthPrompt {
  /** The question. */
  message: string;
  /** An example of a reply. */
  placeholder?: string;
  /** Whether an empty reply is allowed. Default: no. */
  allowEmpty?: boolean;
}

/** One of several answers to a question. */
export interface OAuthSelectOption {
  /** The id that `onSelect` returns. */
  id: string;
  /** The text that users see. */
  label: string;
}

/** A question with fixed answers. */
export interface OAuthSelectPrompt {
  /** The question. */
  message: string;
  /** The answers. */
  options: OAuthSelectOption[];
}

/** Callbacks through which a login interacts with the user. */
export interface OAuthLoginCallbacks {
  /** Shows a URL, or opens it in a browser. */
  onAuth(info: OAuthAuthInfo): void;
  /** Asks the user, and returns the reply. */
  onPrompt(prompt: OAuthPrompt): Promise<string>;
  /** Shows a code of the device flow. Default: `onAuth`, with the code in `instructions`. */
  onDeviceCode?(info: OAuthDeviceCodeInfo): void;
  /** Reports the progress of the login. */
  onProgress?(message: string): void;
  /**
   * Reads a code that the user pastes, or a URL that contains it. Called while the login waits for the browser; the
   * first of the two is used. For users whose browser cannot reach this machine.
   */
  onManualCodeInput?(): Promise<string>;
  /**
   * Lets the user choose, and returns the id of the choice; undefined if the user cancels. Providers of `createOAuthProvider`
   * have nothing to choose; it is for providers of your own.
   */
  onSelect?(prompt: OAuthSelectPrompt): Promise<string | undefined>;
  /** Ends the login. */
  signal?: AbortSignal;
}

/** Logs users in, and keeps their credentials valid. */
export interface OAuthProviderInterface {
  /** The id, such as the `provider` of models. */
  readonly id: OAuthProviderId;
  /** The name that users see. */
  readonly name: string;
  /** Whether the login listens on this machine for the browser's redirect. */
  readonly usesCallbackServer?: boolean;
  /** Logs a user in. */
  login(callbacks: OAuthLoginCallbacks): Promise<OAuthCredentials>;
  /** Returns new credentials. The old refresh token may no longer be valid afterwards. */
  refreshToken(credentials: OAuthCredentials, signal?: AbortSignal): Promise<OAuthCredentials>;
  /** Returns the `apiKey` for requests. */
  getApiKey(credentials: OAuthCredentials): string;
  /** Changes models for these credentials, such as their `baseUrl`. Your program calls it. */
  modifyModels?(models: Model[], credentials: OAuthCredentials): Model[];
}

/** The clock, for tests. */
export interface OAuthClock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after this many milliseconds, or immediately when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

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
  clientSecret?: string | undefined;
  /** The URL of the authorization server. Must be HTTPS, or HTTP on this machine. */
  issuer: string;
  /** The server's URLs. Default: read from its metadata (RFC 8414, OpenID Connect Discovery). */
  endpoints?: OAuthEndpoints | undefined;
  /**
   * `code`: the user logs in with a browser on this machine (authorization code with PKCE, RFC 7636 and 8252). `device`: the
   * user enters a code on any device (RFC 8628). Default `code`.
   */
  flow?: "code" | "device" | undefined;
  /** The requested scopes, separated by spaces. */
  scope?: string | undefined;
  /**
   * The redirect URL, as registered with the server: `http://localhost:1455/auth/callback`. Default
   * `http://127.0.0.1/callback`, with a free port. If the port is busy, the user pastes the code.
   */
  redirectUri?: string | undefined;
  /** The address on which to listen for the redirect, such as `0.0.0.0` in a container. Default `127.0.0.1`. */
  callbackHost?: string | undefined;
  /** Additional parameters for the login page. */
  authorizationParameters?: Readonly<Record<string, string>> | undefined;
  /** Returns fields of the server's response to keep with the tokens, such as an account id. */
  addFields?:
    | ((
        response: Readonly<Record<string, unknown>>,
        signal: AbortSignal | undefined,
      ) => Record<string, unknown> | Promise<Record<string, unknown>>)
    | undefined;
  /** Returns the `apiKey` for requests. Default: the access token. */
  getApiKey?: ((credentials: OAuthCredentials) => string) | undefined;
  /** Sends requests. Default: the global `fetch`, through the HTTP proxy of the environment. */
  fetch?: typeof globalThis.fetch | undefined;
  /** The clock, for tests. */
  clock?: OAuthClock | undefined;
}
