/** Locks a session file for one writer, with an exclusively created lock file next to it. */
import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { codeOf, createOwner, describeOwner, isAlive, type Owner, parseOwner, releaseOwner } from "./lock-owner.js";
import { SessionLogError } from "./session-lines.js";

/** A lock's creator writes its owner at once. A lock without an owner is stale after this time, in milliseconds. */
const EMPTY_LOCK_MS = 10_000;

/**
 * Locks a file. The lock of a process that no longer runs on this machine is taken over.
 *
 * @returns a function that unlocks it
 * @throws SessionLogError when another writer holds the lock
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const path = `${file}.lock`;
  const owner = createOwner();
  try {
    while (!(await tryCreate(path, JSON.stringify(owner)))) await removeStale(path, file);
  } catch (error) {
    releaseOwner(owner);
    throw error;
  }
  return async () => {
    if (releaseOwner(owner)) await unlink(path).catch(ignoreMissing);
  };
}

async function tryCreate(path: string, text: string): Promise<boolean> {
  try {
    const handle = await open(path, "wx", 0o600);
    await handle.writeFile(text).finally(() => handle.close());
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** @throws SessionLogError when the owner of the lock may still be at work */
async function removeStale(path: string, file: string): Promise<void> {
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  if (text === undefined) return;
  const owner = parseOwner(text);
  if (owner ? isAlive(owner) : await isNew(path)) throw createLockedError(file, path, owner);
  // Renamed first, because another process may have replaced the stale lock with its own since it was read.
  const moved = `${path}.${randomUUID()}`;
  if ((await rename(path, moved).then(() => true, ignoreMissing)) === undefined) return;
  if ((await readFile(moved, "utf8")) !== text) await link(moved, path).catch(() => {});
  await unlink(moved);
}

function createLockedError(file: string, path: string, owner: Owner | undefined): SessionLogError {
  const writer = owner ? describeOwner(owner) : "another process";
  return new SessionLogError(
    `The session log ${file} is in use by ${writer}. Close it there first, or delete ${path} if that process has ended`,
  );
}

async function isNew(path: string): Promise<boolean> {
  const stats = await stat(path).catch(ignoreMissing);
  return stats !== undefined && Date.now() - stats.mtimeMs < EMPTY_LOCK_MS;
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}
