/** Creates an error from a failure event of the Responses API. */
import type { ProviderError } from "../../errors.js";
import { createStreamError } from "../../transport/index.js";
import { isObject, isRecord } from "../../utils/is-object.js";

interface WireError {
  code?: unknown;
  type?: unknown;
  message?: unknown;
  status?: unknown;
}

interface WireFailure {
  /** An error object or a string, in events of the type `error`. */
  error?: unknown;
  status?: unknown;
  status_code?: unknown;
  response?: { status?: unknown; error?: unknown; incomplete_details?: { reason?: unknown } | null } | null;
}

/** @param event the end of a failed response, or an `error` event that holds the error or is the error itself */
export function createResponsesError(event: WireFailure & WireError, provider: string): ProviderError {
  const inner = event.response ? event.response.error : (event.error ?? event);
  const { code, type, message, status: nested } = asError(inner);
  // An error of a gateway, which has its words elsewhere.
  if (isRecord(event.error) && typeof message !== "string") return createStreamError(event, provider);
  const status = event.status ?? event.status_code ?? nested;
  const text = describe(code ?? (inner === event ? undefined : type), message) ?? describeEnd(event);
  const wait = waitIn(message);
  const error = createStreamError({ error: { code, type, status, message: text } }, provider);
  return wait === undefined ? error : error.withRetryAfter(wait);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
/** A limit that the server tells in mid-stream has no header: "Please try again in 3.5s" or "6m0s" (OpenAI, 2026-11). */
const WAIT = /\btry again in ((?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m)){1,3})(?![a-z\d])/i;

/** The milliseconds that the text asks to wait. */
function waitIn(message: unknown): number | undefined {
  const [, span = ""] = typeof message === "string" ? (WAIT.exec(message) ?? []) : [];
  if (span === "") return undefined;
  const parts = span.toLowerCase().matchAll(/([\d.]+)(ms|s|m)/g);
  return Math.ceil([...parts].reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0), 0));
}

function asError(value: unknown): WireError {
  if (typeof value === "string") return { message: value };
  return isObject(value) ? value : {};
}

function describe(code: unknown, message: unknown): string | undefined {
  const name = typeof code === "string" || typeof code === "number" ? String(code) : "";
  const words = typeof message === "string" ? message : "";
  return words === "" || name === "" ? words || name || undefined : `${name}: ${words}`;
}

function describeEnd({ response }: WireFailure): string {
  const reason = response?.incomplete_details?.reason;
  if (typeof reason === "string" && reason !== "") return `incomplete: ${reason}`;
  if (response?.status === "cancelled") return "The response was cancelled";
  return "Unknown error (no error details in response)";
}
