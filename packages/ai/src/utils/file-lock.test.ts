import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import {
  describeOwner,
  type HeldLock,
  type LockOwner,
  parseOwner,
  tryLockFile,
  waitForFileLock,
} from "pi-ai/file-lock";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { eventually } from "../../../../test/support/patience.js";

const links = vi.hoisted(() => ({ areMissing: false }));
vi.mock("node:fs/promises", async (importActual) => {
  const actual = await importActual<typeof import("node:fs/promises")>();
  const link: typeof actual.link = (from, to) =>
    links.areMissing ? Promise.reject(Object.assign(new Error("not here"), { code: "EPERM" })) : actual.link(from, to);
  return { ...actual, link };
});

const dead: number = spawnSync(process.execPath, ["-e", "0"]).pid;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-lock-"));
  path = join(folder, "a.lock");
});

afterEach(async () => {
  links.areMissing = false;
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

function owner(token: string, more: Partial<LockOwner> = {}): string {
  return JSON.stringify({ pid: dead, host: hostname(), token, ...more });
}

async function lock(options = {}): Promise<HeldLock> {
  const found = await tryLockFile(path, options);
  if ("release" in found) return found;
  throw new Error(`It is held by ${found.token}`);
}

describe("a lock", () => {
  test("has one owner, whom the file names, and leaves nothing behind", async () => {
    const first = await lock();
    expect(await readdir(folder)).toEqual(["a.lock"]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await tryLockFile(path)).toMatchObject({ pid: process.pid, host: hostname() });
    expect(parseOwner(await readFile(path, "utf8"))).toMatchObject({ pid: process.pid });
    expect(await first.isHeld()).toBe(true);
    await first.release();
    await first.release();
    expect(await first.isHeld()).toBe(false);
    expect(await readdir(folder)).toEqual([]);
    await (await lock()).release();
  });

  test("has one owner when a dead one is seen by many at once", async () => {
    for (let round = 0; round < 5; round++) {
      await writeFile(path, owner(`dead-${round}`));
      const found = await Promise.all(Array.from({ length: 8 }, () => tryLockFile(path)));
      const held = found.filter((one) => "release" in one);
      expect(held).toHaveLength(1);
      await held[0]?.release();
      expect(await readdir(folder)).toEqual([]);
    }
  });

  test("has one owner while this process releases it and takes it again", async () => {
    let inside = 0;
    const use = async (): Promise<void> => {
      const held = await waitForFileLock(path, { threadId: 0 });
      expect(++inside).toBe(1);
      inside--;
      await held.release();
    };
    await Promise.all(Array.from({ length: 8 }, use));
  });

  test("that was released does not remove the lock that another process has by then", async () => {
    const held = await lock();
    await writeFile(path, owner("other"));
    await held.release();
    expect(await readFile(path, "utf8")).toBe(owner("other"));
  });

  test("is refused in a folder that does not exist", async () => {
    await expect(tryLockFile(join(folder, "none", "a.lock"))).rejects.toThrow("ENOENT");
  });
});

describe("is taken over", () => {
  const states: [string, Record<string, string>][] = [
    ["from a process that has ended", { "a.lock": owner("t") }],
    ["from one that was killed before it wrote its name", { "a.lock": "" }],
    ["from one that was killed while it wrote its name", { "a.lock": '{"pid":' }],
    ["from one whose token is no name of a file", { "a.lock": owner("../../x") }],
    ["from one that was killed while it took over", { "a.lock": owner("t"), "t.next": owner("u") }],
    [
      "from a row of such processes",
      { "a.lock": owner("t"), "t.next": owner("u"), "u.next": owner("v"), "v.next": owner("w") },
    ],
    ["together with what others have left", { "a.lock": owner("t"), "z.next": owner("u"), [`${dead}.u.new`]: "" }],
    ["if only that is left", { "z.next": owner("u"), [`${dead}.u.new`]: owner("u"), [`${process.pid}.u.new`]: "" }],
  ];

  test.each(states)("%s, and nothing is left", async (_what, files) => {
    await mkdir(`${path}.d`);
    for (const [name, text] of Object.entries(files))
      await writeFile(name === "a.lock" ? path : join(`${path}.d`, name), text);
    const held = await lock();
    expect(await readdir(folder)).toEqual(["a.lock"]);
    await held.release();
    expect(await readdir(folder)).toEqual([]);
  });

  test.each(states.slice(0, 4))("%s without hard links, too", async (_what, files) => {
    links.areMissing = true;
    for (const text of Object.values(files)) await writeFile(path, text);
    const found = await Promise.all([tryLockFile(path), tryLockFile(path)]);
    const held = found.filter((one) => "release" in one);
    expect(held).toHaveLength(1);
    await held[0]?.release();
    expect(await readdir(folder)).toEqual([]);
  });

  test("from an earlier process with the id of this one", async () => {
    await writeFile(path, owner("t", { pid: process.pid, threadId: 3 }));
    await (await lock({ threadId: 3 })).release();
  });

  test.runIf(process.platform === "linux")("from a process whose id another one has now", async () => {
    await writeFile(path, owner("t", { pid: process.ppid, started: "1" }));
    await (await lock()).release();
  });

  test.runIf(process.platform === "linux")(
    "from a process that was killed and has a parent that never noticed",
    async () => {
      const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      try {
        const [line]: unknown[] = await once(parent.stdout, "data");
        const pid = Number(String(line));
        // The shell would notice; the program in its place does not.
        await eventually(async () => expect(await readFile(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n"));
        process.kill(pid, "SIGKILL");
        await eventually(async () => expect(await readFile(`/proc/${pid}/stat`, "utf8")).toContain(") Z "));
        await writeFile(path, owner("t", { pid }));
        await (await lock()).release();
      } finally {
        parent.kill("SIGKILL");
      }
    },
  );

  test("from another machine only if it is old, and the caller allows that", async () => {
    await writeFile(path, owner("t", { host: "elsewhere" }));
    expect(await tryLockFile(path, { foreignStaleMs: 60_000 })).toMatchObject({ host: "elsewhere" });
    const past = new Date(Date.now() - 120_000);
    await utimes(path, past, past);
    expect(await tryLockFile(path)).toMatchObject({ host: "elsewhere" });
    await (await lock({ foreignStaleMs: 60_000 })).release();
  });
});

describe("is not taken over", () => {
  const past = new Date(0);

  test("from a process that is only slow, however old the lock is", async () => {
    await writeFile(path, owner("t", { pid: process.ppid }));
    await utimes(path, past, past);
    expect(await tryLockFile(path, { foreignStaleMs: 1 })).toMatchObject({ token: "t" });
  });

  test("from another thread of this process", async () => {
    await writeFile(path, owner("t", { pid: process.pid, threadId: 3 }));
    expect(await tryLockFile(path, { threadId: 4 })).toMatchObject({ token: "t" });
  });

  test("while another process takes it over", async () => {
    await writeFile(path, owner("t"));
    await mkdir(`${path}.d`);
    await writeFile(join(`${path}.d`, "t.next"), owner("u", { pid: process.ppid }));
    expect(await tryLockFile(path)).toMatchObject({ token: "u" });
    expect(await readFile(path, "utf8")).toBe(owner("t"));
    expect(await readdir(`${path}.d`)).toEqual(["t.next"]);
  });

  test("by a process that was stalled, and whose marker is older than the lock", async () => {
    // The lock has passed to a process that runs. A marker of the generation before cannot replace it.
    await writeFile(path, owner("new", { pid: process.ppid }));
    await mkdir(`${path}.d`);
    await writeFile(join(`${path}.d`, "t.next"), owner("u"));
    expect(await tryLockFile(path)).toMatchObject({ token: "new" });
  });
});

describe("waiting", () => {
  test("ends when the lock is released", async () => {
    const first = await lock();
    const order: string[] = [];
    const second = waitForFileLock(path).then((held) => {
      order.push("second");
      return held.release();
    });
    order.push("first");
    await first.release();
    await second;
    expect(order).toEqual(["first", "second"]);
  });

  test("ends with an error that names the owner, if one holds the lock for too long", async () => {
    await writeFile(path, owner("t", { pid: process.ppid }));
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 50_000));
    const message = `${path} is held by process ${process.ppid} on ${hostname()}. If that process has ended, delete the file`;
    await expect(waitForFileLock(path)).rejects.toThrow(message);
  });
});

test("the name of an owner cannot control a terminal", () => {
  expect(describeOwner({ pid: 7, host: "a\u001b[2J\n", token: "t" })).toBe(String.raw`process 7 on a\u{1b}[2J\u{a}`);
});
