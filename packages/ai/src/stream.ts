/**
 * The functions that send a request through a registered api, and the registry, without the built-in apis. Importing the
 * root of the package registers those; a small bundle registers the apis that it needs.
 *
 * @example
 * registerApiProvider({ api: "anthropic-messages", stream: streamAnthropic, streamSimple: streamSimpleAnthropic });
 *
 * @module pi-ai/stream
 */
import { getApiProvider } from "./api-registry.js";
import { isPlaceholderModel } from "./catalogue/compat/placeholder-model.js";
import { assertModel, missingModelError } from "./catalogue/model-argument.js";
import type { AssistantMessageEventStream } from "./message/response-stream.js";
import type { OptionsByApi } from "./providers/options-by-api.generated.js";
import type { Context } from "./types/context.js";
import type { ContextInput } from "./types/context-input.js";
import type { AssistantMessage } from "./types/message.js";
import type { Api, KnownApi, Model } from "./types/model.js";
import type { ProviderStreamOptions, SimpleStreamOptions, StreamOptions } from "./types/options.js";

export {
  type ApiProvider,
  getApiProvider,
  getApiProviders,
  registerApiProvider,
  unregisterApiProviders,
} from "./api-registry.js";

/**
 * Sends a request with the options of the model's own api. If the type of the model names the api, as with `getModel`,
 * an option of another api or a misspelt option does not compile. At run time such an option is not sent, and the
 * message gets a diagnostic of type `unknown_options` that says what to write instead.
 *
 * @param context the conversation; a string is short for one user message
 * @throws ConfigError if `model` is not a model; Error `No API provider registered for api: <api>`. Every other failure
 * is the stream's `error` event.
 */
export function stream<TApi extends Api>(
  model: Model<TApi>,
  context: string | ContextInput,
  options?: ApiOptions<TApi>,
): AssistantMessageEventStream {
  // A registered function has a wider type: it reads options by name and expects a complete context, which the registry
  // provides.
  return providerOf(model).stream(model, context as Context, options as ProviderStreamOptions | undefined);
}

/**
 * Sends the request and resolves with the final message. It also resolves if the request fails: check `stopReason`.
 * Rejects if {@link stream} throws.
 */
export async function complete<TApi extends Api>(
  model: Model<TApi>,
  context: string | ContextInput,
  options?: ApiOptions<TApi>,
): Promise<AssistantMessage> {
  return resultOf(stream(model, context, options));
}

/**
 * Sends a request with options that mean the same for every provider. Throws as {@link stream} does, and a ConfigError for a
 * level of `reasoning` that does not exist.
 */
export function streamSimple<TApi extends Api>(
  model: Model<TApi>,
  context: string | ContextInput,
  options?: SimpleStreamOptions,
): AssistantMessageEventStream {
  // See `stream`.
  return providerOf(model).streamSimple(model, context as Context, options);
}

/**
 * Sends the request of {@link streamSimple} and resolves with the final message. It also resolves if the request fails:
 * check `stopReason`. Rejects if {@link streamSimple} throws.
 */
export async function completeSimple<TApi extends Api>(
  model: Model<TApi>,
  context: string | ContextInput,
  options?: SimpleStreamOptions,
): Promise<AssistantMessage> {
  return resultOf(streamSimple(model, context, options));
}

type ResultSource = Pick<AssistantMessageEventStream, "result"> & Partial<AssistantMessageEventStream>;

/** Nothing reads the events, so they are not queued. A custom stream may lack the method that discards them. */
function resultOf(events: ResultSource): Promise<AssistantMessage> {
  return events.resultOnly ? events.resultOnly() : events.result();
}

function providerOf(model: Model): ReturnType<typeof getApiProvider> & object {
  assertModel(model);
  const provider = getApiProvider(model.api);
  if (!provider && isPlaceholderModel(model)) throw missingModelError();
  if (!provider) throw new Error(`No API provider registered for api: ${model.api}`);
  return provider;
}

/**
 * The options of `stream` and `complete` for a model of this api: those of a built-in api, or any options for a custom
 * api and for a model whose api is only known at run time. The union with `StreamOptions` serves functions that are
 * generic over the api.
 */
export type ApiOptions<TApi extends Api> = StreamOptions | OwnApiOptions<TApi>;

type OwnApiOptions<TApi extends Api> = string extends TApi
  ? ProviderStreamOptions
  : TApi extends KnownApi
    ? OptionsByApi[TApi]
    : ProviderStreamOptions;
