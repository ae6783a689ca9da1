/** The lanes of a route: each target with each of its keys, and its recent failures. */
import { ConfigError } from "../errors.js";
import { collectSecrets } from "../transport/redact.js";
import type { ErrorInfo } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { isObject } from "../utils/is-object.js";
import { isText } from "../utils/is-text.js";
import type { RouteLimit } from "./limit-store.js";
import type { RouteOptions, RouteTarget } from "./route-options.js";

/** One target with one key. */
export interface Lane {
  readonly model: Model;
  readonly options: SimpleStreamOptions;
  readonly apiKey: string | undefined;
  /** The limit that counts its requests, and its name. */
  readonly limit: { key: string; limit: RouteLimit } | undefined;
  /** The provider rejected the key. */
  refused: boolean;
  /** Failures since the last response. */
  failures: number;
  /** The lane is skipped until this time, in Unix milliseconds. */
  closedUntil: number;
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
      refused: false,
      failures: 0,
      closedUntil: 0,
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
 */
export function collectLaneSecrets({ lanes, asked, options }: LaneUse): string[] {
  const all = lanes.flat();
  const keys = all.flatMap((lane) => [lane.apiKey, lane.options.apiKey]);
  const headers = all.flatMap((lane) => [lane.options.headers, lane.model.headers]);
  return collectSecrets([options.apiKey, ...keys], options.headers, asked.headers, ...headers);
}

/** The lanes of a request, the model with which the stream function was called, and its options. */
interface LaneUse {
  lanes: readonly (readonly Lane[])[];
  asked: Model;
  options: SimpleStreamOptions;
}

/** Decides how long a lane is skipped after a failure. */
export function closeLane(
  lane: Lane,
  error: ErrorInfo | undefined,
  { breaker, now }: { breaker: { failures: number; coolMs: number }; now: number },
): void {
  if (lane.apiKey !== undefined && (error?.kind === "auth" || error?.kind === "permission")) lane.refused = true;
  lane.failures++;
  const asked = error?.retryAfterMs ?? 0;
  const cool = lane.failures >= breaker.failures ? breaker.coolMs : 0;
  lane.closedUntil = Math.max(lane.closedUntil, now + Math.max(asked, cool));
}
