/** Creates a `ProviderError` from the status, headers and body of a failed HTTP response, or from an error event. */
import { cutText, MAX_ERROR_TEXT, type PiError, ProviderError, type ProviderErrorKind } from "../errors.js";
import { isObject, isRecord } from "../utils/is-object.js";
import { tryParseJson } from "../utils/read-text.js";
import { classifyFailure } from "./error-kinds.js";
import { listOf } from "./extend-request.js";
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
  /** The id of the model that was asked. */
  model?: string | undefined;
}

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
  // Some gateways answer a refused request with an event of a stream.
  const [, data = ""] = /^data: ?(.+)$/m.exec(failure.body) ?? [];
  const reported = describe(tryParseJson(failure.body) ?? tryParseJson(data));
  // AWS names the exception in this header, followed by a colon and a URL.
  const exception = headers?.get("x-amzn-errortype")?.split(":")[0];
  if (exception) reported.codes.unshift(exception);
  const text = reported.message ?? (failure.body.trim() || "status code (no body)");
  const retryAfterMs = headers && (failure.retryDelay?.(headers, failure.body) ?? parseRetryAfter(headers));
  const kind = classifyFailure({ status, codes: reported.codes, text: `${status} ${text}`, provider, retryAfterMs });
  const shouldRetry = headers?.get("x-should-retry");
  return new ProviderError({
    kind,
    message: `${status} ${text}`,
    status,
    provider,
    requestId: firstHeader(headers, REQUEST_ID_HEADERS),
    code: reported.codes[0],
    retryAfterMs,
    body: failure.body,
    retryable: kind === "quota" || shouldRetry === "false" ? false : shouldRetry === "true" ? true : undefined,
    advice:
      adviceFor(kind, provider) ?? describeRequest({ ...failure, kind, words: [text, ...reported.codes].join(" ") }),
  });
}

/** Creates the same error for an error event of a stream. */
export function createStreamError(event: unknown, provider: string): ProviderError {
  const reported = describe(event);
  const status = Number(reported.codes.find((code) => /^[45]\d\d$/.test(code)));
  const known = Number.isInteger(status) ? status : undefined;
  const text = reported.message ?? cutText(stringify(event), MAX_ERROR_TEXT);
  const kind = classifyFailure({ status: known, codes: reported.codes, text, provider });
  return new ProviderError({
    kind,
    message: text,
    status: known,
    provider,
    code: reported.codes[0],
    body: stringify(event),
    advice: adviceFor(kind, provider),
  });
}

/** Returns advice for a failure that its provider may not explain. */
function adviceFor(kind: ProviderErrorKind, provider: string): string | undefined {
  if (kind !== "quota") return undefined;
  return ` (the credit or quota at ${provider} is used up: add credit or raise the limit there, or use another key or provider)`;
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
  const codes = [...reasons, ...codesIn(inner, ["code", "type", "status"]), ...codesIn(outer, ["code", "type"])]
    .concat([inner, outer].flatMap((fields) => codesIn(fields, ["status", "statusCode", "status_code", "error_code"])))
    .concat([inner, outer].map((fields) => asRecord(fields?.["base_resp"])?.["status_code"]))
    .filter((code) => typeof code === "string" || typeof code === "number")
    .map(String);
  const message = firstText(...wordsIn(inner), outer["error"], ...wordsIn(outer));
  // Anthropic's message may be a single word. The earlier package prefixed the type, and users' patterns match that.
  const named = outer["type"] === "error" && typeof inner?.["type"] === "string" ? `${inner["type"]}: ` : "";
  // OpenRouter: the error of the provider behind it. Groq: the text that it could not parse as a tool call.
  const raw = firstText(asRecord(inner?.["metadata"])?.["raw"], inner?.["failed_generation"]);
  return { message: message && `${named}${message}${raw ? `\n${raw}` : ""}`, codes };
}

function codesIn(fields: Fields | undefined, names: readonly string[]): unknown[] {
  return names.map((name) => fields?.[name]);
}

/** The words of an error, at every place where servers have them, the likeliest first. */
function wordsIn(fields: Fields | undefined): unknown[] {
  const [detail, error] = ["detail", "errors"].map((name) => asRecord(listOf(fields?.[name])[0]));
  return [
    ...["message", "Message", "detail", "msg", "error_msg"].map((name) => fields?.[name]),
    detail?.["msg"],
    error?.["message"],
    asRecord(fields?.["base_resp"])?.["status_msg"],
  ];
}

function stringify(value: unknown): string {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  } catch {
    return "an error that is nested too deeply to be shown";
  }
}

type Fields = Record<string, unknown>;

function asRecord(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
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

/** The failures that depend on what was asked, and where. */
const ASKED_KINDS: ReadonlySet<PiError["kind"]> = new Set(["auth", "permission", "not_found"]);
/** Longest name to quote, in characters. */
const MAX_NAME = 200;

/** A request that failed. */
interface FailedRequest extends Pick<HttpFailure, "provider" | "url" | "model"> {
  kind: PiError["kind"];
  status?: number | undefined;
  /** The server's words and codes. */
  words?: string;
}

/**
 * Names the provider, the model and the address of a request that was refused or found nothing, and the base URL that is
 * likely right. Undefined for other failures, and for an unknown address. No query and no user name: they may be secrets.
 */
export function describeRequest({ kind, status, provider, model, url, words }: FailedRequest): string | undefined {
  if ((!ASKED_KINDS.has(kind) && status !== 405) || !url || !URL.canParse(url)) return undefined;
  const { protocol, host, pathname } = new URL(url);
  const name = model === undefined ? "" : `, model ${cutText(model, MAX_NAME)}`;
  const advice = status === undefined ? "" : adviseBase(url, status, words);
  return ` (provider ${cutText(provider, MAX_NAME)}${name}; asked: ${protocol}//${host}${pathname}${advice})`;
}

/** Ends of the paths of model requests, as often as a `baseUrl` that contains them repeats them. */
const ENDPOINT =
  /(\/chat\/completions|\/responses|\/v1\/messages|\/messages)(?:\/chat\/completions|\/responses|\/v1\/messages)*$/;
/** Apis whose `baseUrl` ends in `/v1`; the path of the others begins with it. */
const VERSION_IN_BASE: ReadonlySet<string | undefined> = new Set(["/chat/completions", "/responses"]);

/** A server that knows the path, but not the model, says so. */
function adviseBase(url: string, status: number, words = ""): string {
  if ((status !== 404 && status !== 405) || /\b(?:model|deployment)/i.test(words)) return "";
  const { protocol, origin, pathname } = new URL(url);
  if (!ENDPOINT.test(pathname)) return "";
  const likely = likelyBase(pathname);
  // Behind TLS stand gateways with paths of their own. At the root of a host, the version is missing there, too.
  const isKnown = protocol === "http:" || likely === "/v1" || likely === "";
  return likely !== undefined && isKnown
    ? `; the baseUrl is probably ${origin}${likely}`
    : "; check the model's baseUrl";
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
const ERROR_FIELDS = ["error", "errors", "message", "detail", "msg", "error_msg"];
/** Servers that make lines of their own of an event write the name before the error. */
const NAME = /^\s*error:\s*(?=[[{])/;

/** Returns the error object in a body without events, or `undefined`. The object may span several lines. */
export function parseUnframedError(text: string): object | undefined {
  const lines = text
    .trim()
    .split("\n")
    .map((line) => line.replace(NAME, ""));
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
  // MiniMax: any other code than 0 is an error, whose status is 200.
  const failed = Boolean(asRecord(fields["base_resp"])?.["status_code"]);
  return failed || fields["type"] === "error" || ERROR_FIELDS.some((name) => Boolean(fields[name]));
}
