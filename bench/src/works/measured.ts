/** The input and the report of one scenario. */
import type { Client } from "../clients/client.ts";
import type { WorkInput } from "../scenario.ts";

export interface Figures {
  /** The compared quantity: CPU milliseconds of one run in a warm process, wall milliseconds or kilobytes. */
  value: number;
  /** CPU milliseconds of the second run of the process. */
  second?: number;
  /** CPU milliseconds of the fourth run of the process, as harnesses with three runs of warm-up measure it. */
  fourth?: number;
  /** CPU milliseconds of the whole process from its start to the end of its first run: boot, imports and cold code. */
  cold?: number;
  /** Wall milliseconds, where many things run at once. */
  elapsed?: number;
  /** Peak memory of each of many concurrent streams, in kilobytes. */
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

/** The minimum CPU time of the warm-up after the fourth run, in milliseconds. */
const WARM_UP = 800;
/** The minimum CPU time of all measured runs together, in milliseconds. */
const MEASURED = 200;

/** How long the warm-up and the measured runs take at least, in milliseconds of CPU time. */
export interface Window {
  /** The default is 800. */
  warmUp?: number;
  /** The default is 200. */
  measured?: number;
}

/** A run that takes this long needs no warm-up, in milliseconds. */
const LONG = 500;

/**
 * CPU time of the first run including everything before it, of the second and the fourth run, and of warm runs. Short
 * work runs many times and is averaged, so that the garbage of each run is included. Collection is never forced: it
 * would make the compiler discard
 * shapes and optimised code.
 */
export async function measureCost(
  run: () => Promise<unknown>,
  { warmUp = WARM_UP, measured = MEASURED }: Window = {},
): Promise<Figures> {
  await run();
  const cold = processTime();
  const second = await cpuTime(run);
  if (second >= LONG) return { value: second, second, fourth: second, cold };
  await run();
  const fourth = await cpuTime(run);
  for (let spent = 0; spent < warmUp; ) spent += await cpuTime(run);
  let spent = 0;
  let runs = 0;
  while (spent < measured) {
    spent += await cpuTime(run);
    runs++;
  }
  return { value: spent / runs, second, fourth, cold };
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
