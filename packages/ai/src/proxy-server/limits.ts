/** The bounds of a relay: defaults, and a check of what the operator sets. */
import { ConfigError } from "../errors.js";
import type { ProxyLimits } from "./options.js";

type RequiredLimits = Required<Omit<ProxyLimits, "maxTokens" | "timeoutMs">>;

export type ResolvedLimits = ProxyLimits & RequiredLimits;

const DEFAULT_LIMITS: RequiredLimits = {
  maxBodyBytes: 20 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  maxDepth: 100,
  maxMessages: 10_000,
  maxTools: 1000,
  stallTimeoutMs: 60_000,
  // Bun closes a connection after ten seconds of silence.
  keepAliveMs: 5000,
};

const DURATIONS = ["bodyTimeoutMs", "stallTimeoutMs", "keepAliveMs", "timeoutMs"] as const;

/** The longest delay that a timer takes, 24 days. A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The Responses API takes no smaller `max_output_tokens` (OpenAI, API reference, 2026-11). */
const SMALLEST_MAX_TOKENS = 16;

/** @throws ConfigError for a limit that cannot be kept */
export function resolveLimits(given: ProxyLimits = {}): ResolvedLimits {
  const limits: ResolvedLimits = { ...DEFAULT_LIMITS, ...withoutUndefined(given) };
  for (const name of DURATIONS) {
    const duration = limits[name];
    if (duration !== undefined) limits[name] = toTimerDelay(`limits.${name}`, duration);
  }
  const { maxTokens } = limits;
  if (maxTokens === Number.POSITIVE_INFINITY) delete limits.maxTokens;
  else if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= SMALLEST_MAX_TOKENS)) {
    throw new ConfigError(`limits.maxTokens must be an integer of at least ${SMALLEST_MAX_TOKENS}, got ${maxTokens}`);
  }
  return limits;
}

/**
 * A duration that `setTimeout` takes. `Infinity`, and anything longer than a timer can hold, becomes the longest delay.
 *
 * @throws ConfigError for a negative duration or `NaN`
 */
export function toTimerDelay(name: string, ms: number): number {
  if (!(ms >= 0)) throw new ConfigError(`${name} must be 0 or more milliseconds, got ${ms}`);
  return Math.min(ms, LONGEST_TIMER_MS);
}

/** A limit that is explicitly undefined has its default. */
function withoutUndefined(limits: ProxyLimits): ProxyLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
