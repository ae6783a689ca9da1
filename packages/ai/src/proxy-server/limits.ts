/** The bounds of a relay: defaults, and a check of what the operator sets. */
import { ConfigError } from "../errors.js";
import { checkDuration } from "../utils/duration.js";
import type { ProxyLimits } from "./options.js";

type RequiredLimits = Required<Omit<ProxyLimits, "maxTokens" | "timeoutMs">>;

export type ResolvedLimits = ProxyLimits & RequiredLimits;

const DEFAULT_LIMITS: RequiredLimits = {
  maxBodyBytes: 20 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  maxDepth: 100,
  maxMessages: 10_000,
  maxTools: 1000,
  maxServerTools: 0,
  stallTimeoutMs: 60_000,
  // Bun closes a connection after ten seconds of silence.
  keepAliveMs: 5000,
};

const DURATIONS = ["bodyTimeoutMs", "stallTimeoutMs", "keepAliveMs", "timeoutMs"] as const;

/** The Responses API rejects a smaller `max_output_tokens` (OpenAI, API reference, 2026-11). */
const MIN_MAX_TOKENS = 16;

/** @throws ConfigError for a limit that cannot be enforced */
export function resolveLimits(given: ProxyLimits = {}): ResolvedLimits {
  const limits: ResolvedLimits = { ...DEFAULT_LIMITS, ...withoutUndefined(given) };
  for (const name of DURATIONS) {
    const duration = limits[name];
    if (duration !== undefined) checkDuration(`limits.${name}`, duration);
  }
  const { maxTokens } = limits;
  if (maxTokens === Number.POSITIVE_INFINITY) delete limits.maxTokens;
  else if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= MIN_MAX_TOKENS)) {
    throw new ConfigError(`limits.maxTokens must be an integer of at least ${MIN_MAX_TOKENS}, got ${maxTokens}`);
  }
  return limits;
}

/** A limit that is explicitly undefined has its default. */
function withoutUndefined(limits: ProxyLimits): ProxyLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
