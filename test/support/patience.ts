/** Waiting for what must happen, and measuring work, on a machine that may be busy with something else. */
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { vi } from "vitest";

/** Milliseconds after which something that has not happened counts as hung. It says nothing about speed. */
export const PATIENCE_MS = 90_000;

/** Waits for a promise that must settle, and fails with its name where it hangs. */
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
 * Lets the event loop turn, so that everything happens that needs no time to pass. Where the server lives in the same
 * process, that includes what it has sent.
 */
export async function turns(count: number = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/**
 * The processor time that work takes, in milliseconds. Other processes do not change it, however busy they keep the
 * machine. Bounds on it separate linear work from quadratic, at ten times the usual value or more; speed is measured in
 * `bench/`.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
