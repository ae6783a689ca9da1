/** Makes the functions of an api from its adapter. */
import type { ApiProvider } from "../api-registry.js";
import type { Api, ModelThinkingLevel } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import type { ApiAdapter } from "./api-adapter.js";
import { SIMPLE_OPTIONS, STREAM_OPTIONS } from "./option-names.js";
import { runAdapter } from "./run-adapter.js";

/** Creates the functions that `registerApiProvider` takes from an adapter. */
export function createApiProvider(adapter: ApiAdapter): ApiProvider {
  return createLazyApiProvider(adapter.api, () => adapter);
}

/** The same for an adapter that is loaded by the first request. If loading fails, the next request tries again. */
export function createLazyApiProvider(api: Api, loadAdapter: () => ApiAdapter | Promise<ApiAdapter>): ApiProvider {
  return {
    api,
    stream: (model, context, options = {}) =>
      runAdapter({ model, context, options, shared: STREAM_OPTIONS, loadAdapter, toNative: () => options }),
    streamSimple: (model, context, options = {}) =>
      runAdapter({
        model,
        context,
        options,
        shared: SIMPLE_OPTIONS,
        level: options.reasoning ?? "off",
        loadAdapter,
        toNative: (adapter, level) => adapter.simpleOptions(model, withLevel(options, level)),
      }),
  };
}

/** The options with the level that a conversation began with. */
function withLevel(options: SimpleStreamOptions, level: ModelThinkingLevel | undefined): SimpleStreamOptions {
  if (level === undefined || level === (options.reasoning ?? "off")) return options;
  const { reasoning: _now, ...rest } = options;
  return level === "off" ? rest : { ...rest, reasoning: level };
}
