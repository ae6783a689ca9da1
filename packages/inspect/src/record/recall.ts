/** Reads entries of runs, also those that were dropped from memory and are still in their source. */
import type { Entry } from "./entry.js";
import { FORGOTTEN, type Run, type RunPart } from "./run.js";

/** Stands for an entry that the source does not hold, or that cannot be read now. */
const UNREADABLE: Entry = { ...FORGOTTEN, title: "Cannot be read now" };

/** The run itself, or a part of it that was read again and holds the entry with its details. */
export async function recallPart(run: Run, index: number): Promise<RunPart> {
  return run.history && run.isForgotten(index) ? run.history.partAt(index) : { run, from: 0 };
}

/** Entries of a run, up to before an index. One that its source does not hold now is replaced by a note. */
export async function recallEntries(run: Run, from: number, to: number): Promise<Entry[]> {
  const entries = run.entries.slice(from, to);
  let part: RunPart | undefined;
  for (const [offset, kept] of entries.entries()) {
    if (kept !== FORGOTTEN || !run.history) continue;
    const index = from + offset;
    if (!part?.run.entries[index - part.from]) part = await run.history.partAt(index).catch(() => undefined);
    entries[offset] = part?.run.entries[index - part.from] ?? UNREADABLE;
  }
  return entries;
}

/** The run, or a copy of all of it. Reads the whole session: for what needs the whole conversation. */
export async function recallWhole(run: Run): Promise<Run> {
  if (!run.history || run.isWhole) return run;
  const whole = await run.history.whole();
  whole.launcher = run.launcher;
  return whole;
}
