/** A place that holds recordings, while the page shows it. */
import { watch } from "node:fs";
import type { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";

/** What reads a place into a store. */
export interface Source {
  /** Reads what is new. Called for the first time before the page is served. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Where the runs of a source go. */
export interface RunSink extends Pick<RunStore, "parts" | "remove"> {
  add(run: Run): void;
}

/** What a source needs. */
export interface SourceOptions {
  store: RunSink;
  /** Unix time in milliseconds. */
  now: () => number;
}

/** A run without an end is taken for one that was left when its source has been quiet for this long, in milliseconds. */
export const QUIET_MS = 60_000;

/** Milliseconds between two looks. A file system's notice makes the next one come at once. */
const POLL_MS = 500;
/** After a look that took long, as in a folder with very many files, the next one waits for this many times as long. */
const REST_FACTOR = 4;

/**
 * Checks a source again and again, one check at a time. A check that fails is followed by the next one: a file may come
 * back.
 *
 * @param folder reports its changes where the platform can
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

/** Some file systems cannot be watched, and some lose notices; the timer remains. */
function watchFolder(folder: string, onChange: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
