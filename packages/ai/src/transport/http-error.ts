/** Creates a `ProviderError` from the status, headers and body of a failed HTTP response, or from an error event. */
import { cutText, MAX_ERROR_TEXT, ProviderError, type ProviderErrorKind } from "../errors.js";
import { isRecord } from "../utils/is-object.js";
import { matchesOverflow } from "../utils/overflow.js";
import { describeAddress } from "./asked-address.js";
import { kindOfCode, kindOfText } from "./failure-kinds.js";
import { parseRetryAfter, type RetryDelayReader } from "./retry-after.js";

/** The provider's error, from a response body or an event of a stream. */
interface ErrorBody {
  message: string | undefined;
  /** Codes and types, most specific first. */
  codes: string[];
}

/** An HTTP response with an error status. */
export interface HttpFailure {
  /** The HTTP status. */
  status: number;
  /** The headers; read for the requested wait and the id of the request. */
  headers?: Headers;
  /** The part of the body that was read. */
  body: string;
  /** The provider that sent the response. */
  provider: string;
  /** Reads the requested wait. Default: from the `retry-after` headers. */
  retryDelay?: RetryDelayReader | undefined;
  /** The address that was asked. */
  url?: string | undefined;
}

const KIND_BY_STATUS: Readonly<Record<number, ProviderErrorKind>> = {
  401: "auth",
  402: "permission",
  403: "permission",
  404: "not_found",
  408: "server",
  409: "server",
  425: "server",
  429: "rate_limit",
  503: "overloaded",
  529: "overloaded",
};

const VAGUE_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["invalid_request", "server"]);

/** Codes of failures that a retry cannot fix, regardless of the status. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_error",
  "usage_limit_reached",
  "usage_not_included",
]);

const REQUEST_ID_HEADERS = [
  "request-id",
  "x-request-id",
  "x-amzn-requestid",
  "x-goog-request-id",
  "apim-request-id",
  "mistral-correlation-id",
  "cf-ray",
];

/** Creates the error for an HTTP response with an error status: the kind from status and codes, the text from the body. */
export function createHttpError(failure: HttpFailure): ProviderError {
  const { status, headers, provider } = failure;
  const parsed = parseBody(failure.body);
  const reported = describe(parsed);
  // AWS names the exception in this header, followed by a colon and a URL.
  const exception = headers?.get("x-amzn-errortype")?.split(":")[0];
  if (exception) reported.codes.unshift(exception);
  const text = reported.message ?? (failure.body.trim() || "status code (no body)");
  const kind = classify(status, reported, `${status} ${text}`, provider);
  const shouldRetry = headers?.get("x-should-retry");
  const final = reported.codes.some((code) => FINAL_CODES.has(code));
  return new ProviderError({
    kind,
    message: `${status} ${cutText(text, MAX_ERROR_TEXT)}${describeAddress(failure.url, status, [text, ...reported.codes].join(" "))}`,
    status,
    provider,
    requestId: firstHeader(headers, REQUEST_ID_HEADERS),
    code: reported.codes[0],
    retryAfterMs: headers && (failure.retryDelay?.(headers, failure.body) ?? parseRetryAfter(headers)),
    body: failure.body,
    retryable: final || shouldRetry === "false" ? false : shouldRetry === "true" ? true : undefined,
  });
}

/** Creates the same error for an error event of a stream. */
export function createStreamError(event: unknown, provider: string): ProviderError {
  const reported = describe(event);
  const status = Number(reported.codes.find((code) => /^[45]\d\d$/.test(code)));
  const known = Number.isInteger(status) ? status : undefined;
  const text = reported.message ?? cutText(stringify(event), MAX_ERROR_TEXT);
  const kind = classify(known, reported, text, provider);
  const retryable = reported.codes.some((code) => FINAL_CODES.has(code)) ? false : undefined;
  return new ProviderError({
    kind,
    message: text,
    status: known,
    provider,
    code: reported.codes[0],
    body: stringify(event),
    retryable,
  });
}

/** @param status undefined for an error event without a status */
function classify(status: number | undefined, reported: ErrorBody, text: string, provider: string): ProviderErrorKind {
  if (matchesOverflow(text, provider)) return "context_overflow";
  const byCodes = reported.codes.map((code) => kindOfCode(code, provider)).filter((kind) => kind !== undefined);
  const exact = byCodes.find((kind) => !VAGUE_KINDS.has(kind));
  if (exact) return exact;
  const byStatus = status === undefined ? undefined : kindOfStatus(status);
  const kind = byStatus ?? byCodes[0] ?? "server";
  // For a wrong key and an unknown model, several vendors return 400 and identify the failure only in the text.
  const mayHide = VAGUE_KINDS.has(kind) && (status === undefined || status < 500);
  return mayHide ? (kindOfText(text) ?? kind) : kind;
}

function kindOfStatus(status: number): ProviderErrorKind {
  return KIND_BY_STATUS[status] ?? (status >= 500 ? "server" : "invalid_request");
}

/** Finds the message and the codes in any of the shapes that servers use for errors. */
function describe(body: unknown): ErrorBody {
  const outer = asRecord(Array.isArray(body) ? body[0] : body);
  if (!outer) return { message: undefined, codes: [] };
  const inner =
    asRecord(outer["error"]) ??
    asRecord(listOf(outer["errors"])[0]) ??
    asRecord(asRecord(outer["response"])?.["error"]);
  const reasons = listOf(inner?.["details"]).map((detail) => asRecord(detail)?.["reason"]);
  const codes = [...reasons, inner?.["code"], inner?.["type"], inner?.["status"], outer["code"], outer["type"]]
    .filter((code) => typeof code === "string" || typeof code === "number")
    .map(String);
  const detail = asRecord(listOf(outer["detail"])[0])?.["msg"];
  const message = firstText(
    inner?.["message"],
    outer["error"],
    outer["message"],
    outer["Message"],
    outer["detail"],
    detail,
  );
  // Anthropic's message may be a single word. The earlier package prefixed the type, and users' patterns match that.
  const named = outer["type"] === "error" && typeof inner?.["type"] === "string" ? `${inner["type"]}: ` : "";
  // OpenRouter: the error of the provider behind it. Groq: the text that it could not parse as a tool call.
  const raw = firstText(asRecord(inner?.["metadata"])?.["raw"], inner?.["failed_generation"]);
  return { message: message && `${named}${message}${raw ? `\n${raw}` : ""}`, codes };
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function stringify(value: unknown): string {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  } catch {
    return "an error that is nested too deeply to be shown";
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function firstText(...values: unknown[]): string | undefined {
  for (const value of values) if (typeof value === "string" && value.trim() !== "") return value;
  return undefined;
}

function firstHeader(headers: Headers | undefined, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers?.get(name);
    if (value) return value;
  }
  return undefined;
}
