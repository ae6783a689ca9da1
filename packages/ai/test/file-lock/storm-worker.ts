/**
 * Takes a lock again and again until it is told to stop, or killed. While it holds the lock it looks whether another
 * process that is alive holds it, too.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

interface Lock {
  tryLockFile(path: string): Promise<object>;
}

// The storm also runs other implementations, to compare them.
const lock: Lock = await import(process.argv[2] ?? "");
let folder = "";
let isRunning: Promise<void> | undefined;

process.on("message", (message) => {
  if (typeof message === "string") {
    folder = message;
    isRunning = run(message);
  } else {
    folder = "";
    isRunning?.then(() => process.send?.("idle"));
  }
});
process.send?.("idle");

async function run(place: string): Promise<void> {
  while (folder === place) {
    const found = await lock.tryLockFile(join(place, "file.lock"));
    if ("release" in found && typeof found.release === "function") {
      await hold(join(place, "witness"));
      await found.release();
    }
    await wait(Math.random() * 3);
  }
}

async function hold(witness: string): Promise<void> {
  note(witness, "enter");
  const before = findHolder(witness);
  if (before !== undefined && (await isAlive(before))) note(witness, `double ${before}`);
  if (Math.random() < 0.5) await wait(Math.random() * 12);
  note(witness, "leave");
}

function note(witness: string, text: string): void {
  appendFileSync(witness, `${Date.now()} ${process.pid} ${text}\n`);
}

/** The process that entered before this one and has not left. */
function findHolder(witness: string): number | undefined {
  const inside = new Set<number>();
  for (const line of readFileSync(witness, "utf8").split("\n")) {
    const [, pid, what] = line.split(" ");
    if (what === "enter") inside.add(Number(pid));
    if (what === "leave") inside.delete(Number(pid));
  }
  inside.delete(process.pid);
  return [...inside].at(-1);
}

/** A killed process is there until its parent has noticed. One that is only stopped stays. */
async function isAlive(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 40; tries++) {
    try {
      process.kill(pid, 0);
    } catch {
      return false;
    }
    // The holder must not hold up the others while it looks, as long as the answer is clear.
    if (process.platform === "linux") {
      const stat = await Promise.resolve()
        .then(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
        .catch(() => undefined);
      // Its 9th field holds the flags; bit 2 is set while the process ends, and the kernel has released its locks then.
      const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
      return !(stat === undefined || /[ZX]/.test(fields[0] ?? "") || Number(fields[6]) & 4);
    }
    await wait(25);
  }
  return true;
}
