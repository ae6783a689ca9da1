/** The registry of apis and their functions. */
import { checkOptions } from "./input/check-options.js";
import { normalizeContext } from "./input/normalize-context.js";
import { assertModel } from "./models/model-argument.js";
import { createFailedStream } from "./runtime/failed-stream.js";
import type { Context } from "./types/context.js";
import type { Api, Model } from "./types/model.js";
import type { ProviderStreamOptions, SimpleStreamOptions, StreamFunction, StreamOptions } from "./types/options.js";

/** A stream function for models and options of any API. */
export type ApiStreamFunction = StreamFunction<Api, StreamOptions>;

/** A stream function for the options that mean the same everywhere. */
export type ApiStreamSimpleFunction = StreamFunction<Api, SimpleStreamOptions>;

/** The functions of one api. `TOptions` are its own options. */
export interface ApiProvider<TApi extends Api = Api, TOptions extends StreamOptions = ProviderStreamOptions> {
  /** The name that models carry as `api`. */
  api: TApi;
  /** Calls a model with the API's own options. */
  stream: StreamFunction<TApi, TOptions>;
  /** Calls a model with the options that mean the same everywhere. */
  streamSimple: StreamFunction<TApi, SimpleStreamOptions>;
}

const providers = new Map<Api, { provider: ApiProvider; sourceId: string | undefined }>();

/**
 * Registers the functions of an API, in place of those it had. Both are given models of this api only.
 *
 * @param sourceId names the registrant, for {@link unregisterApiProviders}
 */
export function registerApiProvider<TApi extends Api, TOptions extends StreamOptions>(
  provider: ApiProvider<TApi, TOptions>,
  sourceId?: string,
): void {
  providers.set(provider.api, { provider: guardApi(provider), sourceId });
}

/**
 * The same functions behind the checks that every api has in common. They refuse a model of another api, `Mismatched api:
 * <got> expected <want>`, and take a context in every form that callers may write; one that cannot be read becomes the
 * stream's `error` event.
 */
export function guardApi<TApi extends Api, TOptions extends StreamOptions>({
  api,
  stream,
  streamSimple,
}: ApiProvider<TApi, TOptions>): ApiProvider {
  return {
    api,
    // A registry cannot know the options of each api: they are read by name.
    stream: guard(api, stream) as ApiProvider["stream"],
    streamSimple: guard(api, streamSimple),
  };
}

/** The functions of an API, or undefined where none are registered. */
export function getApiProvider(api: Api): ApiProvider | undefined {
  return providers.get(api)?.provider;
}

/** The functions of every registered API, in the order of registration. */
export function getApiProviders(): ApiProvider[] {
  return Array.from(providers.values(), (entry) => entry.provider);
}

/** Removes every API that was registered with this source id. */
export function unregisterApiProviders(sourceId: string): void {
  for (const [api, entry] of providers) if (entry.sourceId === sourceId) providers.delete(api);
}

/** Removes every API, the built-in ones too. */
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
    return stream(known, normalized, options);
  };
}

function expectApi<TApi extends Api>(model: Model, api: TApi): Model<TApi> {
  assertModel(model);
  if (model.api !== api) throw new Error(`Mismatched api: ${model.api} expected ${api}`);
  return model as Model<TApi>; // just compared
}
