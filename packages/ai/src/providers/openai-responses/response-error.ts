/** Creates an error from a failure event of the Responses API. */
import type { ProviderError } from "../../errors.js";
import { RawStreamError } from "../../transport/raw-stream-error.js";
import { isObject } from "../../utils/is-object.js";

interface WireError {
  code?: unknown;
  type?: unknown;
  message?: unknown;
}

interface WireFailure {
  /** An error object or a string, in events of the type `error`. */
  error?: unknown;
  status?: unknown;
  status_code?: unknown;
  response?: { status?: unknown; error?: unknown; incomplete_details?: { reason?: unknown } | null } | null;
}

/** @param event the end of a failed response, or an `error` event that holds the error or is the error itself */
export function createResponsesError(
  event: WireFailure & WireError,
  provider: string,
  explain?: (error: ProviderError) => ProviderError,
): RawStreamError {
  const inner = event.response ? event.response.error : (event.error ?? event);
  const { code, type, message } = asError(inner);
  const status = event.status ?? event.status_code;
  const text = describe(code ?? (inner === event ? undefined : type), message) ?? describeEnd(event);
  return new RawStreamError({ error: { code, type, status, message: text } }, provider, explain);
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
