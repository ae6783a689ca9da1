/** Creates a `ProviderError` from the status, headers and body of a failed HTTP response, or from an error event. */
import { cutText, MAX_ERROR_TEXT, ProviderError, type ProviderErrorKind } from "../errors.js";
import { isObject, isRecord } from "../utils/is-object.js";
import { matchesOverflow } from "../utils/overflow.js";
import { tryParseJson } from "../utils/read-text.js";
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

// Maps the error codes and texts of vendors to kinds of errors.

/** By code in lower case. From the API references of the vendors, 2026-11. */
const KIND_BY_CODE: Readonly<Record<string, ProviderErrorKind>> = {
  // Anthropic
  authentication_error: "auth",
  permission_error: "permission",
  billing_error: "permission",
  not_found_error: "not_found",
  invalid_request_error: "invalid_request",
  request_too_large: "context_overflow",
  rate_limit_error: "rate_limit",
  overloaded_error: "overloaded",
  timeout_error: "server",
  api_error: "server",
  // OpenAI and Azure
  invalid_api_key: "auth",
  account_deactivated: "permission",
  billing_not_active: "permission",
  model_not_found: "not_found",
  deploymentnotfound: "not_found",
  context_length_exceeded: "context_overflow",
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  rate_limit_exceeded: "rate_limit",
  insufficient_quota: "rate_limit",
  server_error: "server",
  internal_server_error: "server",
  // GitHub Copilot and GitHub Models, Hugging Face, Together
  model_max_prompt_tokens_exceeded: "context_overflow",
  tokens_limit_reached: "context_overflow",
  model_not_supported: "not_found",
  model_not_available: "not_found",
  // Perplexity
  too_many_prompt_tokens: "context_overflow",
  // llama.cpp
  exceed_context_size_error: "context_overflow",
  // Mistral
  invalid_model: "not_found",
  // Google (google.rpc.Code, ErrorInfo)
  api_key_invalid: "auth",
  unauthenticated: "auth",
  permission_denied: "permission",
  not_found: "not_found",
  resource_exhausted: "rate_limit",
  deadline_exceeded: "server",
  internal: "server",
  invalid_argument: "invalid_request",
  failed_precondition: "invalid_request",
  overloaded: "overloaded",
  unavailable: "overloaded",
  // Moonshot
  invalid_authentication_error: "auth",
  incorrect_api_key_error: "auth",
  permission_denied_error: "permission",
  resource_not_found_error: "not_found",
  exceeded_current_quota_error: "rate_limit",
  rate_limit_reached_error: "rate_limit",
  engine_overloaded_error: "overloaded",
  // Alibaba Model Studio (DashScope)
  invalidapikey: "auth",
  arrearage: "permission",
  modelnotfound: "not_found",
  datainspectionfailed: "content_filter",
  data_inspection_failed: "content_filter",
  throttling: "rate_limit",
  "throttling.ratequota": "rate_limit",
  "throttling.allocationquota": "rate_limit",
  // Amazon Bedrock
  accessdeniedexception: "permission",
  expiredtokenexception: "auth",
  internalserverexception: "server",
  invalidsignatureexception: "auth",
  modelnotreadyexception: "overloaded",
  modelstreamerrorexception: "server",
  modeltimeoutexception: "server",
  resourcenotfoundexception: "not_found",
  servicequotaexceededexception: "rate_limit",
  serviceunavailableexception: "overloaded",
  throttlingexception: "rate_limit",
  unrecognizedclientexception: "auth",
  validationexception: "invalid_request",
};

/** The numeric codes of Z.ai (docs.z.ai, "Errors", 2026-11). */
const ZAI_CODES: Readonly<Record<string, ProviderErrorKind>> = {
  1000: "auth",
  1001: "auth",
  1002: "auth",
  1003: "auth",
  1004: "auth",
  1113: "permission",
  1211: "not_found",
  1261: "context_overflow",
  1301: "content_filter",
  1302: "rate_limit",
  1303: "rate_limit",
  1304: "rate_limit",
  1305: "overloaded",
  1308: "rate_limit",
};

/** Codes that have another meaning, or no meaning, at other vendors. */
const KIND_BY_VENDOR_CODE: Readonly<Record<string, Readonly<Record<string, ProviderErrorKind>>>> = {
  zai: ZAI_CODES,
  "zai-coding-cn": ZAI_CODES,
};

interface FailureText {
  /** The vendors that use this text. */
  vendor: string;
  pattern: RegExp;
  kind: ProviderErrorKind;
}

/** For failures that code and status do not identify. Repetitions are bounded because the texts are untrusted. */
const FAILURE_TEXTS: readonly FailureText[] = [
  { vendor: "xAI, OpenAI", pattern: /incorrect api key provided/i, kind: "auth" },
  { vendor: "Google", pattern: /api key (?:not valid|not found|expired)/i, kind: "auth" },
  { vendor: "OpenRouter", pattern: /is not a valid model id/i, kind: "not_found" },
  { vendor: "Mistral", pattern: /\binvalid model: /i, kind: "not_found" },
  { vendor: "DeepSeek", pattern: /\bmodel not exist\b/i, kind: "not_found" },
  { vendor: "DeepSeek", pattern: /\bsupported (?:api )?model names? (?:are|is) /i, kind: "not_found" },
  {
    vendor: "OpenAI, xAI, vLLM",
    pattern: /\bmodel [`'"]?[^\s`'"]{1,200}[`'"]? (?:does not exist|was not found|not found)/i,
    kind: "not_found",
  },
  { vendor: "xAI", pattern: /\bmodel not found\b/i, kind: "not_found" },
  { vendor: "Amazon Bedrock", pattern: /provided model identifier is invalid/i, kind: "not_found" },
  { vendor: "Cloudflare", pattern: /\bno such model\b/i, kind: "not_found" },
  {
    vendor: "GitHub Copilot, Hugging Face",
    pattern: /\brequested model (?:[`'"][^\s`'"]{1,200}[`'"] )?is not supported/i,
    kind: "not_found",
  },
];

/** Returns the kind for an error code of a vendor; undefined for an unknown code. */
function kindOfCode(code: string, provider: string): ProviderErrorKind | undefined {
  const name = code.toLowerCase();
  const own = Object.hasOwn(KIND_BY_VENDOR_CODE, provider) ? KIND_BY_VENDOR_CODE[provider] : undefined;
  if (own && Object.hasOwn(own, name)) return own[name];
  return Object.hasOwn(KIND_BY_CODE, name) ? KIND_BY_CODE[name] : undefined;
}

/** Returns the kind for an error text of a vendor; undefined for an unknown text. */
function kindOfText(text: string): ProviderErrorKind | undefined {
  return FAILURE_TEXTS.find(({ pattern }) => pattern.test(text))?.kind;
}

// Names the address of a request that found nothing there, and the one that is likely right. Only for addresses
// without TLS, as servers at home have them: the catalogue knows the vendors' addresses.

/** Ends of the paths of model requests, as often as a `baseUrl` that contains them repeats them. */
const ENDPOINT =
  /(\/chat\/completions|\/responses|\/v1\/messages|\/messages)(?:\/chat\/completions|\/responses|\/v1\/messages)*$/;
/** Apis whose `baseUrl` ends in `/v1`; the path of the others begins with it. */
const VERSION_IN_BASE: ReadonlySet<string | undefined> = new Set(["/chat/completions", "/responses"]);

/**
 * Returns a text to append to the error; empty for other errors. A server that knows the path, but not the model, says so.
 *
 * @param text the server's words and codes
 */
function describeAddress(url: string | undefined, status: number, text: string): string {
  if ((status !== 404 && status !== 405) || url === undefined || !/^http:/i.test(url)) return "";
  if (/\b(?:model|deployment)/i.test(text)) return "";
  const { origin, pathname } = new URL(url);
  if (!ENDPOINT.test(pathname)) return "";
  const baseUrl = likelyBase(pathname);
  const advice = baseUrl === undefined ? "check the model's baseUrl" : `the baseUrl is probably ${origin}${baseUrl}`;
  return ` (asked: ${origin}${pathname}; ${advice})`;
}

/** The path of the base URL that is likely right; undefined if the path looks right. */
function likelyBase(pathname: string): string | undefined {
  const [found, endpoint] = ENDPOINT.exec(pathname) ?? [];
  if (found === undefined) return undefined;
  const base = pathname.slice(0, -found.length);
  const prefix = base.replace(/(?:\/v1)+$/, "");
  const needsVersion = VERSION_IN_BASE.has(endpoint);
  const likely = needsVersion && !/\/v\d/.test(prefix) ? `${prefix}/v1` : prefix;
  return likely === base && found === endpoint ? undefined : likely;
}

/** Most lines at which parsing is attempted. */
const MAX_STARTS = 16;
/** Fields by which the error objects of servers are recognized. */
const ERROR_FIELDS = ["error", "errors", "message", "detail"];

/** Returns the error object in a body without events, or `undefined`. The object may span several lines. */
export function parseUnframedError(text: string): object | undefined {
  const lines = text.trim().split("\n");
  const starts = lines.flatMap((line, index) => (/^\s*[[{]/.test(line) ? [index] : []));
  for (const start of starts.slice(0, MAX_STARTS)) {
    const rest = lines.slice(start);
    const value = tryParseJson(rest.join("\n")) ?? tryParseJson(rest[0] ?? "");
    if (isError(value)) return value;
  }
  return undefined;
}

function isError(value: unknown): value is object {
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(body)) return false;
  const fields: Record<string, unknown> = { ...body };
  return fields["type"] === "error" || ERROR_FIELDS.some((name) => Boolean(fields[name]));
}
