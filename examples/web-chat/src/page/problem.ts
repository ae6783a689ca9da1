/** What to tell a person about a failure, and whether trying again may help. */
import type { AgentMessage } from "pi-agent";
import type { ErrorKind } from "pi-ai";

export interface Problem {
  title: string;
  text: string;
  canRetry: boolean;
}

const PROBLEMS: Partial<Record<ErrorKind, [title: string, canRetry: boolean]>> = {
  auth: ["Your session is not valid. Reload the page to get a new one.", false],
  permission: ["You may not use this model.", false],
  not_found: ["There is no such model, or no chat at this address.", false],
  invalid_request: ["This cannot be sent. Start a new chat.", false],
  context_overflow: ["The conversation is too long for this model. Start a new one.", false],
  content_filter: ["The provider does not want to answer this.", false],
  rate_limit: ["Too many requests. Wait a moment.", true],
  overloaded: ["The model is busy. Wait a moment.", true],
  network: ["The server cannot be reached. Check your connection.", true],
  timeout: ["The server took too long to answer.", true],
  protocol: ["The connection was lost before the answer was complete.", true],
};

const TOO_LARGE: Problem["title"] = "The conversation is too large to send. Start a new one, or send smaller images.";

const INTERRUPTED: Problem = { title: "The answer was interrupted.", text: "", canRetry: true };

/** What is wrong with a conversation in which nothing is going on. */
export function findProblem(messages: readonly AgentMessage[]): Problem | undefined {
  const last = messages.at(-1);
  if (!last) return undefined;
  // A question without an answer, or a call without its result: the page was closed in between.
  if (last.role !== "assistant" || last.stopReason === "toolUse") return INTERRUPTED;
  if (last.stopReason !== "error") return undefined;
  const { error, errorMessage: text = "" } = last;
  if (error?.status === 413) return { title: TOO_LARGE, text, canRetry: false };
  const [title, canRetry] = PROBLEMS[error?.kind ?? "unknown"] ?? ["The answer failed.", true];
  return { title, text, canRetry };
}
