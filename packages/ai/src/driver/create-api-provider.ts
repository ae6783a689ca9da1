/** Makes the functions of an api from its adapter. */
import type { ApiProvider } from "../api-registry.js";
import type { Api } from "../types/model.js";
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
      runAdapter({ model, context, options, known: STREAM_OPTIONS, loadAdapter, toNative: () => options }),
    streamSimple: (model, context, options = {}) =>
      runAdapter({
        model,
        context,
        options,
        known: SIMPLE_OPTIONS,
        level: options.reasoning,
        loadAdapter,
        toNative: (adapter) => adapter.simpleOptions(model, options),
      }),
  };
}
