/** A protocol's two functions under names of their own. No registry is asked. */
import { type ApiProvider, guardApi } from "../api-registry.js";
import type { KnownApi } from "../types/model.js";
import type { SimpleStreamOptions, StreamFunction, StreamOptions } from "../types/options.js";

export type SimpleStreamFunction<TApi extends KnownApi> = StreamFunction<TApi, SimpleStreamOptions>;

/** The function that takes the protocol's own options. */
export function nativeStream<TApi extends KnownApi, TOptions extends StreamOptions>(
  provider: ApiProvider,
): StreamFunction<TApi, TOptions> {
  // The registry's type only says that options are an object, and the guard sees to the api.
  return guardApi(provider).stream as unknown as StreamFunction<TApi, TOptions>;
}

/** The function that takes the options which mean the same everywhere. */
export function simpleStream<TApi extends KnownApi>(provider: ApiProvider): SimpleStreamFunction<TApi> {
  return guardApi(provider).streamSimple;
}
