/** Reads the limits of a provider from the headers of its response. */
import type { LearnedLimit } from "./limit-store.js";

/**
 * OpenAI and others: `x-ratelimit-*`, with resets such as `6m0.5s` (API reference, "Rate limits", 2026-11). Anthropic:
 * `anthropic-ratelimit-*`, with resets as dates (API reference, "Rate limits", 2026-11).
 */
const PREFIXES = ["x-ratelimit-", "anthropic-ratelimit-"];

/** Returns the remaining quota and its reset; undefined without such headers. Header names must be lowercase. */
export function readLimitHeaders(headers: Readonly<Record<string, string>>, now: number): LearnedLimit | undefined {
  for (const prefix of PREFIXES) {
    const isAnthropic = prefix.startsWith("anthropic");
    const read = (what: string, field: string): string | undefined =>
      headers[isAnthropic ? `${prefix}${what}-${field}` : `${prefix}${field}-${what}`];
    const requestsLeft = toCount(read("requests", "remaining"));
    const tokensLeft = toCount(read("tokens", "remaining"));
    if (requestsLeft === undefined && tokensLeft === undefined) continue;
    const what = requestsLeft === 0 ? "requests" : "tokens";
    const resetMs = toWait(read(what, "reset"), now);
    return {
      ...(requestsLeft === undefined ? {} : { requestsLeft }),
      ...(tokensLeft === undefined ? {} : { tokensLeft }),
      ...(resetMs === undefined ? {} : { resetMs }),
    };
  }
  return undefined;
}

function toCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `1m30s`, seconds, or a date. Ignores waits of more than a day as implausible. */
function toWait(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text.length > 100) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  const isDuration = parts.length > 0 && parts.map(([part]) => part).join("") === text.trim();
  const wait = isDuration
    ? parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ""] ?? 0), 0)
    : /^\d+(\.\d+)?$/.test(text.trim())
      ? Number(text) * 1000
      : Date.parse(text) - now;
  return Number.isFinite(wait) && wait <= 86_400_000 ? Math.max(0, wait) : undefined;
}
