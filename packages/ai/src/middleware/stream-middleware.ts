/** Middleware around stream functions: how a list of it becomes one function, and how one watches or changes a response. */
import { ConfigError } from "../errors.js";
import type { AssistantMessageEventStream } from "../message/index.js";
import type { StreamFn } from "../types/options.js";

/**
 * Makes a stream function of another one: it may change the request, send it elsewhere, more than once or not at all, and
 * watch or change the response, see `mapStream`. `watchCache` is one; others take options, such as
 * `(next) => traceStream(next, { api })`.
 */
export type StreamMiddleware = (next: StreamFn) => StreamFn;

/**
 * The type of a stream function with something around it. One that returns a stream of this library at once still does, and
 * takes the same arguments; one that does without some of them takes all.
 */
export type WrappedStreamFn<TFunction extends StreamFn> =
  ReturnType<TFunction> extends AssistantMessageEventStream
    ? (
        ...request: Parameters<TFunction>["length"] extends 0 | 1 | 2 ? Parameters<StreamFn> : Parameters<TFunction>
      ) => AssistantMessageEventStream
    : StreamFn;

/**
 * Puts middleware around a stream function. The first of the list is the outermost: it sees a request before the others,
 * and the response after them.
 *
 * @throws ConfigError if the base or an entry of the list is not a function
 *
 * @example
 * const streamFn = composeStreams(streamSimple, [(next) => traceStream(next, { api }), watchCache]);
 */
export function composeStreams(base: StreamFn, middleware: readonly StreamMiddleware[]): StreamFn {
  checkStreamFn("composeStreams", base);
  return middleware.reduceRight<StreamFn>((next, wrap, index) => {
    const wrapped: unknown = typeof wrap === "function" ? wrap(next) : undefined;
    if (typeof wrapped === "function") return wrapped as StreamFn; // the type of the entry promises the rest
    throw new ConfigError(`composeStreams: entry ${index} of the list must take a stream function and return one`);
  }, base);
}

/**
 * JavaScript callers may pass anything.
 *
 * @throws ConfigError that names the caller
 */
export function checkStreamFn(caller: string, streamFn: unknown): void {
  if (typeof streamFn !== "function") throw new ConfigError(`${caller} needs a stream function, such as streamSimple`);
}
