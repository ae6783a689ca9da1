/** Tells responses that failed from those that ended. */

/** Whether a response with this stop reason failed or was aborted, and so is not part of what the model said. */
export function isFailure(stopReason: unknown): stopReason is "error" | "aborted" {
  return stopReason === "error" || stopReason === "aborted";
}
