/** Locks a session file for one writer, with a lock file next to it. */
import { threadId } from "node:worker_threads";
import { describeOwner, tryLockFile } from "pi-ai/file-lock";
import { SessionLogError } from "./session-lines.js";

/**
 * Locks a file. The lock of a process that no longer runs on this machine is taken over.
 *
 * @returns a function that unlocks it
 * @throws SessionLogError when another writer holds the lock
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const path = `${file}.lock`;
  const found = await tryLockFile(path, { threadId });
  if ("release" in found) return found.release;
  throw new SessionLogError(
    `The session log ${file} is in use by ${describeOwner(found)}. Close it there first, or delete ${path} if that process has ended`,
  );
}
