/** Sources read files, folders and databases into a store, and are checked for changes while the page is open. */
import { watch } from "node:fs";
import type { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";

/** Reads a place into a store. */
export interface Source {
  /** Reads what is new. Called for the first time before the page is served. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Where the runs of a source go. */
export interface RunSink extends Pick<RunStore, "parts" | "remove"> {
  add(run: Run): void;
}

/** The options of every source. */
export interface SourceOptions {
  store: RunSink;
  /** Unix time in milliseconds. */
  now: () => number;
}

/** A run without an end counts as aborted when its source has not been written for this time, in milliseconds. */
export const QUIET_MS = 60_000;

/** Milliseconds between two checks. A notification of the file system causes a check at once. */
const POLL_MS = 500;
/** After a slow check, as in a folder with very many files, the next one waits for this many times its duration. */
const REST_FACTOR = 4;

/**
 * Checks a source repeatedly, one check at a time. Continues after a failed check, because the file may come back.
 *
 * @param folder the folder to watch for changes, if there is one
 * @returns a function that stops it and resolves when the last check has ended
 */
export function pollSource(source: Source, folder: string | undefined): () => Promise<void> {
  let checking: Promise<void> | undefined;
  let restsUntil = 0;
  const check = (): void => {
    const start = performance.now();
    if (start < restsUntil) return;
    checking ??= source
      .check()
      .catch(() => {})
      .finally(() => {
        checking = undefined;
        const took = performance.now() - start;
        if (took > POLL_MS) restsUntil = start + took * (1 + REST_FACTOR);
      });
  };
  const timer = setInterval(check, POLL_MS);
  const watcher = folder === undefined ? undefined : watchFolder(folder, check);
  return async () => {
    clearInterval(timer);
    watcher?.close();
    await checking;
    await source.close();
  };
}

/**
 * Watches a folder if possible. Some file systems cannot be watched or lose notifications, so the timer is needed, too.
 */
function watchFolder(folder: string, onChange: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
