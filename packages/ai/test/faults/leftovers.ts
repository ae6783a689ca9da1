/** Measures what requests leave behind in the process. */
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

/** The bytes in use after garbage collection. */
export async function heapUsed(): Promise<number> {
  setFlagsFromString("--expose-gc");
  // The flag adds this function only to contexts that are created after it is set.
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 4; round++) {
    collect();
    await wait(10);
  }
  return process.memoryUsage().heapUsed;
}
