/** Identifies the process that holds a lock, so that the lock of a process that has ended can be taken over. */
import { isRecord } from "./is-object.js";
import { tryParseJson } from "./read-text.js";
import { codeOf } from "./regular-file.js";
import { visibleLine } from "./visible-text.js";

/** The owner of a lock, as the lock stores it. */
export interface LockOwner {
  /** The process id. */
  pid: number;
  /** The thread of the process, if the owner named one. */
  threadId?: number | undefined;
  /** The name of the machine. */
  host: string;
  /** Identifies the lock among all. */
  token: string;
  /** When the process started, in a unit of the system; only on Linux. Another process may have the same id later. */
  started?: string | undefined;
}

/** The tokens of the locks of this thread; shared by all copies of this module. */
const held = /* @__PURE__ */ getHeldTokens();

/** The identity of this process. */
let self: ReturnType<typeof findProcess> | undefined;

/** Creates the owner of a new lock: this process, or a thread of it. */
export async function createOwner(threadId?: number): Promise<LockOwner> {
  const { pid } = process;
  self ??= findProcess(pid);
  const owner = { pid, threadId, host: await getHost(), token: crypto.randomUUID(), started: (await self)?.started };
  held.add(owner.token);
  return owner;
}

/** Forgets a lock. Returns whether this thread held it. */
export function releaseOwner({ token }: LockOwner): boolean {
  return held.delete(token);
}

/**
 * Whether the owner of a lock may still be running: also for a process of another machine, and for one that is only
 * stalled. No clock is involved, because a machine that slept would otherwise take its own locks over.
 *
 * @param threadId the thread that asks, if the owners name their threads
 */
export async function isAlive(owner: LockOwner, threadId?: number): Promise<boolean> {
  if (held.has(owner.token) || owner.host !== (await getHost())) return true;
  const { pid, started } = owner;
  // This thread does not hold the lock, so an earlier process with this id did: a restarted container has the same ids.
  if (pid === process.pid && owner.threadId !== undefined && owner.threadId === threadId) return false;
  const found = await findProcess(pid);
  if (found && (found.hasEnded || (started !== undefined && started !== found.started))) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** Reads the owner of a lock; undefined for a text that names none. */
export function parseOwner(text: string): LockOwner | undefined {
  const owner = tryParseJson(text);
  if (!isRecord(owner)) return undefined;
  const { pid, host, token, threadId, started } = owner;
  if (typeof pid !== "number" || typeof host !== "string" || typeof token !== "string") return undefined;
  return {
    pid,
    host,
    token,
    threadId: typeof threadId === "number" ? threadId : undefined,
    started: typeof started === "string" ? started : undefined,
  };
}

/** Names the owner for an error message. */
export function describeOwner({ pid, host }: LockOwner): string {
  // Whoever may write to the folder has written the file.
  return `process ${pid} on ${visibleLine(host)}`;
}

async function getHost(): Promise<string> {
  return (await import("node:os")).hostname();
}

/** The facts of Linux about a process. Undefined elsewhere, and where a process may not look at others. */
async function findProcess(pid: number): Promise<{ started: string | undefined; hasEnded: boolean } | undefined> {
  if (process.platform !== "linux") return undefined;
  try {
    const { readFile } = await import("node:fs/promises");
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The second field, the name of the program, may contain anything. State is the 3rd, the start time the 22nd.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // A killed process stays a zombie until its parent reads its exit code, which some parents never do.
    return { started: fields[19], hasEnded: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return undefined;
  }
}

function getHeldTokens(): Set<string> {
  const key = Symbol.for("pi-ai.file-locks");
  const existing: unknown = Reflect.get(globalThis, key);
  if (existing instanceof Set) return existing;
  const created = new Set<string>();
  Reflect.set(globalThis, key, created);
  return created;
}
