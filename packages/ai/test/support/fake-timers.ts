/** Time that passes when a fault says so, while sockets and the event loop are real. */
import { vi } from "vitest";
import { turns } from "../../../../test/support/patience.js";

/** Lets the client handle what it has read, and then advances the clock by this many milliseconds. */
export type Pass = (ms: number) => Promise<void>;

/** Runs with fake timers. */
export async function withFakeTimers(run: (pass: Pass) => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  try {
    await run(async (ms) => {
      await turns(100);
      vi.advanceTimersByTime(ms);
    });
  } finally {
    vi.useRealTimers();
  }
}
