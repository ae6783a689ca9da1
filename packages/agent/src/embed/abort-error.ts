/** The error of a wait that was cancelled. */

/** A `DOMException` where the runtime has it; its name is `AbortError` in any case. */
export function createAbortError(message: string): Error {
  if (typeof DOMException === "function") return new DOMException(message, "AbortError");
  const error = new Error(message);
  error.name = "AbortError";
  return error;
}
