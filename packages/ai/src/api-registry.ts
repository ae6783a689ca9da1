/** The registry of apis and their stream functions. */

import { assertModel } from "./catalogue/model-argument.js";
import { assertThinkingLevel } from "./catalogue/thinking-levels.js";
import { createFailedStream } from "./driver/failed-stream.js";
import { ConfigError } from "./errors.js";
import { normalizeContext } from "./message/normalize-context.js";
import { checkOptions } from "./request/check-options.js";
import type { Context } from "./types/context.js";
import type { Api, KnownApi, Model } from "./types/model.js";
import type { ProviderStreamOptions, SimpleStreamOptions, StreamFunction, StreamOptions } from "./types/options.js";
import { processState } from "./utils/process-state.js";

/** A stream function for models and options of any API. */
export type ApiStreamFunction = StreamFunction<Api, StreamOptions>;

/** A stream function for the options that mean the same for every provider. */
export type ApiStreamSimpleFunction = StreamFunction<Api, SimpleStreamOptions>;

/** The stream functions of one api. `TOptions` is the type of its own options. */
export interface ApiProvider<TApi extends Api = Api, TOptions extends StreamOptions = ProviderStreamOptions> {
  /** The name that models carry as `api`. */
  api: TApi;
  /** Sends a request with the api's own options. */
  stream: StreamFunction<TApi, TOptions>;
  /** Sends a request with the options that mean the same for every provider. */
  streamSimple: StreamFunction<TApi, SimpleStreamOptions>;
}

interface Registration {
  provider: ApiProvider;
  sourceId: string | undefined;
}

const providers = /* @__PURE__ */ processState("apis", () => new Map<Api, Registration>());

/**
 * Registers the functions of an api and replaces earlier ones. The functions only receive models of this api.
 *
 * @param sourceId identifies the registrant, for {@link unregisterApiProviders}
 */
export function registerApiProvider<TApi extends Api, TOptions extends StreamOptions>(
  provider: ApiProvider<TApi, TOptions>,
  sourceId?: string,
): void {
  const { api, stream, streamSimple } = Object(provider);
  if (typeof api !== "string" || typeof stream !== "function" || typeof streamSimple !== "function")
    throw new ConfigError("registerApiProvider needs { api, stream, streamSimple }: a name and two functions");
  providers.set(provider.api, { provider: guardApi(provider), sourceId });
}

/**
 * Wraps the functions in the checks that every api needs. They reject a model of another api with `Mismatched api:
 * <got> expected <want>`, and thinking levels that do not exist, and normalize the context. An invalid context becomes the stream's `error` event.
 */
export function guardApi<TApi extends Api, TOptions extends StreamOptions>({
  api,
  stream,
  streamSimple,
}: ApiProvider<TApi, TOptions>): ApiProvider {
  const simple = guard(api, streamSimple);
  return {
    api,
    // The registry does not know the options of each api; it passes them on by name.
    stream: guard(api, stream) as ApiProvider["stream"],
    streamSimple: (model, context, options) => {
      assertThinkingLevel(options);
      return simple(model, context, options);
    },
  };
}

/** A named function for the options of every api. Named functions do not use the registry. */
export type SimpleStreamFunction<TApi extends KnownApi> = StreamFunction<TApi, SimpleStreamOptions>;

/** The named function of an api that takes the api's own options. */
export function nativeStream<TApi extends KnownApi, TOptions extends StreamOptions>(
  provider: ApiProvider,
): StreamFunction<TApi, TOptions> {
  // The type of the guarded function knows only that options are an object; the guard checks the api.
  return guardApi(provider).stream as unknown as StreamFunction<TApi, TOptions>;
}

/** The named function of an api that takes the options of every api. */
export function simpleStream<TApi extends KnownApi>(provider: ApiProvider): SimpleStreamFunction<TApi> {
  return guardApi(provider).streamSimple;
}

/** The functions of an api, or undefined if none are registered. */
export function getApiProvider(api: Api): ApiProvider | undefined {
  return providers.get(api)?.provider;
}

/** The functions of every registered api, in the order of registration. */
export function getApiProviders(): ApiProvider[] {
  return Array.from(providers.values(), (entry) => entry.provider);
}

/** Removes every api that was registered with this source id. */
export function unregisterApiProviders(sourceId: string): void {
  for (const [api, entry] of providers) if (entry.sourceId === sourceId) providers.delete(api);
}

/** Removes every api, the built-in ones included. */
export function clearApiProviders(): void {
  providers.clear();
}

function guard<TApi extends Api, TOptions extends StreamOptions>(
  api: TApi,
  stream: StreamFunction<TApi, TOptions>,
): StreamFunction<Api, TOptions> {
  return (model, context, options) => {
    const known = expectApi(model, api);
    let normalized: Context;
    try {
      normalized = normalizeContext(context);
      checkOptions(options);
    } catch (error) {
      return createFailedStream(known, error);
    }
    const events = stream(known, normalized, options);
    if (typeof Object(events).result !== "function")
      throw new ConfigError(
        `The stream function of the api ${api} returned no event stream. Return createAssistantMessageEventStream()`,
      );
    return events;
  };
}

function expectApi<TApi extends Api>(model: Model, api: TApi): Model<TApi> {
  assertModel(model);
  if (model.api !== api) throw new Error(`Mismatched api: ${model.api} expected ${api}`);
  return model as Model<TApi>; // checked above
}
