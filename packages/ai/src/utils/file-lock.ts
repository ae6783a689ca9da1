/**
 * A lock among processes: a file that names its owner, and is taken over when the owner has ended. For Node.js, Bun and
 * Deno.
 *
 * @module pi-ai/file-lock
 */

import { createOwner, describeOwner, isAlive, type LockOwner, parseOwner, releaseOwner } from "./lock-owner.js";
import { codeOf, openRegularFile } from "./regular-file.js";

export { createOwner, describeOwner, isAlive, type LockOwner, parseOwner, releaseOwner } from "./lock-owner.js";

export { codeOf, ignoreMissing, NOT_A_FILE, type OpenFile, openRegularFile } from "./regular-file.js";

// The content of the file is the generation of the lock, and never the same twice. It changes in three ways only: a hard
// link creates the file with its whole content, so that there is no lock without an owner; the owner removes it; and the
// holder of the marker of a dead generation, `<lock>.d/<token>.next`, renames that marker over it. The marker is such a
// lock, too. So of all that see the same dead owner one wins, and a process that dies while it takes a lock over is itself
// taken over in the same way. Whoever holds a marker looks again before it replaces anything: a process that was stalled
// finds a newer generation, and gives up.
//
// The folder `<lock>.d` exists only while the lock changes its owner. If it cannot be removed then, killed processes have
// left files in it.

/** Options of {@link tryLockFile} and {@link waitForFileLock}. */
export interface FileLockOptions {
  /** The thread that locks the file. Default: the lock belongs to the process. */
  threadId?: number | undefined;
  /**
   * The age, in milliseconds, at which the lock of another machine is taken over. Default: never. Whether its owner is still
   * running cannot be known.
   */
  foreignStaleMs?: number | undefined;
}

/** A lock that this process holds. */
export interface HeldLock {
  /** Releases the lock. Calling it again has no effect. */
  release: () => Promise<void>;
  /** Whether the lock is still there. A person may have deleted it, and another process may hold a new one. */
  isHeld: () => Promise<boolean>;
}

/** How long to wait before the next try, in milliseconds. */
const RETRY_MS = 25;
/** How long one owner is waited for, in milliseconds. */
const PATIENCE_MS = 120_000;
/**
 * How long a lock may be without an owner, in milliseconds. Only file systems without hard links have such locks, and
 * their creators write the name at once.
 */
const OWNERLESS_MS = 100;
/** Each try means that another process has taken or released the lock. */
const MAX_TRIES = 1000;
/** Each level is a process that died while it took over the lock from the one before. */
const MAX_LEVELS = 64;
/** The length of an owner's JSON is about 150 bytes. */
const MAX_BYTES = 4096;

/**
 * Locks a file, if nobody else holds the lock. The lock of a process that no longer runs on this machine is taken over;
 * that of one that is only slow is not.
 *
 * @param path the path of the lock file, in an existing folder
 * @returns the lock, or the owner that holds it
 * @throws Error if the path names something other than a regular file, such as a link or a pipe; the errors of the file system
 */
export async function tryLockFile(path: string, options: FileLockOptions = {}): Promise<HeldLock | LockOwner> {
  const owner = await createOwner(options.threadId);
  const attempt = new LockAttempt(path, owner, options);
  try {
    const holder = await attempt.take();
    if (holder) {
      releaseOwner(owner);
      return holder;
    }
  } catch (error) {
    // It may have been taken before what went wrong.
    await attempt.release().catch(() => {});
    releaseOwner(owner);
    throw error;
  }
  let release: Promise<void> | undefined;
  return {
    release: () => {
      // The file first: without its token, this thread would take the owner for an earlier process.
      release ??= attempt.release().finally(() => releaseOwner(owner));
      return release;
    },
    isHeld: () => attempt.isLeft(),
  };
}

/**
 * Like {@link tryLockFile}, but waits while another process holds the lock.
 *
 * @throws Error if one owner has held the lock for 2 minutes
 */
export async function waitForFileLock(path: string, options?: FileLockOptions): Promise<HeldLock> {
  let token: string | undefined;
  let since = performance.now();
  for (;;) {
    const found = await tryLockFile(path, options);
    if ("release" in found) return found;
    if (found.token !== token) {
      token = found.token;
      since = performance.now();
    } else if (performance.now() - since > PATIENCE_MS) {
      throw new Error(`${path} is held by ${describeOwner(found)}. If that process has ended, delete the file`);
    }
    await wait(RETRY_MS);
  }
}

/** The lock itself, or a marker. */
interface FoundFile {
  text: string;
  owner: LockOwner | undefined;
  ageMs: number;
  inode: number;
}

class LockAttempt {
  readonly #path: string;
  readonly #owner: LockOwner;
  readonly #text: string;
  readonly #options: FileLockOptions;
  /** Holds files that are not the lock itself. */
  readonly #folder: string;
  #hasFolder = false;

  constructor(path: string, owner: LockOwner, options: FileLockOptions) {
    this.#path = path;
    this.#owner = owner;
    this.#text = JSON.stringify(owner);
    this.#options = options;
    this.#folder = `${path}.d`;
  }

  /** Takes the lock. Returns the owner that holds it; undefined when it is taken. */
  async take(): Promise<LockOwner | undefined> {
    const holder = await this.#takeFile(this.#path, 0);
    if (this.#hasFolder) await this.#removeFolder(holder === undefined);
    return holder;
  }

  async release(): Promise<void> {
    if (await this.isLeft()) await removeFile(this.#path);
  }

  async isLeft(): Promise<boolean> {
    return (await readLock(this.#path))?.text === this.#text;
  }

  /** @param level how many processes have died while they took the lock over from one another */
  async #takeFile(path: string, level: number): Promise<LockOwner | undefined> {
    for (let tries = 0; tries < MAX_TRIES && level < MAX_LEVELS; tries++) {
      const found = await readLock(path);
      if (found?.text === this.#text) return undefined;
      if (!found) await this.#create(path);
      else if (await this.#isHeld(found)) return found.owner;
      else {
        const holder = await this.#takeOver(path, found, level);
        if (holder) return holder;
      }
    }
    throw new Error(`${this.#path} cannot be taken over. Delete it if no process uses it`);
  }

  /** Replaces a file with its marker, unless it is another one by then. Returns the owner of the marker, if it has one. */
  async #takeOver(path: string, dead: FoundFile, level: number): Promise<LockOwner | undefined> {
    if (!dead.owner) await wait(OWNERLESS_MS);
    if (!(await isUnchanged(path, dead))) return undefined;
    const marker = `${this.#folder}/${generationOf(dead)}.next`;
    const holder = await this.#takeFile(marker, level + 1);
    const isStillDead = await isUnchanged(path, dead);
    if (holder) return isStillDead ? holder : undefined;
    if (isStillDead) await this.#replace(path, marker);
    else await removeFile(marker);
    return undefined;
  }

  async #replace(path: string, marker: string): Promise<void> {
    const { rename } = await import("node:fs/promises");
    try {
      await rename(marker, path);
    } catch (error) {
      await removeFile(marker);
      // Another program, such as a virus scanner on Windows, may have the file open.
      if (!["ENOENT", "EPERM", "EACCES", "EBUSY"].includes(String(codeOf(error)))) throw error;
      await wait(RETRY_MS);
    }
  }

  /** Creates a file together with its content. There may be one already. */
  async #create(path: string): Promise<void> {
    const { link, mkdir, writeFile } = await import("node:fs/promises");
    const draft = `${this.#folder}/${this.#owner.pid}.${this.#owner.token}.new`;
    await mkdir(this.#folder, { mode: 0o700 }).catch(ignore("EEXIST"));
    await this.#checkFolder();
    this.#hasFolder = true;
    try {
      // Another process may have removed the folder since.
      await writeFile(draft, this.#text, { flag: "wx", mode: 0o600 });
      await link(draft, path);
    } catch (error) {
      const code = codeOf(error);
      if (code !== "EEXIST" && code !== "ENOENT") await this.#createInPlace(path);
    } finally {
      await removeFile(draft);
    }
  }

  /** Through a link, files of another folder would be created and removed. */
  async #checkFolder(): Promise<void> {
    const { lstat } = await import("node:fs/promises");
    const stats = await lstat(this.#folder).catch(ignore("ENOENT"));
    if (stats && !stats.isDirectory()) throw new Error(`${this.#folder} is not a folder. Delete it`);
  }

  /** For file systems without hard links, such as FAT. */
  async #createInPlace(path: string): Promise<void> {
    const { writeFile } = await import("node:fs/promises");
    // Here, too, another process may have removed the folder since.
    await writeFile(path, this.#text, { flag: "wx", mode: 0o600 }).catch(ignore("EEXIST", "ENOENT"));
  }

  async #isHeld({ owner, ageMs }: FoundFile): Promise<boolean> {
    const { threadId, foreignStaleMs = Number.POSITIVE_INFINITY } = this.#options;
    if (!owner || !(await isAlive(owner, threadId))) return false;
    return owner.host === this.#owner.host || ageMs < foreignStaleMs;
  }

  /** Only the owner of the lock removes what others have left: no marker belongs to the generation that is the lock then. */
  async #removeFolder(isOwner: boolean): Promise<void> {
    const { readdir, rmdir } = await import("node:fs/promises");
    const remove = () =>
      rmdir(this.#folder).then(() => true, ignore("ENOTEMPTY", "EEXIST", "ENOENT", "EPERM", "EBUSY"));
    if ((await remove()) || !isOwner) return;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const file = `${this.#folder}/${name}`;
      if (await this.#isLeftOver(file, name)) await removeFile(file);
    }
    await remove();
  }

  async #isLeftOver(file: string, name: string): Promise<boolean> {
    const pid = /^(\d+)\.[\w-]+\.new$/.exec(name)?.[1];
    // Removing a file of a live process, such as another thread of this one, does no harm: it creates the file again.
    if (Number(pid) === process.pid) return true;
    if (pid !== undefined) return !(await isAlive({ ...this.#owner, pid: Number(pid), token: "", started: undefined }));
    // Another program has left anything but a regular file.
    const found = name.endsWith(".next") ? await readLock(file).catch(() => undefined) : undefined;
    return found !== undefined && !(await this.#isHeld(found));
  }
}

/** The name of a dead generation. Another program may have written anything. */
function generationOf({ owner, inode }: FoundFile): string {
  return owner && /^[\w-]{1,64}$/.test(owner.token) ? owner.token : `${inode}`;
}

async function isUnchanged(path: string, found: FoundFile): Promise<boolean> {
  const now = await readLock(path);
  return now?.text === found.text && now.inode === found.inode;
}

async function removeFile(path: string): Promise<void> {
  const { unlink } = await import("node:fs/promises");
  await unlink(path).catch(ignore("ENOENT"));
}

async function readLock(path: string): Promise<FoundFile | undefined> {
  const handle = await openRegularFile(path, "read").catch(ignore("ENOENT"));
  if (!handle) return undefined;
  try {
    const { ino: inode, mtimeMs } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(new Uint8Array(MAX_BYTES), 0, MAX_BYTES, 0);
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead));
    return { text, owner: parseOwner(text), ageMs: Date.now() - mtimeMs, inode };
  } finally {
    await handle.close();
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Returns a handler for rejections, which resolves with undefined for some codes and rethrows other errors. */
function ignore(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(String(codeOf(error)))) throw error;
  };
}
