import { appendFile, mkdir, mkdtemp, rename, rm, truncate, unlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentMessage } from "pi-agent";
import { jsonlSessions } from "pi-agent/session";
import { postgresSessions } from "pi-agent/session/postgres";
import { sqliteSessions } from "pi-agent/session/sqlite";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Run } from "../record/run.js";
import { RunStore, type StoreChange } from "../record/run-store.js";
import type { PostgresPool } from "./databases.js";
import { type OpenedSource, openSource } from "./open-source.js";
import { pollSource, type Source } from "./source.js";

let folder: string;
let store: RunStore;
let opened: OpenedSource | undefined;
let now: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "inspect-follow-"));
  store = new RunStore();
  now = Date.now();
});
afterEach(async () => {
  await opened?.source.close();
  opened = undefined;
  await rm(folder, { recursive: true });
});

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
const user = (text: string) => ({ role: "user" as const, content: text, timestamp: 1000 });
const START = [lineOf({ type: "session", version: 1, at: 900 }), lineOf({ type: "run_start", at: 950 })];
const ASK = lineOf({ type: "message", message: user("Hello") });
const REPLY = lineOf({
  type: "message",
  message: { role: "assistant", model: "m", content: [{ type: "text", text: "Grüß dich" }], timestamp: 1100 },
});
const END = lineOf({ type: "run_end", at: 1300 });

async function openFile(name: string, ...lines: string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, lines.join(""));
  await open(path);
  return path;
}

async function open(place: string, sessions?: number): Promise<void> {
  opened = await openSource(place, { store, now: () => now, sessions });
}

const check = async (): Promise<void> => opened?.source.check();
const titles = (run: Run | undefined): string[] => run?.entries.map(({ title }) => title) ?? [];

describe("a session log that grows", () => {
  it("shows added lines, and reports the changes", async () => {
    const path = await openFile("chat.jsonl", ...START, ASK);
    expect(store.runs[0]?.summary).toMatchObject({ outcome: "running", title: "Hello" });
    const changes: [string, StoreChange][] = [];
    store.subscribe((run, index) => changes.push([run.summary.id, index]));
    await appendFile(path, REPLY);
    await check();
    expect(titles(store.runs[0])).toEqual(["Hello", "Grüß dich"]);
    expect(changes).toContainEqual(["1", 1]);
    await appendFile(path, END);
    await check();
    expect(store.runs[0]?.summary).toMatchObject({ outcome: "done", durationMs: 350 });
    expect(store.runs[0]?.entries[1]).toMatchObject({ durationMs: 200 });
  });

  it("reads a line that arrives in pieces once, wherever it is cut", async () => {
    const bytes = Buffer.from(`${START.join("")}${ASK}${REPLY}${END}`);
    for (let cut = 1; cut < bytes.length; cut += 7) {
      const path = await openFile("chat.jsonl", bytes.subarray(0, cut).toString("latin1").slice(0, 0));
      await appendFile(path, bytes.subarray(0, cut));
      await check();
      await appendFile(path, bytes.subarray(cut));
      await check();
      expect(store.runs).toHaveLength(1);
      expect(titles(store.runs[0])).toEqual(["Hello", "Grüß dich"]);
      await opened?.source.close();
      expect(store.runs).toEqual([]);
    }
  });

  it("reads a last line without its line break once", async () => {
    const path = await openFile("chat.jsonl", ...START, ASK.trimEnd());
    expect(titles(store.runs[0])).toEqual(["Hello"]);
    await appendFile(path, `\n${REPLY}{"broken\n${END}`);
    await check();
    expect(titles(store.runs[0])).toEqual(["Hello", "Grüß dich", 'Line 5 cannot be read: {"broken']);
  });

  it("counts as aborted after a quiet minute, shows its incomplete last line, and continues when it grows", async () => {
    const path = await openFile("chat.jsonl", ...START, ASK, '{"type":"mess');
    expect(titles(store.runs[0])).toEqual(["Hello"]);
    now += 61_000;
    await check();
    expect(store.runs[0]?.summary.outcome).toBe("aborted");
    expect(titles(store.runs[0])).toEqual(["Hello", 'Line 4 cannot be read: {"type":"mess']);
    await appendFile(path, `\n${REPLY}${END}`);
    await check();
    expect(store.runs).toHaveLength(1);
    expect(store.runs[0]?.summary).toMatchObject({ outcome: "done", requests: 1 });
  });

  it("is read from its beginning when it was truncated or replaced", async () => {
    const path = await openFile("chat.jsonl", ...START, ASK, REPLY, END);
    const dropped: StoreChange[] = [];
    store.subscribe((_, change) => change === "dropped" && dropped.push(change));
    await truncate(path, START.join("").length);
    await check();
    expect(store.runs.map(titles)).toEqual([[]]);
    const other = join(folder, "other");
    await writeFile(other, [...START, lineOf({ type: "message", message: user("Another") }), REPLY, END].join(""));
    await rename(other, path);
    await check();
    expect(store.runs.map(titles)).toEqual([["Another", "Grüß dich"]]);
    expect(dropped).toHaveLength(2);
    // In place, by a longer content, and by one of the same length.
    const longer = [...START, lineOf({ type: "message", message: user("Longer") }), REPLY, REPLY, END].join("");
    await writeFile(path, longer);
    await check();
    expect(store.runs.map(titles)).toEqual([["Longer", "Grüß dich", "Grüß dich"]]);
    await writeFile(path, longer.replace('"at":1300', '"at":1301').replace("Longer", "Larger"));
    await utimes(path, now / 1000 + 5, now / 1000 + 5);
    await check();
    expect(store.runs.map(titles)).toEqual([["Larger", "Grüß dich", "Grüß dich"]]);
  });

  it("keeps its runs while the file does not exist", async () => {
    const path = await openFile("chat.jsonl", ...START, ASK);
    await unlink(path);
    await expect(check()).rejects.toThrow("ENOENT");
    expect(titles(store.runs[0])).toEqual(["Hello"]);
  });
});

it("shows the exchanges that are added to a cassette", async () => {
  const exchange = (number: number): string =>
    [
      { type: "request", exchange: number, method: "POST", url: "https://a.test/?key=hunter2", headers: {}, body: {} },
      { type: "response", exchange: number, at: 1, status: 200, headers: { "x-api-key": "hunter2" } },
      { type: "end", exchange: number, at: 2 },
    ]
      .map(lineOf)
      .join("");
  const path = await openFile("cassette.jsonl", exchange(0));
  await appendFile(path, exchange(1));
  await check();
  expect(store.runs).toHaveLength(1);
  expect(store.runs[0]?.entries).toHaveLength(2);
  // A recording of another program may contain keys.
  expect(JSON.stringify([store.runs[0]?.entries, store.runs[0]?.describe(1)])).not.toContain("hunter2");
});

describe("a folder of logs", () => {
  it("adds the newest log last, shows added logs, and leaves out other files", async () => {
    const sessions = jsonlSessions(folder);
    await sessions.append("b", [user("One")]);
    await sessions.append("a", [user("Two")]);
    await writeFile(join(folder, "package.jsonl"), '{"name":"x"}\n');
    await writeFile(join(folder, "notes.txt"), "no");
    await mkdir(join(folder, "inner.jsonl"));
    await utimes(join(folder, "b.jsonl"), 1, 1);
    await open(folder);
    expect(store.runs.map(({ summary: { id, title } }) => [id, title])).toEqual([
      ["b.jsonl-1", "One"],
      ["a.jsonl-1", "Two"],
    ]);
    await sessions.append("c", [user("Three")]);
    await sessions.append("a", [user("Four")]);
    await unlink(join(folder, "b.jsonl"));
    await check();
    expect(store.runs.map(titles)).toEqual([["Two", "Four"], ["Three"]]);
  });
});

it("shows the sessions of an SQLite file, and added entries", async () => {
  const file = join(folder, "chats.db");
  const sessions = sqliteSessions(file);
  await sessions.append("b", [user("One")]);
  await open(file);
  expect(store.runs.map(({ summary: { id, source } }) => [id, source])).toEqual([["b-1", "chats.db b"]]);
  await sessions.append("b", [user("Two"), user("Three")]);
  await sessions.append("a", [user("Other")]);
  await check();
  expect(store.runs.map(titles)).toEqual([["One", "Two", "Three"], ["Other"]]);
  await sessions.delete("b");
  await check();
  expect(store.runs.map(titles)).toEqual([["Other"]]);
  await sessions.close();
});

describe.each<[string, () => Promise<string>]>([
  [
    "a folder",
    async () => {
      for (let id = 10; id < 30; id++) {
        await writeFile(join(folder, `chat-${id}.jsonl`), `${ASK}${lineOf({ type: "run_start", at: 1 })}${REPLY}`);
        await utimes(join(folder, `chat-${id}.jsonl`), id, id);
      }
      return folder;
    },
  ],
  [
    "an SQLite file",
    async () => {
      let time = 0;
      const clock = vi.spyOn(Date, "now").mockImplementation(() => ++time);
      onTestFinished(() => clock.mockRestore());
      const sessions = sqliteSessions(join(folder, "chats.db"));
      for (let id = 10; id < 30; id++) await sessions.append(`chat-${id}.jsonl`, [user("Hello")]);
      await sessions.close();
      return join(folder, "chats.db");
    },
  ],
])("%s with more sessions than are listed", (_, write) => {
  const listed = (): string[] => [...new Set(store.runs.map(({ summary }) => summary.id.slice(5, 7)))];

  it("lists the newest, and more when they are requested, searched or addressed", async () => {
    await open(await write(), 5);
    expect(listed()).toEqual(["25", "26", "27", "28", "29"]);
    expect(await store.sessions?.counts()).toEqual({ shown: 5, total: 20 });
    const oldest: string[] = [];
    store.subscribe((run, index) => index === "added as oldest" && oldest.push(run.summary.id));
    expect(await store.sessions?.open("chat-12.jsonl-1")).toBe(store.runs[0]);
    expect(await store.sessions?.open("chat-12.jsonl-9")).toBeUndefined();
    expect(await store.sessions?.open("none-1")).toBeUndefined();
    expect(await store.sessions?.find("chat-1")).toBe(10);
    expect(listed()).toEqual([
      "10",
      "11",
      "13",
      "14",
      "15",
      "16",
      "17",
      "18",
      "19",
      "12",
      "25",
      "26",
      "27",
      "28",
      "29",
    ]);
    expect(new Set(oldest).size).toBe(
      store.runs.length - store.runs.filter(({ summary }) => summary.id > "chat-2").length,
    );
    await store.sessions?.showMore();
    expect(listed().slice(0, 5)).toEqual(["20", "21", "22", "23", "24"]);
    expect(await store.sessions?.counts()).toEqual({ shown: 20, total: 20 });
    // The runs of a session keep their order, and no run is listed twice.
    await check();
    expect(
      store.runs.filter(({ summary }) => summary.id.startsWith("chat-12")).map(({ summary }) => summary.id),
    ).toEqual(_ === "a folder" ? ["chat-12.jsonl-1", "chat-12.jsonl-2"] : ["chat-12.jsonl-1"]);
    expect(listed()).toHaveLength(20);
  });
});

/** Imitates the tables of PostgreSQL for the queries of the inspector and of `append`. */
function fakePool(entries: Record<string, string[]>): PostgresPool & { ended: boolean } {
  const pool = {
    ended: false,
    query: async (text: string, values: string[] = []) => {
      if (text.includes("to_regclass")) return { rows: [{ sessions: "pi_session_entries" }] };
      if (text.includes("FROM pi_sessions"))
        return { rows: Object.entries(entries).map(([id, { length }]) => ({ id, size: `${length}`, updated: "1" })) };
      const [id = "", after] = values;
      const rows = (entries[id] ?? []).map((entry, index) => ({ position: `${index + 1}`, entry }));
      return { rows: rows.slice(Number(after)) };
    },
    end: async () => {
      pool.ended = true;
    },
  };
  return pool;
}

describe("PostgreSQL", () => {
  it("shows the sessions, and added entries", async () => {
    const entry = (text: string): string => lineOf({ type: "message", message: user(text) });
    const entries = { a: [entry("One")] };
    const pool = fakePool(entries);
    const connect = vi.fn(async () => pool);
    opened = await openSource("postgres://me:hunter2@db.test/chat", { store, now: () => now }, { connect });
    expect(store.runs.map(({ summary: { source, title } }) => [source, title])).toEqual([["chat a", "One"]]);
    entries.a.push(entry("Two"));
    await check();
    expect(store.runs.map(titles)).toEqual([["One", "Two"]]);
    await opened.source.close();
    expect(pool.ended).toBe(true);
  });

  it("reports why it cannot be read, without the password", async () => {
    const fail = (message: string) => async () => ({
      ...fakePool({}),
      query: () => Promise.reject(new Error(message)),
    });
    const url = "postgres://me:hunter2@db.test/chat";
    const opening = openSource(url, { store, now: () => now }, { connect: fail(`no connection to ${url}`) });
    await expect(opening).rejects.toThrow("The database cannot be read: no connection to postgres://me:[redacted]@");
    await expect(openSource(url, { store, now: () => now }, { tablePrefix: "a; DROP" })).rejects.toThrow("lower-case");
    const noTables = async () => ({ ...fakePool({}), query: async () => ({ rows: [] }) });
    await expect(openSource(url, { store, now: () => now }, { connect: noTables })).rejects.toThrow(
      "There is no table pi_session_entries",
    );
  });

  it("reads the tables that the store of sessions writes", async () => {
    const texts: string[] = [];
    const client = {
      query: async (text: string) => {
        texts.push(text);
        return { rows: [] };
      },
    };
    await postgresSessions(client)
      .append("a", [user("One")] satisfies AgentMessage[])
      .catch(() => {});
    const tables = texts.join("\n");
    for (const column of ["id text", "size bigint", "updated_at timestamptz", "position bigint", "entry text"])
      expect(tables).toContain(column);
  });
});

describe("a place that cannot be read", () => {
  it.each<[string, () => Promise<string>, string]>([
    ["a missing file", async () => join(folder, "none.jsonl"), "There is no file or folder none.jsonl"],
    [
      "another file",
      async () => write("a.jsonl", '{"a":1}\n'),
      "a.jsonl is neither a session log nor a cassette, nor the steps of a durable run. pi-inspect --help lists what can be opened",
    ],
    [
      "another server",
      async () => "redis://127.0.0.1/0",
      "pi-inspect opens files, folders and postgres:// addresses, not redis://.",
    ],
    ["binary data", async () => write("a.bin", "\0\u0001\u0002\n\0"), "a.bin is neither a session log nor a cassette"],
    ["a damaged database", async () => write("a.db", "SQLite format 3\0rest"), "file is not a database"],
  ])("is an error: %s", async (_, make, message) => {
    await expect(openSource(await make(), { store, now: () => now })).rejects.toThrow(message);
    expect(store.runs).toEqual([]);
  });

  async function write(name: string, text: string): Promise<string> {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  }
});

it("checks at intervals, one check at a time, continues after a failure, and pauses after a slow check", async () => {
  vi.useFakeTimers();
  let checks = 0;
  let fail = (): void => {};
  const source: Source = {
    check: () => {
      checks++;
      return new Promise((_, reject) => {
        fail = () => reject(new Error("away"));
      });
    },
    close: async () => {},
  };
  const stop = pollSource(source, undefined);
  await vi.advanceTimersByTimeAsync(2000);
  expect(checks).toBe(1);
  fail();
  await vi.advanceTimersByTimeAsync(5000);
  expect(checks).toBe(1);
  await vi.advanceTimersByTimeAsync(3500);
  expect(checks).toBe(2);
  fail();
  await stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
