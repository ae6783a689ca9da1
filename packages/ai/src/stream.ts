/** The four ways to call a model. */
import { getApiProvider } from "./api-registry.js";
import type { AssistantMessageEventStream } from "./event-stream/assistant-message-event-stream.js";
import { assertModel, missingModelError } from "./models/model-argument.js";
import type { ApiOptions } from "./providers/api-options.js";
import type { Context } from "./types/context.js";
import type { ContextInput } from "./types/context-input.js";
import type { AssistantMessage } from "./types/message.js";
import type { Api, Model } from "./types/model.js";
import type { ProviderStreamOptions, SimpleStreamOptions } from "./types/options.js";

/**
 * Calls a model with the options of its own api. Where the model's type names the api, as one of `getModel` does, an
 * option of another api, or a misspelt one, does not compile. At run time it is not sent, and a diagnostic of the type
 * `unknown_options` in the message says what to write.
 *
 * @param context the conversation; a string stands for one user message
 * @throws ConfigError where `model` is not a model; Error `No API provider registered for api: <api>`. Everything else
 *   is the stream's one `error` event.
 */
export function stream<TApi extends Api>(
  model: Model<TApi>,
  context: string | ContextInput,
  options?: ApiOptions<TApi>,
): AssistantMessageEventStream {
  // The type of what a registry holds says that options are read by name, and that contexts are complete: it completes them.
  return providerOf(model).stream(model, context as Context, options as ProviderStreamOptions | undefined);
}

/**
 * Sends the request and resolves with the final message. A failed request resolves too: look at `stopReason`. Rejects
 * where {@link stream} throws.
 */
export async function complete<TApi extends Api>(
  model: Model<TApi>,
  context: string | ContextInput,
  options?: ApiOptions<TApi>,
): Promise<AssistantMessage> {
  return resultOf(stream(model, context, options));
}

/** Calls a model with options that mean the same for every provider. Throws as {@link stream} does. */
export function streamSimple<TApi extends Api>(
  model: Model<TApi>,
  context: string | ContextInput,
  options?: SimpleStreamOptions,
): AssistantMessageEventStream {
  // As above.
  return providerOf(model).streamSimple(model, context as Context, options);
}

/**
 * Sends the request of {@link streamSimple} and resolves with the final message. A failed request resolves too: look at
 * `stopReason`. Rejects where {@link streamSimple} throws.
 */
export async function completeSimple<TApi extends Api>(
  model: Model<TApi>,
  context: string | ContextInput,
  options?: SimpleStreamOptions,
): Promise<AssistantMessage> {
  return resultOf(streamSimple(model, context, options));
}

type ResultSource = Pick<AssistantMessageEventStream, "result"> & Partial<AssistantMessageEventStream>;

/** The events are not read, so none are queued; a stream made elsewhere may lack the method for that. */
function resultOf(events: ResultSource): Promise<AssistantMessage> {
  return events.resultOnly ? events.resultOnly() : events.result();
}

function providerOf(model: Model): ReturnType<typeof getApiProvider> & object {
  assertModel(model);
  const provider = getApiProvider(model.api);
  if (!provider && model.api === "unknown" && model.id === "unknown") throw missingModelError();
  if (!provider) throw new Error(`No API provider registered for api: ${model.api}`);
  return provider;
}
