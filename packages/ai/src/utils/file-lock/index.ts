/**
 * A lock among processes: a file that names its owner, and is taken over when the owner has ended. For Node.js, Bun and
 * Deno.
 *
 * @module pi-ai/file-lock
 */
export {
  codeOf,
  createOwner,
  describeOwner,
  type FileLockOptions,
  type HeldLock,
  isAlive,
  type LockOwner,
  parseOwner,
  releaseOwner,
  tryLockFile,
  waitForFileLock,
} from "./file-lock.js";
