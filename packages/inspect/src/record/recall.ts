/** Reads entries of runs, including those that were dropped from memory and are still in their source. */
import type { Entry } from "./entry.js";
import { FORGOTTEN, type Run, type RunPart } from "./run.js";

/** Replaces an entry that has left the source, or cannot be read now. */
const UNREADABLE: Entry = { ...FORGOTTEN, title: "Cannot be read now" };

/** The run itself, or a part of it that was read again because the entry or its details were dropped. */
export async function recallPart(run: Run, index: number): Promise<RunPart> {
  return run.history && run.isForgotten(index) ? run.history.partAt(index) : { run, from: 0 };
}

/**
 * The entries of a run from one index to another. An entry that cannot be read again becomes a note.
 *
 * @param to the index after the last entry
 */
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

/** The run itself if nothing was dropped, else a complete copy, for which the whole session is read again. */
export async function recallWhole(run: Run): Promise<Run> {
  if (!run.history || run.isWhole) return run;
  const whole = await run.history.whole();
  whole.launcher = run.launcher;
  return whole;
}
