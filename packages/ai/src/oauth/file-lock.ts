/** A lock among processes: a file that is created exclusively. */
import { isRecord } from "../utils/is-object.js";
import { tryParseJson } from "../utils/try-parse-json.js";

/** The age at which a lock is taken over, in milliseconds. A refresh takes less time. */
const STALE_MS = 120_000;
/** How long to wait before the next try, in milliseconds. */
const RETRY_MS = 25;

/**
 * Waits for a lock. The lock of a process that no longer runs on this machine is taken over.
 *
 * @returns a function that unlocks it
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const { hostname } = await import("node:os");
  const owner = JSON.stringify({ pid: process.pid, host: hostname(), token: crypto.randomUUID() });
  while (!(await tryCreate(path, owner))) {
    if (!(await removeStale(path, hostname()))) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return () => unlock(path, owner);
}

async function tryCreate(path: string, owner: string): Promise<boolean> {
  const { open } = await import("node:fs/promises");
  try {
    const handle = await open(path, "wx", 0o600);
    await handle.writeFile(owner).finally(() => handle.close());
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function unlock(path: string, owner: string): Promise<void> {
  const { readFile, unlink } = await import("node:fs/promises");
  // Another process may have taken the lock over.
  if ((await readFile(path, "utf8").catch(ignoreMissing)) === owner) await unlink(path).catch(ignoreMissing);
}

/** Returns whether the lock may be free now. */
async function removeStale(path: string, host: string): Promise<boolean> {
  const { link, readFile, rename, stat, unlink } = await import("node:fs/promises");
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  const stats = await stat(path).catch(ignoreMissing);
  if (text === undefined || !stats) return true;
  if (Date.now() - stats.mtimeMs < STALE_MS && !hasDied(text, host)) return false;
  // Renamed first, because another process may have replaced the stale lock with its own since it was read.
  const moved = `${path}.${crypto.randomUUID()}`;
  if ((await rename(path, moved).then(() => true, ignoreMissing)) === undefined) return true;
  if ((await readFile(moved, "utf8")) !== text) await link(moved, path).catch(() => {});
  await unlink(moved);
  return true;
}

/** Whether the owner of a lock was a process of this machine that has ended. */
function hasDied(text: string, host: string): boolean {
  const owner = tryParseJson(text);
  if (!isRecord(owner) || owner["host"] !== host || typeof owner["pid"] !== "number") return false;
  try {
    process.kill(owner["pid"], 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}

/** A handler for rejections: resolves with undefined if the file is missing, and rethrows other errors. */
export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

function codeOf(error: unknown): unknown {
  return isRecord(error) ? error["code"] : undefined;
}
