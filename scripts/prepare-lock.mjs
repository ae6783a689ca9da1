/**
 * One process at a time installs or builds in this folder. Plain JavaScript without dependencies, as prepare.mjs is.
 *
 * The lock is a folder of numbered files. The file with the highest number names the owner: one line per process, with
 * its start time where that can be read. A contender may create the next number once that file is released or all its
 * processes have died. A number is created by a hard link, so that the file is complete from the start and exactly one
 * contender succeeds. The highest number never goes down: a contender that was slow finds a higher one and steps back.
 */
import { appendFileSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 100;
const SAY_AFTER_MS = 1000;
const RELEASED = "released";

/**
 * Waits for the lock.
 * @param {string} folder the lock's own folder; it is created
 * @param {(pid: number) => void} onWait called once if another process still owns the lock after a second
 * @returns `add` makes a child process an owner too, since it may outlive this one; `release` ends the ownership
 */
export async function takeLock(folder, onWait) {
  mkdirSync(folder, { recursive: true });
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const number = highest(folder);
    const owner = ownerOf(folder, number);
    if (owner === undefined) {
      const lock = create(folder, number + 1);
      if (lock) return lock;
    } else {
      if (waitedMs === SAY_AFTER_MS) onWait(owner);
      await sleep(POLL_MS);
    }
  }
}

/** Returns undefined if another contender was faster. */
function create(folder, number) {
  const file = join(folder, String(number));
  const draft = join(folder, `draft-${process.pid}`);
  writeFileSync(draft, lineOf(process.pid));
  try {
    linkSync(draft, file);
  } catch (error) {
    if (error.code === "EEXIST") return;
    // A file system without hard links, such as exFAT: work without a lock.
    if (["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"].includes(error.code)) return { add() {}, release() {} };
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  if (highest(folder) !== number) {
    rmSync(file, { force: true });
    return;
  }
  // The previous number stays: a listing that runs at the same time always finds one that is not too low.
  for (const old of numbers(folder)) if (old < number - 1) rmSync(join(folder, String(old)), { force: true });
  return {
    add: (pid) => appendFileSync(file, lineOf(pid)),
    release: () => appendFileSync(file, `${RELEASED}\n`),
  };
}

function numbers(folder) {
  return readdirSync(folder).map(Number).filter(Number.isInteger);
}

function highest(folder) {
  return Math.max(0, ...numbers(folder));
}

/** The first process of the lock that still runs; undefined if there is none or the lock is released. */
function ownerOf(folder, number) {
  if (number === 0) return;
  const lines = readLines(join(folder, String(number)));
  if (lines.includes(RELEASED)) return;
  for (const line of lines) {
    const [pid, start] = line.split(" ");
    const found = startOf(Number(pid));
    // The number of a dead process may belong to another one by now, with another start.
    if (found !== undefined && (found === start || found === "" || !start)) return Number(pid);
  }
}

function readLines(file) {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch (error) {
    // A later owner has removed it: the next look finds that owner.
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

function lineOf(pid) {
  return `${pid} ${startOf(pid) ?? ""}\n`;
}

/** When the process started, in the system's own terms: "" where that is unknown, undefined if it does not run. */
function startOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== "EPERM") return;
  }
  if (process.platform !== "linux") return "";
  try {
    // The name of the program comes second, in parentheses, and may contain anything.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1).split(" ");
    return state === "Z" ? undefined : fields[18];
  } catch {
    return "";
  }
}
