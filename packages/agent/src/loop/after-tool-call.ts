/** Applies the result of `afterToolCall` to the outcome of a call. */

import type { AgentToolCallOutcome } from "../types/tool.js";
import type { AfterToolCallResult } from "../types/tool-call-hooks.js";
import { copyContent, isContent } from "./tool-result.js";

/**
 * The outcome with the fields that the hook returned. A hook that returns no object changes nothing.
 *
 * @throws Error when the hook's content is not an array of blocks
 */
export function applyAfterHook(outcome: AgentToolCallOutcome, response: unknown): AgentToolCallOutcome {
  if (typeof response !== "object" || response === null) return outcome;
  // Each field is optional and checked below where a wrong one could do harm.
  const change: AfterToolCallResult = response;
  const { result } = outcome;
  const content = change.content ?? result.content;
  if (!isContent(content)) throw new Error("afterToolCall must return content as an array of text and image blocks");
  const terminate = change.terminate ?? result.terminate;
  const output = change.output ?? result.output;
  return {
    ...outcome,
    result: {
      content: content === result.content ? content : copyContent(content),
      details: change.details ?? result.details,
      ...(terminate === undefined ? {} : { terminate }),
      ...(output === undefined ? {} : { output }),
    },
    isError: change.isError ?? outcome.isError,
  };
}
