/** Requests plain text, for scripts. */
import { normalizeContext } from "../message/index.js";
import { streamSimple } from "../stream.js";
import type { ContextInput } from "../types/context-input.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamFn } from "../types/options.js";
import { messageText } from "../utils/message-facts.js";
import { isRetryableAssistantError } from "../utils/retryable.js";
import { findFailure } from "./find-failure.js";
import { OutputError } from "./output-error.js";

/** Options of {@link completeText}. */
export interface TextOptions extends SimpleStreamOptions {
  /** Sends the request. Default: `streamSimple`. */
  streamFn?: StreamFn | undefined;
}

/**
 * Sends a request and resolves with the text of the response.
 *
 * @param context the conversation; a string is short for one user message
 * @throws OutputError if the request failed or was aborted, if the model refused (`content_filter`), if the response is incomplete (`length`), or if the model
 * called a tool (`tool_use`); the response is on the error
 *
 * @example
 * const text = await completeText(getModel("anthropic", "claude-sonnet-5-5"), "Write a haiku about rain.");
 */
export async function completeText(
  model: Model,
  context: string | ContextInput,
  options: TextOptions = {},
): Promise<string> {
  const { streamFn = streamSimple, ...rest } = options;
  const source = await streamFn(model, normalizeContext(context), rest);
  const message = await (source.resultOnly ? source.resultOnly() : source.result());
  const failure = findFailure(message);
  const facts = { responses: [message], usage: message.usage, retryable: isRetryableAssistantError(message) };
  if (failure) throw new OutputError({ ...facts, ...failure });
  if (message.stopReason === "toolUse") {
    throw new OutputError({
      ...facts,
      kind: "tool_use",
      message: "The model called a tool instead of responding with text",
    });
  }
  return messageText(message);
}
