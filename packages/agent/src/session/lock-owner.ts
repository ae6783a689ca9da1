/** Identifies the thread and process that write a session, so that the lock of a dead process can be taken over. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { threadId } from "node:worker_threads";

export interface Owner {
  pid: number;
  threadId: number;
  host: string;
  token: string;
}

/** The tokens of this thread's locks; shared by all copies of this module. */
const held = getHeldTokens();

/** The owner of a new lock: this thread. */
export function createOwner(): Owner {
  const owner: Owner = { pid: process.pid, threadId, host: hostname(), token: randomUUID() };
  held.add(owner.token);
  return owner;
}

/** Forgets a lock. Returns whether this thread held it. */
export function releaseOwner({ token }: Owner): boolean {
  return held.delete(token);
}

/** Whether the owner of a lock may still be running. */
export function isAlive({ pid, threadId: thread, host, token }: Owner): boolean {
  if (host !== hostname()) return true;
  // A restarted container may get the same process id again.
  if (pid === process.pid) return thread !== threadId || held.has(token);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

export function parseOwner(text: string): Owner | undefined {
  try {
    const owner: Partial<Owner> = JSON.parse(text);
    const isOwner = typeof owner.pid === "number" && typeof owner.host === "string" && typeof owner.token === "string";
    return isOwner ? (owner as Owner) : undefined; // checked on the line above; a missing thread is another thread
  } catch {
    return undefined;
  }
}

export function describeOwner({ pid, host }: Owner): string {
  return `process ${pid} on ${host}`;
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
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
