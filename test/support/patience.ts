/** Waits for events and measures work, on a machine that may be busy. */
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { vi } from "vitest";

/** Milliseconds after which an event that has not happened counts as hung. Does not measure speed. */
export const PATIENCE_MS = 90_000;

/** Waits for a promise that must settle, and fails with its name if it hangs. */
export async function soon<T>(what: string, promise: Promise<T>): Promise<T> {
  const over = new AbortController();
  const hung = wait(PATIENCE_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} did not happen`);
  });
  hung.catch(() => {});
  try {
    return await Promise.race([promise, hung]);
  } finally {
    over.abort();
  }
}

/** Repeats a check until it passes. */
export function eventually<T>(check: () => T): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 5 });
}

/**
 * Lets the event loop turn, so that everything happens that needs no time to pass. If the server runs in the same
 * process, that includes what it has sent.
 */
export async function turns(count: number = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/**
 * The processor time of some work, in milliseconds, which does not depend on other processes. Limits on it distinguish
 * linear from quadratic work, at ten times the usual value or more; `bench/` measures speed.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
