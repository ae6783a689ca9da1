/**
 * A lock among processes: a file that names its owner, and is taken over when the owner has ended. For Node.js, Bun and
 * Deno.
 *
 * @module pi-ai/file-lock
 */
export { type FileLockOptions, type HeldLock, tryLockFile, waitForFileLock } from "../file-lock/file-lock.js";
export {
  codeOf,
  createOwner,
  describeOwner,
  isAlive,
  type LockOwner,
  parseOwner,
  releaseOwner,
} from "../file-lock/lock-owner.js";
