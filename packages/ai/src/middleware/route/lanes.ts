/** The lanes of a route: each target with each of its keys, the options of a request on it, and when it may be used. */
import { ConfigError } from "../../errors.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { isObject, isRecord } from "../../utils/is-object.js";
import { nearestName } from "../../utils/nearest-names.js";
import { isText } from "../../utils/read-text.js";
import { collectSecrets } from "../../utils/redact.js";
import { LaneHealth } from "./lane-health.js";
import type { RouteLimit } from "./limit-store.js";
import type { RouteOptions, RouteTarget } from "./route-options.js";

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
    checkTarget(target, index);
    const { model, options = {}, apiKeys = [] } = target;
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

/** Another key of a target comes first for each request. */
export function rotate(lanes: readonly Lane[], turn: number): readonly Lane[] {
  const first = turn % lanes.length;
  return first === 0 ? lanes : [...lanes.slice(first), ...lanes.slice(0, first)];
}

const TARGET_FIELDS = ["model", "options", "apiKeys"];

function checkTarget(target: RouteTarget, index: number): void {
  const { model, options, apiKeys } = target;
  if (!isText(model?.id) || !isText(model.provider))
    throw new ConfigError(
      `route: entry ${index} must be a model or { model, options, apiKeys }. getModel returns undefined for an id that it does not know.`,
    );
  const wrong = Object.keys(target).find((name) => !TARGET_FIELDS.includes(name));
  if (wrong !== undefined)
    throw new ConfigError(`route: entry ${index} has the unknown field "${wrong}". Write { model, options, apiKeys }.`);
  if (options !== undefined && !isRecord(options))
    throw new ConfigError(`route: the options of entry ${index} must be an object.`);
  if (apiKeys !== undefined && !(Array.isArray(apiKeys) && apiKeys.every((key) => isText(key))))
    throw new ConfigError(`route: the apiKeys of entry ${index} must be a list of keys, none of them empty.`);
}

/**
 * Returns the limits that fit no model of the route. They may be those of another route with the same table, so the first message
 * names them.
 *
 * @throws ConfigError for a limit that fits no model of any route, and for one that is likely misspelt
 */
export function findIdleLimits(
  limits: RouteOptions["limits"] = {},
  lanes: readonly (readonly Lane[])[],
): readonly string[] {
  const names = lanes.flatMap(([lane]) => (lane ? [nameOf(lane.model)] : []));
  const idle = Object.keys(limits).filter((pattern) => !names.some((name) => matches(pattern, name)));
  const wrong = idle.find((pattern) => !/[/*]/.test(pattern) || isMisspelt(providerOf(pattern), names));
  if (wrong !== undefined)
    throw new ConfigError(`route: limits["${wrong}"] fits no model of the route. They are ${names.join(", ")}.`);
  return idle;
}

function providerOf(name: string): string {
  return name.split("/", 1)[0] ?? "";
}

/** The shortest name that is compared: xai and zai are two providers. */
const MIN_COMPARED = 5;

function isMisspelt(provider: string, names: readonly string[]): boolean {
  const near = provider.length < MIN_COMPARED ? undefined : nearestName(provider, names.map(providerOf));
  return near !== undefined && near !== provider;
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

/** Finds the limit with the most specific pattern; `*` matches anything. */
function findLimit(model: Model, limits: Readonly<Record<string, RouteLimit>>, suffix: string): Lane["limit"] {
  const name = nameOf(model);
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
