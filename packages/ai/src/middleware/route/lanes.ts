/** The lanes of a route: each target with each of its keys, and the options of a request on it. */
import { ConfigError } from "../../errors.js";
import { collectSecrets } from "../../transport/index.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { isObject } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";
import { LaneHealth } from "./lane-health.js";
import { type LimitStore, type RouteLimit, readLimitHeaders } from "./limit-store.js";
import type { RouteClock, RouteOptions, RouteTarget } from "./route-options.js";

/** One target with one key. */
export interface Lane {
  readonly model: Model;
  readonly options: SimpleStreamOptions;
  readonly apiKey: string | undefined;
  /** The limit that counts its requests, and its name. */
  readonly limit: { key: string; limit: RouteLimit } | undefined;
  readonly health: LaneHealth;
}

/** The lanes of each target, in the order of the targets. */
export function createLanes(
  entries: readonly (Model | RouteTarget)[],
  limits: RouteOptions["limits"] = {},
): readonly (readonly Lane[])[] {
  if (!Array.isArray(entries) || entries.length === 0) {
    throw new ConfigError("route needs a list of models, such as route([sonnet, { model: gpt }]).");
  }
  return entries.map((entry: Model | RouteTarget, index) => {
    const target = isObject(entry) && "model" in entry ? entry : { model: entry };
    const { model, options = {}, apiKeys = [] } = target;
    if (!isText(model?.id) || !isText(model.provider)) {
      throw new ConfigError(
        `route: entry ${index} must be a model or { model, options, apiKeys }. getModel returns undefined for an id that it does not know.`,
      );
    }
    const keys = apiKeys.length > 0 ? apiKeys : [options.apiKey];
    return keys.map((apiKey, place) => ({
      model,
      options,
      apiKey,
      limit: findLimit(model, limits, keys.length > 1 ? `#${place + 1}` : ""),
      health: new LaneHealth(),
    }));
  });
}

/** Finds the limit with the most specific pattern; `*` matches anything. */
function findLimit(model: Model, limits: Readonly<Record<string, RouteLimit>>, suffix: string): Lane["limit"] {
  const name = `${model.provider}/${model.id}`;
  const patterns = Object.keys(limits).filter((pattern) => matches(pattern, name));
  const best = patterns.toSorted((a, b) => b.replaceAll("*", "").length - a.replaceAll("*", "").length)[0];
  const limit = best === undefined ? undefined : limits[best];
  return best === undefined || !limit ? undefined : { key: `${best}${suffix}`, limit };
}

function matches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return name.length - part.length >= from && name.endsWith(part);
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from === name.length;
}

/**
 * Returns the values that must not appear in the text of a failure: a custom stream function or store may quote a key that
 * it received.
 *
 * @param askedKeys the keys that `apiKeyFor` has returned
 */
export function collectLaneSecrets({ lanes, asked, options }: LaneUse, askedKeys: readonly string[]): string[] {
  const all = lanes.flat();
  const keys = all.flatMap((lane) => [lane.apiKey, lane.options.apiKey]);
  const headers = all.flatMap((lane) => [lane.options.headers, lane.model.headers]);
  return collectSecrets([options.apiKey, ...keys, ...askedKeys], options.headers, asked.headers, ...headers);
}

/** The lanes of a request, the model with which the stream function was called, and its options. */
interface LaneUse {
  lanes: readonly (readonly Lane[])[];
  asked: Model;
  options: SimpleStreamOptions;
}

// The options of a request.

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
