/** Converts failures of logins and refreshes into errors without codes, tokens or bodies. */
import { AbortedError, cutText, NetworkError, PiError, ProtocolError, ProviderError } from "../errors.js";
import { describeNetworkError } from "../transport/guarded-fetch.js";
import { collectSecrets, redact } from "../transport/redact.js";
import { isRecord } from "../utils/is-object.js";

/** Longest text taken from a server, in characters. */
const MAX_TEXT = 300;

export interface OAuthFailure {
  error: unknown;
  /** The action that failed, such as `Acme: the token request`. */
  action: string;
  /** The secrets of the request, which are redacted. */
  secrets: readonly (string | undefined)[];
  /** The caller's signal. */
  signal: AbortSignal | undefined;
}

/** Returns the error for the caller. The original is never its cause, because it may contain the whole response. */
export function toOAuthError({ error, action, secrets, signal }: OAuthFailure): PiError {
  if (signal?.aborted) return new AbortedError("Login was aborted");
  if (PiError.is(error)) return error;
  const clean = (text: string): string => redact(cutText(text, MAX_TEXT), collectSecrets(secrets));
  const refusal = readRefusal(error);
  if (refusal) {
    const { status, code, description } = refusal;
    const text = clean(description === undefined ? code : `${code}: ${description}`);
    return new ProviderError({ kind: kindOf(status), message: `${action} failed: ${text}`, status, code: clean(code) });
  }
  if (!(error instanceof Error)) return new NetworkError(`${action} failed`);
  if (error.name === "TimeoutError") return new NetworkError(`${action} took too long`, { kind: "timeout" });
  if (codeOf(error).startsWith("OAUTH_"))
    return createResponseError(`${action} failed: ${clean(error.message)}`, error.cause);
  return new NetworkError(`${action} failed: ${clean(describeNetworkError(error))}`);
}

/** The error for a response that breaks the protocol. */
function createResponseError(message: string, response: unknown): PiError {
  const status = response instanceof Response ? response.status : 200;
  if (status < 400) return new ProtocolError(message, { retryable: false });
  return new ProviderError({ kind: kindOf(status), message: `${message} (status ${status})`, status });
}

/** Reads the error that a server returned. */
function readRefusal(error: unknown): { status: number | undefined; code: string; description?: string } | undefined {
  if (!isRecord(error)) return undefined;
  // The `code` is checked instead of the class, whose name the build shortens.
  const type = codeOf(error);
  const status = typeof error["status"] === "number" ? error["status"] : undefined;
  if (type === "OAUTH_WWW_AUTHENTICATE_CHALLENGE") return { status, code: "the client was rejected" };
  if (type !== "OAUTH_RESPONSE_BODY_ERROR" && type !== "OAUTH_AUTHORIZATION_RESPONSE_ERROR") return undefined;
  const description = error["error_description"];
  return { status, code: String(error["error"]), ...(typeof description === "string" ? { description } : {}) };
}

function codeOf(error: unknown): string {
  return isRecord(error) && typeof error["code"] === "string" ? error["code"] : "";
}

function kindOf(status: number | undefined): "auth" | "rate_limit" | "server" {
  if (status === 429) return "rate_limit";
  return status !== undefined && status >= 500 ? "server" : "auth";
}
