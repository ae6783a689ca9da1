/**
 * Counts the work of code instead of timing it: how often each block of the packages runs, as V8's precise coverage has it, and how
 * many items and characters go through the functions that copy or search a list or a text inside of the engine. Both are the same on
 * every machine. Import this before the code that is counted: V8 counts blocks of what it compiles afterwards.
 */
import { Session } from "node:inspector/promises";

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

const IS_SOURCE = /\/packages\/(ai|agent|inspect)\/(src|dist)\//;

/** What the packages have done. */
export interface Work {
  /** How often the most frequent block of each of their functions ran. */
  steps: number;
  /** Items and characters that functions of the engine have copied or searched. */
  copied: number;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
/** Returns what a call has copied or searched. */
type Cost = (self: unknown, args: unknown[], result: unknown) => number;

/**
 * The list of the blocks of a response is copied for each event, up to a number of blocks: `message-draft.property.test.ts` holds
 * it to that.
 */
const BLOCKS = new Set<unknown>(["text", "thinking", "toolCall", "serverTool", "image", "file", "compaction"]);

// Their types say nothing of what a method is called with.
function lengthOf(value: unknown): number {
  if (Array.isArray(value) && BLOCKS.has(Object(value[0]).type)) return 1;
  return (value as { length?: number } | undefined)?.length ?? 0;
}
const ofSelf: Cost = (self) => lengthOf(self);
const ofArgument: Cost = (_self, [value]) => lengthOf(value);
const ofResult: Cost = (_self, _args, result) => lengthOf(result);

/** From where the search began to what it found. */
const ofSearch: Cost = (self, [, from = 0], found) => {
  const end = typeof found === "number" && found >= 0 ? found : lengthOf(self);
  return Math.max(1, end - Number(from));
};

/** A search that begins where the last one ended reads the text once, and one that is bound to a place reads what it finds. */
const ofMatch: Cost = (self, [text], found) => {
  const { global, sticky } = self as RegExp; // The method is that of an expression.
  const match = found as RegExpExecArray | null; // What it returns.
  if (sticky || (global && match)) return 1 + lengthOf(match?.[0]);
  return match ? match.index + match[0].length : lengthOf(text);
};

const LISTS: Readonly<Record<string, Cost>> = {
  ...Object.fromEntries(
    [
      "fill",
      "flat",
      "includes",
      "join",
      "reverse",
      "shift",
      "toReversed",
      "toSorted",
      "toSpliced",
      "unshift",
      "with",
    ].map((name) => [name, ofSelf]),
  ),
  ...{ concat: ofResult, slice: ofResult, splice: ofSelf, indexOf: ofSearch, lastIndexOf: ofSelf },
};

const TEXTS: Readonly<Record<string, Cost>> = {
  ...Object.fromEntries(
    [
      "replace",
      "replaceAll",
      "split",
      "match",
      "isWellFormed",
      "toWellFormed",
      "toLowerCase",
      "trim",
      "trimEnd",
      "trimStart",
    ].map((name) => [name, ofSelf]),
  ),
  ...{ indexOf: ofSearch, includes: ofSelf, lastIndexOf: ofSelf, startsWith: ofArgument, endsWith: ofArgument },
  ...Object.fromEntries(
    ["at", "charAt", "charCodeAt", "codePointAt", "slice", "substring"].map((name) => [name, () => 0]),
  ),
};

/** Runs code, and counts its work. */
export async function countWork(run: () => unknown): Promise<Work> {
  let copied = 0;
  // A text that has grown by appending is put together when it is read. One that has not grown since costs nothing more.
  const lengths = new Set<number>();
  const add = Set.prototype.add;
  const note = (cost: Cost): Cost => cost;
  const joined =
    (cost: Cost): Cost =>
    (self, args, result) => {
      const length = lengthOf(self);
      if (lengths.has(length)) return cost(self, args, result);
      add.call(lengths, length);
      return length + cost(self, args, result);
    };
  const patches: (() => void)[] = [];
  const patch = (holder: object, name: string | symbol, cost: Cost): void => {
    const original = Reflect.get(holder, name) as Method; // Each of the names is a method.
    const counted: Method = function (...args) {
      const result = Reflect.apply(original, this, args);
      copied += cost(this, args, result);
      return result;
    };
    Object.defineProperty(holder, name, { value: counted, configurable: true, writable: true });
    patches.push(() => Object.defineProperty(holder, name, { value: original, configurable: true, writable: true }));
  };
  for (const [name, cost] of Object.entries(LISTS)) patch(Array.prototype, name, note(cost));
  for (const [name, cost] of Object.entries(TEXTS)) patch(String.prototype, name, joined(cost));
  patch(Array.prototype, Symbol.iterator, ofSelf);
  patch(Array, "from", ofResult);
  patch(RegExp.prototype, "exec", ofMatch);
  patch(JSON, "parse", ofArgument);
  patch(JSON, "stringify", ofResult);
  patch(globalThis, "structuredClone", (_self, [value]) => lengthOf(JSON.stringify(value)));
  for (const name of ["keys", "values", "entries", "fromEntries"])
    patch(Object, name, (_self, _args, result) => lengthOf(result));
  await session.post("Profiler.takePreciseCoverage");
  try {
    await run();
  } finally {
    for (const restore of patches) restore();
  }
  const { result } = await session.post("Profiler.takePreciseCoverage");
  let steps = 0;
  for (const { url, functions } of result)
    if (IS_SOURCE.test(url))
      // A block is told apart only if its count differs from that of the block around it, so a sum of blocks would jump.
      for (const { ranges } of functions) steps += Math.max(...ranges.map(({ count }) => count));
  return { steps, copied };
}
