/** What a piece of work is given, and what it reports. */
import type { Client } from "../clients/client.ts";
import type { WorkInput } from "../scenarios.ts";

export interface Figures {
  /** What the scenario compares: CPU milliseconds of one run in a warm process, wall milliseconds or kilobytes. */
  value: number;
  /** CPU milliseconds of the second run of the process. */
  second?: number;
  /** CPU milliseconds of the whole process from its start to the end of its first run: boot, imports and cold code. */
  cold?: number;
  /** Memory that each of many streams at once takes at the peak, in kilobytes. */
  kilobytesEach?: number;
  /** Properties, and whether they hold. */
  checks?: Record<string, boolean>;
}

/** One process. */
export interface Measured extends Figures {
  /** Peak resident memory of the process in megabytes, from the operating system. */
  peakMegabytes: number;
}

export interface WorkContext {
  /** `floor`, `ours` or the name of a peer. */
  side: string;
  client: Client;
  input: WorkInput;
  serverUrl: string;
}

export type Work = (context: WorkContext) => Promise<Figures>;

/** CPU milliseconds that runs take at least between the second and the measured ones: until the cost falls no more. */
const WARM_UP = 800;
/** CPU milliseconds that the measured runs take at least, together. */
const MEASURED = 200;
/** A run that takes this long has warmed itself. */
const LONG = 500;

/**
 * CPU time of a run: of the first with everything before it, of the second, and of those that come when the process is
 * warm. Short work is run many times and its sum divided, so that the garbage of each run is paid for. It is never
 * collected by force: the compiler then forgets shapes of objects that none is left of, and its code with them.
 */
export async function measureCost(run: () => Promise<unknown>): Promise<Figures> {
  await run();
  const cold = processTime();
  const second = await cpuTime(run);
  if (second >= LONG) return { value: second, second, cold };
  for (let spent = 0; spent < WARM_UP; ) spent += await cpuTime(run);
  let spent = 0;
  let runs = 0;
  while (spent < MEASURED) {
    spent += await cpuTime(run);
    runs++;
  }
  return { value: spent / runs, second, cold };
}

/** CPU time (user and system) of this process while `run` runs, in milliseconds. */
export async function cpuTime(run: () => Promise<unknown>): Promise<number> {
  const before = processTime();
  await run();
  return processTime() - before;
}

function processTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
