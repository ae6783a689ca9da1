/** Formats numbers and times for the page. */

export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return "";
  // The limits are those of the rounded values: 59.96 s is 1 min 0 s, not 60.0 s.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function formatCount(count: number): string {
  if (count < 10_000) return String(Math.round(count));
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** @param cost in US dollars */
export function formatCost(cost: number): string {
  if (cost === 0) return "$0";
  if (cost < 0.00001) return "<$0.00001";
  return cost < 0.01 ? `$${Number(cost.toFixed(5))}` : `$${cost.toFixed(2)}`;
}

export function formatTime(time: number | undefined): string {
  return time === undefined ? "" : new Date(time).toLocaleTimeString();
}
