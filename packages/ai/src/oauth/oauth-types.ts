/** Credentials of a login, and what a provider of logins must do. */
import type { Model } from "../types/model.js";

/** What a login returns. Keep it secret: both tokens give access to the account. A provider may add fields of its own. */
export interface OAuthCredentials {
  /** The refresh token. Empty if the server sends none; the user must then log in again when `expires` has passed. */
  refresh: string;
  /** The access token. */
  access: string;
  /** When to refresh, in Unix milliseconds. Some minutes before the server's own time. */
  expires: number;
  [field: string]: unknown;
}

/** An address for the user to open. */
export interface OAuthAuthInfo {
  /** The page of the login. */
  url: string;
  /** What the user does there, in one sentence. */
  instructions?: string;
}

/** A code for the user to enter on a page, also on another device. */
export interface OAuthDeviceCodeInfo {
  /** The code. */
  userCode: string;
  /** The page that asks for it. */
  verificationUri: string;
  /** The same page with the code filled in, such as for a QR code. */
  verificationUriComplete?: string;
  /** How long the code is valid, in seconds. */
  expiresInSeconds?: number;
  /** How often the server is asked, in seconds. */
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

/** How a login talks to the user. */
export interface OAuthLoginCallbacks {
  /** Shows an address, or opens it in a browser. */
  onAuth(info: OAuthAuthInfo): void;
  /** Asks the user, and returns the reply. */
  onPrompt(prompt: OAuthPrompt): Promise<string>;
  /** Shows a code of the device flow. Default: `onAuth`, with the code in `instructions`. */
  onDeviceCode?(info: OAuthDeviceCodeInfo): void;
  /** Reports what the login does. */
  onProgress?(message: string): void;
  /**
   * Reads a code, or the address with it, that the user pastes. Runs while the login waits for the browser, and the first of
   * both counts. For users whose browser cannot reach this machine.
   */
  onManualCodeInput?(): Promise<string>;
  /** Ends the login. */
  signal?: AbortSignal;
}

/** Logs users in, and keeps their credentials valid. */
export interface OAuthProviderInterface {
  /** The id, such as the `provider` of models. */
  readonly id: string;
  /** The name that users see. */
  readonly name: string;
  /** Whether the login waits for the browser at an address of this machine. */
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

/** The time, for tests. */
export interface OAuthClock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
