/** What to tell a person about a failure, and whether trying again may help. */
import type { ErrorKind } from "pi-ai";

export interface Problem {
  title: string;
  text: string;
  canRetry: boolean;
}

const PROBLEMS: Partial<Record<ErrorKind, [title: string, canRetry: boolean]>> = {
  auth: ["Your session is not valid. Reload the page to get a new one.", false],
  permission: ["You may not use this model.", false],
  context_overflow: ["The conversation is too long for this model. Start a new one.", false],
  rate_limit: ["Too many requests. Wait a moment.", true],
  overloaded: ["The model is busy. Wait a moment.", true],
  network: ["The server cannot be reached. Check your connection.", true],
  timeout: ["The server took too long to answer.", true],
  protocol: ["The connection was lost before the answer was complete.", true],
};

export function describeProblem(kind: ErrorKind | undefined, message: string): Problem {
  const [title, canRetry] = PROBLEMS[kind ?? "unknown"] ?? ["The answer failed.", true];
  return { title, text: message, canRetry };
}
