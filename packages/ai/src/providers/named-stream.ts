/** Creates the two named functions of an api, which do not use the registry. */
import { type ApiProvider, guardApi } from "../api-registry.js";
import type { KnownApi } from "../types/model.js";
import type { SimpleStreamOptions, StreamFunction, StreamOptions } from "../types/options.js";

export type SimpleStreamFunction<TApi extends KnownApi> = StreamFunction<TApi, SimpleStreamOptions>;

/** The function that takes the api's own options. */
export function nativeStream<TApi extends KnownApi, TOptions extends StreamOptions>(
  provider: ApiProvider,
): StreamFunction<TApi, TOptions> {
  // The registry's type knows only that options are an object; the guard checks the api.
  return guardApi(provider).stream as unknown as StreamFunction<TApi, TOptions>;
}

/** The function that takes the options of every api. */
export function simpleStream<TApi extends KnownApi>(provider: ApiProvider): SimpleStreamFunction<TApi> {
  return guardApi(provider).streamSimple;
}
