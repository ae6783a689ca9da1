/** Determines whether a response is a failure, and of which kind. */
import type { AssistantMessage, ErrorKind } from "../types/message.js";
import { isFailure, messageText } from "../utils/message-facts.js";

export interface ResponseFailure {
  kind: ErrorKind;
  message: string;
}

/** Returns undefined for a response that ended normally, with text or tool calls. */
export function findFailure(response: AssistantMessage): ResponseFailure | undefined {
  const { stopReason, error, errorMessage, diagnostics } = response;
  if (isFailure(stopReason)) {
    const kind = error?.kind ?? (stopReason === "aborted" ? "aborted" : "unknown");
    return { kind, message: errorMessage ?? `The response ended with ${stopReason}` };
  }
  // Some apis end a refusal like any other response.
  if (diagnostics?.some(({ type }) => type === "refusal")) {
    return { kind: "content_filter", message: messageText(response) || "The model refused to respond" };
  }
  if (stopReason === "length") return { kind: "length", message: "The response reached the output limit" };
  return undefined;
}
