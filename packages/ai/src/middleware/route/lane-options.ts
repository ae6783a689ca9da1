/** The options with which a request goes to one lane. */
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import type { Lane } from "./lanes.js";
import { readLimitHeaders } from "./limit-headers.js";
import type { LimitStore } from "./limit-store.js";
import type { RouteClock } from "./route-options.js";

interface RoutedRequest {
  settings: { clock: RouteClock; store: LimitStore };
  /** The model with which the stream function was called. */
  asked: Model;
  options: SimpleStreamOptions;
}

/** Whether nothing but the request's `apiKeyFor` has a key for the lane: it is of another provider than the model. */
export function needsKey({ options, asked }: Pick<RoutedRequest, "asked" | "options">, lane: Lane): boolean {
  const hasOwn = lane.apiKey !== undefined || lane.options.apiKey !== undefined;
  return options.apiKeyFor !== undefined && !hasOwn && lane.model.provider !== asked.provider;
}

/**
 * Sends the credentials of the request only to the provider of its model, and learns the limits that responses report.
 *
 * @param own the signal that aborts the request on this lane, and the key that `apiKeyFor` returned for it
 */
export function laneOptions(
  { options, asked, settings }: RoutedRequest,
  lane: Lane,
  own: { signal: AbortSignal; key?: string | undefined },
): SimpleStreamOptions {
  const { apiKey, headers, ...shared } = options;
  const ofProvider =
    asked.provider === lane.model.provider ? { ...(apiKey && { apiKey }), ...(headers && { headers }) } : {};
  return {
    ...shared,
    ...ofProvider,
    ...(own.key && { apiKey: own.key }),
    maxRetries: 0,
    ...lane.options,
    ...(lane.apiKey === undefined ? {} : { apiKey: lane.apiKey }),
    signal: own.signal,
    onResponse: async (response, model) => {
      const { clock } = settings;
      const learned = readLimitHeaders(response.headers, clock.date?.() ?? Date.now());
      const { limit } = lane;
      if (learned && limit) await settings.store.learn(limit.key, learned, limit.limit, clock.now());
      await (lane.options.onResponse ?? options.onResponse)?.(response, model);
    },
  };
}
