/** Requests one object, or one text, and repairs it if needed. */
import { normalizeContext } from "../request/index.js";
import { streamSimple } from "../stream.js";
import type { ContextInput } from "../types/context.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamFn } from "../types/options.js";
import { messageText } from "../utils/message-facts.js";
import { isRetryableAssistantError } from "../utils/retryable.js";
import { OutputError } from "./output-error.js";
import { findFailure, type ResponseFailure } from "./output-plan.js";
import type { ObjectOf } from "./output-schema.js";
import { createJob, type ObjectOptions, type ObjectResult, runAttempts } from "./run-attempts.js";

/**
 * Requests an output that fits a schema, and resolves when it does. An output that does not fit goes back to the model
 * `maxRepairs` times. The value is never converted to fit; only a schema's own transforms change it.
 *
 * @param context the conversation; a string is short for one user message
 * @throws ConfigError before anything is sent, if the schema or an option cannot be used
 * @throws OutputError if there is no valid output; its `kind` says why
 *
 * @example
 * const schema = Type.Object({ city: Type.String(), population: Type.Integer() });
 * const { object } = await completeObject(model, "The largest city of France?", { schema });
 * console.log(object.city, object.population);
 */
export async function completeObject<const TSchema extends object>(
  model: Model,
  context: string | ContextInput,
  options: ObjectOptions<TSchema>,
): Promise<ObjectResult<ObjectOf<TSchema>>> {
  const updates = runAttempts(createJob(model, context, options), false);
  for (;;) {
    const { done, value } = await updates.next();
    if (done) return value;
  }
}

// Requests plain text, for scripts.

/** Options of {@link completeText}. */
export interface TextOptions extends SimpleStreamOptions {
  /** Sends the request. Default: `streamSimple`. */
  streamFn?: StreamFn | undefined;
}

const CALLED_TOOL: ResponseFailure = {
  kind: "tool_use",
  message: "The model called a tool instead of responding with text",
};

/**
 * Sends a request and resolves with the text of the response.
 *
 * @param context the conversation; a string is short for one user message
 * @throws OutputError if the request failed or was aborted, if the model refused (`content_filter`), if the response is incomplete (`length`), or if the model
 * called a tool (`tool_use`); the response is on the error
 *
 * @example
 * const text = await completeText(getModel("anthropic", "claude-sonnet-4-6"), "Write a haiku about rain.");
 */
export async function completeText(
  model: Model,
  context: string | ContextInput,
  options: TextOptions = {},
): Promise<string> {
  const { streamFn = streamSimple, ...rest } = options;
  const source = await streamFn(model, normalizeContext(context), rest);
  const message = await (source.resultOnly ? source.resultOnly() : source.result());
  const failure = findFailure(message) ?? (message.stopReason === "toolUse" ? CALLED_TOOL : undefined);
  if (!failure) return messageText(message);
  const retryable = isRetryableAssistantError(message);
  throw new OutputError({ ...failure, responses: [message], usage: message.usage, retryable });
}
