/**
 * The error classes of the library. Internal code throws them. Callers see them as `errorMessage` and `error` of a
 * final message; only programming errors reach callers as exceptions. `docs/errors.md` has a section for each class and kind.
 */
import type { ErrorInfo, ErrorKind } from "./types/message.js";
import { shortenText } from "./utils/shorten-text.js";
import { visibleLine, visibleText } from "./utils/visible-text.js";

/** Longest error text taken from a server, in characters. */
export const MAX_ERROR_TEXT = 2000;
/** Longest error body kept on a {@link ProviderError}, in characters. */
export const MAX_ERROR_BODY = 4000;
/** Longest mark of a cut, in characters. */
const MAX_MARK = 40;

const MARKER = Symbol.for("pi-ai.error");

/**
 * Base class of all errors of the library. Use {@link PiError.is} instead of `instanceof`: it works across copies of
 * the library. The text may quote a server, so control and format characters in it are written out: `\u{1b}`.
 */
export class PiError extends Error {
  /** Set explicitly, because a bundler may rename the class. */
  override readonly name: string = "PiError";
  /** The kind of failure. */
  readonly kind: ErrorKind;
  /** Whether the same request may succeed when it is sent again. */
  readonly retryable: boolean;

  constructor(kind: ErrorKind, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(visibleText(message), "cause" in options ? { cause: options.cause } : undefined);
    Object.defineProperty(this, MARKER, { value: true });
    this.kind = kind;
    this.retryable = options.retryable ?? false;
  }

  /** The facts of this error, as plain data. */
  get info(): ErrorInfo {
    return { kind: this.kind };
  }

  /** Makes `instanceof` work for errors of another copy of this package: a program may load it as CommonJS, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore-start lint/complexity/noThisInStatic: the subclasses inherit this method.
    if (super[Symbol.hasInstance](value)) return true;
    // A bundler adds the underscore to the name of a class that refers to itself.
    return PiError.is(value) && (this === PiError || this.name.replace("_", "") === value.name);
    // biome-ignore-end lint/complexity/noThisInStatic: the subclasses inherit this method.
  }

  /** Whether a value is an error of this library, or of another copy of it. */
  static is(value: unknown): value is PiError {
    // Any value can be thrown, and a Proxy can throw when it is inspected.
    try {
      return typeof value === "object" && value !== null && MARKER in value;
    } catch {
      return false;
    }
  }
}

/** A required setting is missing or invalid. The text names the setting and where to set it. */
export class ConfigError extends PiError {
  override readonly name: string = "ConfigError";
  constructor(message: string, options: { kind?: "config" | "auth_missing"; cause?: unknown } = {}) {
    super(options.kind ?? "config", message, options);
  }
}

// A record, so that a new kind fails to compile here.
const KINDS: Readonly<Record<ErrorKind, true>> = {
  config: true,
  auth_missing: true,
  auth: true,
  permission: true,
  not_found: true,
  invalid_request: true,
  context_overflow: true,
  content_filter: true,
  quota: true,
  rate_limit: true,
  overloaded: true,
  server: true,
  network: true,
  timeout: true,
  protocol: true,
  aborted: true,
  invalid_output: true,
  length: true,
  tool_use: true,
  unknown: true,
};

/** All kinds of failure. */
export const ERROR_KINDS: readonly string[] = /* @__PURE__ */ Object.keys(KINDS);

/** The kinds of failure that a provider reports. */
export type ProviderErrorKind = Extract<
  ErrorKind,
  | "auth"
  | "permission"
  | "not_found"
  | "invalid_request"
  | "context_overflow"
  | "content_filter"
  | "quota"
  | "rate_limit"
  | "overloaded"
  | "server"
>;

/** The fields of a {@link ProviderError}. */
export interface ProviderErrorFacts {
  /** The kind of failure. */
  kind: ProviderErrorKind;
  /** The error text. */
  message: string;
  /** The HTTP status. */
  status?: number | undefined;
  /** The provider that reported the failure. */
  provider?: string | undefined;
  /** The provider's id of the request. */
  requestId?: string | undefined;
  /** How long the provider asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The provider's own code for the failure. */
  code?: string | undefined;
  /** The response body, cut at 4,000 characters. */
  body?: string | undefined;
  /** Whether a retry may succeed. Default: true for rate limits, overload and server errors. */
  retryable?: boolean | undefined;
  /** Advice to the user, added to the text. It stays with another text, too. */
  advice?: string | undefined;
  /** The original error. */
  cause?: unknown;
}

const RETRYABLE_KINDS: ReadonlySet<ErrorKind> = new Set(["rate_limit", "overloaded", "server"]);

/** The provider responded with an error. */
export class ProviderError extends PiError {
  override readonly name: string = "ProviderError";
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** The provider that reported the failure. */
  readonly provider: string | undefined;
  /** The provider's id of the request. */
  readonly requestId: string | undefined;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The provider's own code for the failure. */
  readonly code: string | undefined;
  /** The response body as the server sent it, cut at 4,000 characters: not for terminals. */
  readonly body: string | undefined;
  readonly #advice: string;

  constructor(facts: ProviderErrorFacts) {
    const { advice = "" } = facts;
    // A page of HTML leaves room for the advice behind it.
    const text = cutText(facts.message, advice === "" ? MAX_ERROR_TEXT : MAX_ERROR_TEXT - MAX_MARK - advice.length);
    super(facts.kind, text.endsWith(advice) ? text : `${text}${advice}`, {
      retryable: facts.retryable ?? RETRYABLE_KINDS.has(facts.kind),
      ...(facts.cause === undefined ? {} : { cause: facts.cause }),
    });
    this.status = facts.status;
    this.provider = facts.provider;
    this.requestId = facts.requestId && visibleLine(facts.requestId);
    this.retryAfterMs = facts.retryAfterMs;
    this.code = facts.code && visibleLine(facts.code);
    this.#advice = advice;
    this.body = facts.body === undefined ? undefined : cutText(facts.body, MAX_ERROR_BODY);
  }

  /** A copy of this error with another text. */
  withMessage(message: string): ProviderError {
    return this.#with({ message });
  }

  /** A copy of this error with the time that the provider asked to wait, unless the error has one. */
  withRetryAfter(retryAfterMs: number): ProviderError {
    return this.#with({ retryAfterMs: this.retryAfterMs ?? retryAfterMs });
  }

  /** A copy of this error whose text ends with what the user can do, unless it does already. */
  withAdvice(advice: string): ProviderError {
    return this.#advice === "" ? this.#with({ advice }) : this;
  }

  #with(changes: Partial<ProviderErrorFacts>): ProviderError {
    // The kind of an existing ProviderError is one of its own kinds.
    const kind = this.kind as ProviderErrorKind;
    const { message, status, provider, requestId, retryAfterMs, code, body, retryable } = this;
    const facts = { kind, message, status, provider, requestId, retryAfterMs, code, body, retryable };
    return new ProviderError({ ...facts, advice: this.#advice, ...changes, cause: this });
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

/** The provider could not be reached, dropped the connection, or timed out. */
export class NetworkError extends PiError {
  override readonly name: string = "NetworkError";
  /** The URL of the request, without its query. */
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

/** The response violates the wire format, or ended too early. */
export class ProtocolError extends PiError {
  override readonly name: string = "ProtocolError";
  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super("protocol", cutText(message, MAX_ERROR_TEXT), { retryable: true, ...options });
  }
}

/** The caller aborted the request. */
export class AbortedError extends PiError {
  override readonly name: string = "AbortedError";
  constructor(message = "Request was aborted", options: { cause?: unknown } = {}) {
    super("aborted", message, options);
  }
}

/** The marker that {@link cutText} puts at the cut. */
export const CUT_MARK = "… (";

/** Shortens a text and marks the cut. Never splits a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  return shortenText(text, maxLength, { head: maxLength, mark: (missing) => `${CUT_MARK}${missing} more characters)` });
}
