/** What a piece of work reports. */
import type { WorkInput } from "../scenarios.ts";

export type Side = "floor" | "ours";

export interface Measured {
  /** The figure of the scenario: CPU milliseconds, wall milliseconds or kilobytes. */
  value: number;
  /** Peak resident memory of the process in megabytes, from the operating system. */
  peakMegabytes: number;
}

export type Work = (side: Side, input: WorkInput, serverUrl: string) => Promise<number>;

/** CPU time (user and system) of this process while `work` runs, in milliseconds. */
export async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
