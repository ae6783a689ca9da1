/** The lanes of a route: each target with each of its keys, the options of a request on it, and when it may be used. */
import { ConfigError } from "../../errors.js";
import type { ErrorInfo, ErrorKind } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { isObject, isRecord } from "../../utils/is-object.js";
import { nearestName } from "../../utils/nearest-names.js";
import { isText } from "../../utils/read-text.js";
import { collectSecrets } from "../../utils/redact.js";
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
 * The limits that fit no model of the route. Routes may share a table, so the first message names them, and they are no error.
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

// When a lane may be used again, judged by its recent requests.
//
// A server that refuses a request is alive, so its lane is delayed and then takes fewer requests at the same time. How many
// follows CUBIC (RFC 9438): four fifths of those that ran when it refused, back to that number within seconds, and then
// carefully beyond it. A lane that fails in other ways is left out by the breaker, and starts with one request.

/** When the breaker opens, and for how long. */
export interface Breaker {
  failures: number;
  coolMs: number;
}

/** The kinds of errors by which a server asks for fewer requests. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set(["rate_limit", "overloaded"]);
/** Whether a server asks for fewer requests. */
export function isRefusal(error: ErrorInfo | undefined): boolean {
  return error !== undefined && REFUSALS.has(error.kind);
}

/** Kinds that are caused by the request, so that they say nothing about the next one. */
const OF_THE_REQUEST: ReadonlySet<ErrorKind> = new Set([
  "content_filter",
  "context_overflow",
  "invalid_output",
  "length",
  "tool_use",
]);
/** The longest wait that a server can impose. One request an hour is cheap, and a server may name a wait by mistake. */
const MAX_WAIT_MS = 3_600_000;
/** The first wait after a refusal without one, doubled up to the longest. */
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 16_000;
/** How far a refusal reduces the concurrent requests. Not RFC 9438's 0.7: the wait has relieved the server already. */
const REDUCTION = 0.8;
/** How fast the number grows, in requests per second cubed: from 1 to 64 in nine seconds. */
const GROWTH = 0.1;

/** Marks the start of a request, so that its failure is not counted beside others that ran at the same time. */
export type Round = number;

class LaneHealth {
  /** The provider rejected the key. */
  isRefused = false;
  /** The kind of the latest failure. */
  latest: ErrorKind | undefined;
  #running = 0;
  /** Counted failures since the last response. */
  #failures = 0;
  /** Refusals without a wait since the last response. */
  #refusals = 0;
  /** Grows with each counted failure. */
  #round: Round = 0;
  /** Until when the server or the breaker closes the lane, by the route's clock. */
  closedUntil = 0;
  /** The requests that ran when the lane refused one. */
  #peak = Number.POSITIVE_INFINITY;

  /** The time at which the lane takes one more request, by the route's clock. */
  get opensAt(): number {
    if (this.#peak === Number.POSITIVE_INFINITY) return this.closedUntil;
    const reduced = Math.max(1, this.#peak * REDUCTION);
    const seconds = Math.cbrt((this.#peak - reduced) / GROWTH) + Math.cbrt((this.#running + 1 - this.#peak) / GROWTH);
    // Rounding errors of the cube roots are far below a microsecond.
    return this.closedUntil + Math.max(0, Math.ceil(seconds * 1e6) / 1e3);
  }

  start(): Round {
    this.#running++;
    return this.#round;
  }

  end(): void {
    this.#running--;
  }

  /** Notes that a response has begun. */
  respond(): void {
    this.#failures = 0;
    this.#refusals = 0;
  }

  /** Notes a failure. Failures of requests under way at the same time count once. */
  fail(started: Round, error: ErrorInfo | undefined, breaker: Breaker, now: number): void {
    const kind = error?.kind ?? "unknown";
    const asksForLess = REFUSALS.has(kind);
    if (OF_THE_REQUEST.has(kind)) return;
    this.latest = kind;
    const asked = Math.min(error?.retryAfterMs ?? 0, MAX_WAIT_MS);
    this.#close(now + asked);
    if (started !== this.#round) return;
    this.#round++;
    if (asksForLess) this.#peak = Math.max(1, this.#running);
    // A wait of 0 does not say when the server has room.
    if (asksForLess && asked === 0) this.#close(now + this.#backOff());
    if (error?.retryAfterMs === undefined) this.#count(breaker, now);
  }

  #backOff(): number {
    return Math.min(BACKOFF_MS * 2 ** this.#refusals++, MAX_BACKOFF_MS);
  }

  #count(breaker: Breaker, now: number): void {
    this.#failures++;
    if (this.#failures < breaker.failures) return;
    this.#close(now + breaker.coolMs);
    this.#peak = 1;
  }

  #close(until: number): void {
    this.closedUntil = Math.max(this.closedUntil, until);
  }
}
