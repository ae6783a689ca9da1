/** Keeps two writers from mixing two conversations in one file: a lock file beside it, created exclusively. */
import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { threadId } from "node:worker_threads";
import { SessionLogError } from "./session-lines.js";

/** Whoever creates a lock writes its owner at once. A lock without an owner is stale after this time, in milliseconds. */
const EMPTY_LOCK_MS = 10_000;

interface Owner {
  pid: number;
  threadId: number;
  host: string;
  token: string;
}

/** The tokens of this thread's locks; shared by all copies of this module. */
const held = getHeldTokens();

/**
 * Locks a file. The lock of a process that no longer runs on this machine is taken over.
 *
 * @returns a function that unlocks it
 * @throws SessionLogError when another writer holds the lock
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const path = `${file}.lock`;
  const owner: Owner = { pid: process.pid, threadId, host: hostname(), token: randomUUID() };
  for (;;) {
    if (await tryCreate(path, JSON.stringify(owner))) break;
    await removeStale(path, file);
  }
  held.add(owner.token);
  return async () => {
    if (held.delete(owner.token)) await unlink(path).catch(ignoreMissing);
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
  // Renamed first: another process may have replaced the stale lock by its own since it was read.
  const moved = `${path}.${randomUUID()}`;
  if ((await rename(path, moved).then(() => true, ignoreMissing)) === undefined) return;
  if ((await readFile(moved, "utf8")) !== text) await link(moved, path).catch(() => {});
  await unlink(moved);
}

function createLockedError(file: string, path: string, owner: Owner | undefined): SessionLogError {
  const writer = owner ? `process ${owner.pid} on ${owner.host}` : "another process";
  return new SessionLogError(
    `The session log ${file} is in use by ${writer}. Close it there first, or delete ${path} if that process has ended`,
  );
}

function isAlive({ pid, threadId: thread, host, token }: Owner): boolean {
  if (host !== hostname()) return true;
  // A restarted container may have the process id of the one before it.
  if (pid === process.pid) return thread !== threadId || held.has(token);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

async function isNew(path: string): Promise<boolean> {
  const stats = await stat(path).catch(ignoreMissing);
  return stats !== undefined && Date.now() - stats.mtimeMs < EMPTY_LOCK_MS;
}

function parseOwner(text: string): Owner | undefined {
  try {
    const owner: Partial<Owner> = JSON.parse(text);
    const isOwner = typeof owner.pid === "number" && typeof owner.host === "string" && typeof owner.token === "string";
    return isOwner ? (owner as Owner) : undefined; // checked on the line above; a missing thread is another thread
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function getHeldTokens(): Set<string> {
  const key = Symbol.for("pi-agent.session-locks");
  const existing: unknown = Reflect.get(globalThis, key);
  if (existing instanceof Set) return existing;
  const created = new Set<string>();
  Reflect.set(globalThis, key, created);
  return created;
}
