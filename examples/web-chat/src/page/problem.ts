/** Describes a failure to the reader, and whether a new attempt may help. */
import type { AgentMessage, Pause } from "pi-agent";
import type { ErrorKind } from "pi-ai";

export interface Problem {
  title: string;
  text: string;
  canRetry: boolean;
}

const PROBLEMS: Partial<Record<ErrorKind, [title: string, canRetry: boolean]>> = {
  auth: ["Your session is not valid. Reload the page to get a new one.", false],
  permission: ["You may not use this model.", false],
  not_found: ["The server does not know this model or this address.", false],
  invalid_request: ["This cannot be sent. Start a new chat.", false],
  context_overflow: ["The conversation is too long for this model. Start a new one.", false],
  content_filter: ["The provider refuses to respond to this.", false],
  quota: ["The credit for this model is used up. Choose another model, or tell the operator.", false],
  rate_limit: ["Too many requests. Wait a moment, then try again.", true],
  overloaded: ["The model is busy. Wait a moment, then try again.", true],
  aborted: ["The response was interrupted.", true],
  network: ["The server cannot be reached. Check your connection.", true],
  timeout: ["The server took too long to respond.", true],
  protocol: ["The connection was lost before the response was complete.", true],
};

const TOO_LARGE: Problem["title"] = "The conversation is too large to send. Start a new one, or send smaller images.";

const INTERRUPTED: Problem = { title: "The response was interrupted.", text: "", canRetry: true };

/** Finds what is wrong with a conversation while no request is under way. */
export function findProblem(messages: readonly AgentMessage[], pause: Pause | undefined): Problem | undefined {
  const last = messages.at(-1);
  // A conversation that waits for an answer is as it should be.
  if (!last || pause?.requests.length) return undefined;
  // A prompt without a response, or a tool call without its result: the page was closed in between.
  if (last.role !== "assistant" || last.stopReason === "toolUse") return INTERRUPTED;
  if (last.stopReason !== "error") return undefined;
  const { error, errorMessage: text = "" } = last;
  if (error?.status === 413) return { title: TOO_LARGE, text, canRetry: false };
  const [title, canRetry] = PROBLEMS[error?.kind ?? "unknown"] ?? ["The response failed.", true];
  return { title, text, canRetry };
}
