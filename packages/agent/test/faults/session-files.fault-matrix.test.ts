/** The stores of sessions in folders into which others have put links, pipes and folders. */
import { execFileSync } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerApproval, sessionSteps } from "pi-agent/durable/session";
import { createSessionLog, jsonlSessions, loadSession, SessionLogError } from "pi-agent/session";
import { sqliteSessions } from "pi-agent/session/sqlite";
import { tryLockFile } from "pi-ai/file-lock";
import { afterEach, beforeEach, expect, type TestContext, test } from "vitest";

const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });

let folder: string;
let elsewhere: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "session-files-"));
  elsewhere = await mkdtemp(join(tmpdir(), "elsewhere-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(elsewhere, { recursive: true, force: true });
});

/** What may stand in the place of a file. Nobody has the other end of the pipe open. */
const OTHER_THINGS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  "a folder": (path) => mkdir(path),
  "a pipe": async (path) => execFileSync("mkfifo", [path]),
  "a link to a file": async (path) => {
    await writeFile(join(elsewhere, "target"), "untouched");
    await symlink(join(elsewhere, "target"), path);
  },
  "a link that leads nowhere": (path) => symlink(join(elsewhere, "missing"), path),
};
const NAMES = Object.keys(OTHER_THINGS);

async function put(context: TestContext, name: string, path: string): Promise<void> {
  if (process.platform === "win32") context.skip("Windows has no pipes in folders, and links need a permission");
  await OTHER_THINGS[name]?.(path);
}

/** What stood there stands there still, and nothing was written behind a link. */
async function expectUntouched(path: string): Promise<void> {
  expect((await lstat(path)).isFile()).toBe(false);
  for (const file of await readdir(elsewhere)) {
    expect(file).toBe("target");
    expect(await readFile(join(elsewhere, file), "utf8")).toBe("untouched");
  }
}

const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;

test("#207 new files of both stores are readable by their owner only", async (context) => {
  if (process.platform === "win32") context.skip("Windows has no modes of files");
  const files = jsonlSessions(join(folder, "new"));
  await files.append("a", [user("Hi")]);
  await files.branch("a", { at: 1, to: "b" });
  const log = await files.log("a");
  expect(await modeOf(join(folder, "new"))).toBe(0o700);
  for (const name of ["a.jsonl", "b.jsonl", "a.jsonl.lock"])
    expect([name, await modeOf(join(folder, "new", name))]).toEqual([name, 0o600]);
  await log.close();
  const sqlite = sqliteSessions(join(folder, "s.db"));
  await sqlite.append("a", [user("Hi")]);
  for (const name of ["s.db", "s.db-wal", "s.db-shm"])
    expect([name, await modeOf(join(folder, name))]).toEqual([name, 0o600]);
  await sqlite.close();
});

test.for(NAMES)("#208 %s among the sessions hides no other, and is refused by its name", async (name, context) => {
  const sessions = jsonlSessions(folder);
  await sessions.append("good", [user("Hi")]);
  const bad = join(folder, "bad.jsonl");
  await put(context, name, bad);
  expect((await sessions.list()).map(({ id }) => id)).toEqual(["good"]);
  const refused = { name: "SessionLogError", message: `${bad} is not a regular file` };
  await expect(sessions.load("bad")).rejects.toMatchObject(refused);
  await expect(sessions.log("bad")).rejects.toMatchObject(refused);
  await expect(sessions.append("bad", [user("Hi")])).rejects.toMatchObject(refused);
  await expect(sessions.delete("bad")).rejects.toMatchObject(refused);
  await expect(sessions.branch("good", { at: 1, to: "bad" })).rejects.toThrow("already exists");
  await expectUntouched(bad);
  expect(await sessions.load("good")).toMatchObject({ messages: [user("Hi")] });
});

test("#208 a file that may not be read hides no other", async () => {
  const sessions = jsonlSessions(folder);
  await sessions.append("good", [user("Hi")]);
  await writeFile(join(folder, "bad.jsonl"), "", { mode: 0o000 });
  expect((await sessions.list()).map(({ id }) => id).sort()).toEqual(["bad", "good"]);
});

test.for(NAMES)("#209 %s as a log, a file of steps or of answers is refused", async (name, context) => {
  const bad = join(folder, "bad.jsonl");
  await put(context, name, bad);
  for (const open of [createSessionLog, loadSession, sessionSteps]) {
    await expect(open(bad)).rejects.toThrow(SessionLogError);
    await expect(open(bad)).rejects.toThrow(`${bad} is not a regular file`);
  }
  await expect(answerApproval(bad, "a", { approved: true })).rejects.toThrow(`${bad} is not a regular file`);
  await expectUntouched(bad);
  await rm(join(elsewhere, "target"), { force: true });
  const run = join(folder, "run.jsonl");
  await expect(answerApproval(run, "a", { approved: true })).rejects.toThrow("ENOENT");
  await (await sessionSteps(run)).close();
  await put(context, name, `${run}.answers`);
  await expect(answerApproval(run, "a", { approved: true })).rejects.toThrow(`${run}.answers is not a regular file`);
  await expectUntouched(`${run}.answers`);
});

test.for(NAMES)(
  "#210 %s as the lock, or in the place of its folder, is refused and leaves no lock",
  async (name, context) => {
    const sessions = jsonlSessions(folder);
    await sessions.append("good", [user("Hi")]);
    const lock = join(folder, "good.jsonl.lock");
    await put(context, name, lock);
    await expect(sessions.append("good", [user("More")])).rejects.toThrow(`${lock} is not a regular file`);
    await expectUntouched(lock);
    await rm(lock, { recursive: true });
    await rm(join(elsewhere, "target"), { force: true });
    // A folder is what belongs there.
    if (name === "a folder") return;
    await put(context, name, `${lock}.d`);
    await expect(sessions.append("good", [user("More")])).rejects.toThrow(`${lock}.d is not a folder`);
    await expectUntouched(`${lock}.d`);
    expect((await readdir(folder)).sort()).toEqual(["good.jsonl", "good.jsonl.lock.d"]);
  },
);

test("#210 a link to a folder in the place of the lock's own is refused and leaves no lock", async (context) => {
  if (process.platform === "win32") context.skip("links need a permission on Windows");
  const lock = join(folder, "a.lock");
  await symlink(elsewhere, `${lock}.d`);
  await writeFile(join(elsewhere, `${process.pid}.mine.new`), "of somebody");
  await expect(tryLockFile(lock)).rejects.toThrow(`${lock}.d is not a folder`);
  expect(await readdir(elsewhere)).toEqual([`${process.pid}.mine.new`]);
  expect(await readdir(folder)).toEqual(["a.lock.d"]);
});

test("#210 what somebody has put into the folder of a lock does not stop it", async (context) => {
  const lock = join(folder, "a.lock");
  await mkdir(`${lock}.d`);
  await put(context, "a pipe", join(`${lock}.d`, "a.next"));
  await put(context, "a link that leads nowhere", join(`${lock}.d`, "b.next"));
  const held = await tryLockFile(lock);
  if (!("release" in held)) return expect.unreachable();
  await held.release();
  expect((await readdir(`${lock}.d`)).sort()).toEqual(["a.next", "b.next"]);
});

test.for(NAMES)("#211 %s as the file of SQLite, or beside it, is refused", async (name, context) => {
  const bad = join(folder, "s.db");
  await put(context, name, bad);
  expect(() => sqliteSessions(bad)).toThrow(SessionLogError);
  expect(() => sqliteSessions(bad)).toThrow(`${bad} is not a regular file`);
  await expectUntouched(bad);
  await rm(join(elsewhere, "target"), { force: true });
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    const file = join(folder, `t${suffix}.db`);
    await put(context, name, `${file}${suffix}`);
    expect(() => sqliteSessions(file)).toThrow(`${file}${suffix} is not a regular file`);
    await expectUntouched(`${file}${suffix}`);
  }
});

/** Each has failed a store of files somewhere: folders, devices, other drives, hidden files, the end of a C string. */
const IDS = [
  "../a",
  "..",
  ".",
  "a/b",
  "a\\b",
  "/etc/passwd",
  "C:\\a",
  "",
  ".a",
  "-a",
  "a b",
  "a\0b",
  "a\nb",
  "é",
  "a".repeat(101),
];

test.each(["jsonl", "sqlite"])("#212 an id that would lead elsewhere is refused: %s", async (kind) => {
  const inside = join(folder, "inside");
  await mkdir(inside);
  const sessions = kind === "jsonl" ? jsonlSessions(inside) : sqliteSessions(join(inside, "s.db"));
  await sessions.append("a", [user("Hi")]);
  for (const id of [...IDS, 7 as unknown as string, { toString: () => "a" } as unknown as string]) {
    for (const work of [
      () => sessions.log(id),
      () => sessions.append(id, []),
      () => sessions.load(id),
      () => sessions.delete(id),
      () => sessions.branch(id, { at: 0 }),
      () => sessions.branch("a", { at: 0, to: id }),
    ])
      await expect(work(), JSON.stringify(id)).rejects.toThrow("The id of a session must have 1 to 100 letters");
  }
  expect((await sessions.list()).map(({ id }) => id)).toEqual(["a"]);
  await sessions.close();
  expect(await readdir(folder)).toEqual(["inside"]);
});
