/**
 * The errors of the library. Inside, code throws them; a caller meets them as `errorMessage` and `error` of a final
 * message, and as exceptions only for a programmer's mistake.
 */
import type { ErrorInfo, ErrorKind } from "./types/message.js";

/** Longest error text taken from a server, in characters. */
export const MAX_ERROR_TEXT = 2000;
/** Longest error body kept on a {@link ProviderError}, in characters. */
export const MAX_ERROR_BODY = 4000;

const MARKER = Symbol.for("pi-ai.error");

/** Base of all errors of the library. Use {@link PiError.is} instead of `instanceof`: it works across copies. */
export class PiError extends Error {
  /** Written out: a bundler may rename the class. */
  override readonly name: string = "PiError";
  /** What kind of failure it is. */
  readonly kind: ErrorKind;
  /** Whether the same request may succeed when it is sent again. */
  readonly retryable: boolean;

  constructor(kind: ErrorKind, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    Object.defineProperty(this, MARKER, { value: true });
    this.kind = kind;
    this.retryable = options.retryable ?? false;
  }

  /** The facts of this error as plain data. */
  get info(): ErrorInfo {
    return { kind: this.kind };
  }

  /** Whether a value is an error of this library, of whichever copy. */
  static is(value: unknown): value is PiError {
    // Anything may have been thrown; a proxy may throw when it is looked at.
    try {
      return typeof value === "object" && value !== null && MARKER in value;
    } catch {
      return false;
    }
  }
}

/** Something has to be set before the call can work; the text names what and where. */
export class ConfigError extends PiError {
  override readonly name: string = "ConfigError";
  constructor(message: string, options: { kind?: "config" | "auth_missing"; cause?: unknown } = {}) {
    super(options.kind ?? "config", message, options);
  }
}

/** The kinds of failure that a provider tells. */
export type ProviderErrorKind = Extract<
  ErrorKind,
  | "auth"
  | "permission"
  | "not_found"
  | "invalid_request"
  | "context_overflow"
  | "content_filter"
  | "rate_limit"
  | "overloaded"
  | "server"
>;

/** What a {@link ProviderError} is made of. */
export interface ProviderErrorFacts {
  /** What kind of failure it is. */
  kind: ProviderErrorKind;
  /** The text for people. */
  message: string;
  /** The HTTP status. */
  status?: number | undefined;
  /** Who said so. */
  provider?: string | undefined;
  /** The provider's id of the request. */
  requestId?: string | undefined;
  /** Milliseconds. */
  retryAfterMs?: number | undefined;
  /** The provider's own name for the failure. */
  code?: string | undefined;
  /** What the server sent; cut at 4,000 characters. */
  body?: string | undefined;
  /** Default: rate limits, overload and server errors are. */
  retryable?: boolean | undefined;
  /** What was thrown first. */
  cause?: unknown;
}

const RETRYABLE_KINDS: ReadonlySet<ErrorKind> = new Set(["rate_limit", "overloaded", "server"]);

/** The provider answered, and said no. */
export class ProviderError extends PiError {
  override readonly name: string = "ProviderError";
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;
  /** Who said so. */
  readonly provider: string | undefined;
  /** The provider's id of the request. */
  readonly requestId: string | undefined;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The provider's own name for the failure. */
  readonly code: string | undefined;
  /** What the server sent, cut at 4,000 characters. */
  readonly body: string | undefined;

  constructor(facts: ProviderErrorFacts) {
    super(facts.kind, cutText(facts.message, MAX_ERROR_TEXT), {
      retryable: facts.retryable ?? RETRYABLE_KINDS.has(facts.kind),
      ...(facts.cause === undefined ? {} : { cause: facts.cause }),
    });
    this.status = facts.status;
    this.provider = facts.provider;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.code = facts.code;
    this.body = facts.body === undefined ? undefined : cutText(facts.body, MAX_ERROR_BODY);
  }

  /** The same failure in other words. */
  withMessage(message: string): ProviderError {
    // A ProviderError was made with one of its own kinds.
    const kind = this.kind as ProviderErrorKind;
    const { status, provider, requestId, retryAfterMs, code, body, retryable } = this;
    return new ProviderError({
      kind,
      message,
      status,
      provider,
      requestId,
      retryAfterMs,
      code,
      body,
      retryable,
      cause: this,
    });
  }

  override get info(): ErrorInfo {
    return {
      kind: this.kind,
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(this.requestId === undefined ? {} : { requestId: this.requestId }),
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
    };
  }
}

/** The provider could not be reached, went away, or was silent for too long. */
export class NetworkError extends PiError {
  override readonly name: string = "NetworkError";
  /** Where the request went, without its query. */
  readonly url: string | undefined;

  constructor(
    message: string,
    options: { kind?: "network" | "timeout"; url?: string | undefined; cause?: unknown } = {},
  ) {
    super(options.kind ?? "network", cutText(message, MAX_ERROR_TEXT), {
      retryable: true,
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.url = options.url;
  }
}

/** The provider answered with something that its protocol does not allow, or stopped before the end. */
export class ProtocolError extends PiError {
  override readonly name: string = "ProtocolError";
  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super("protocol", cutText(message, MAX_ERROR_TEXT), { retryable: true, ...options });
  }
}

/** The caller aborted. */
export class AbortedError extends PiError {
  override readonly name: string = "AbortedError";
  constructor(message = "Request was aborted", options: { cause?: unknown } = {}) {
    super("aborted", message, options);
  }
}

/** Stands where {@link cutText} cut. */
export const CUT_MARK = "… (";

/** Cuts a text, says so, and never cuts a surrogate pair in two. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end =
    text.charCodeAt(maxLength - 1) >= 0xd800 && text.charCodeAt(maxLength - 1) <= 0xdbff ? maxLength - 1 : maxLength;
  return `${text.slice(0, end)}${CUT_MARK}${text.length - end} more characters)`;
}
