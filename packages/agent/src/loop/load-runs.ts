/** Loads what only runs need with the first of them, so that a page which shows an agent starts without it. */

type Runs = typeof import("./run-modes.js");

let loaded: Runs | undefined;

/**
 * Returns a promise only for the first run. It rejects if the file cannot be loaded, for example because a new version of a
 * page has replaced it; the next run tries again.
 */
export function loadRuns(): Runs | Promise<Runs> {
  return loaded ?? load();
}

async function load(): Promise<Runs> {
  try {
    loaded = await import("./run-modes.js");
    return loaded;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `pi-agent could not load its loop (${reason}). Deploy all files of the build, and load the page again`,
      { cause },
    );
  }
}
