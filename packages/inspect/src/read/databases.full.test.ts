/** Tests reading sessions from a real PostgreSQL server with the real `pg`. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createPostgresEventStore } from "pi-agent/event-store/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DatabaseServer, noPostgres, startPostgres } from "../../../../test/support/database-servers.js";
import { type OpenedStore, STORES } from "../../../agent/test/session/stores.js";
import { RunStore } from "../record/run-store.js";
import { respond } from "../server/api.js";
import { type OpenOptions, openSource } from "./open-source.js";
import type { Source } from "./source.js";

/** A folder from which `pg` can be resolved. */
const FOLDER = join(import.meta.dirname, "../../../agent");
const user = (text: string) => ({ role: "user" as const, content: text, timestamp: 1000 });

const sources: Source[] = [];
afterEach(async () => {
  for (const source of sources.splice(0)) await source.close();
});

async function open(url: string, store: RunStore, options: Partial<OpenOptions> = {}): Promise<Source> {
  const { source } = await openSource(url, { store, now: () => 1e15, ...options }, { folder: FOLDER });
  sources.push(source);
  return source;
}

describe.skipIf(noPostgres)(`a PostgreSQL server${noPostgres ? ` (skipped: ${noPostgres})` : ""}`, () => {
  let server: DatabaseServer;
  let sessions: OpenedStore;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = `postgres://test@${encodeURIComponent(server.folder)}/postgres`;
  });
  afterAll(async () => {
    await sessions?.close();
    await server?.stop();
  });

  const titles = (store: RunStore): string[] =>
    store.runs.flatMap(({ summary, entries }) => entries.map(({ title }) => `${summary.id} ${title}`));

  // Must be the first test: the next one creates tables.
  it("cannot be opened without the tables of sessions", async () => {
    await expect(open(url, new RunStore())).rejects.toThrow(
      "The database cannot be read: There is no table pi_session_entries",
    );
  });

  it("cannot be opened with events of runs only, and the error names what can be opened", async () => {
    const { default: pg } = await import(join(FOLDER, "node_modules/pg/esm/index.mjs"));
    const pool = new pg.Pool({ host: server.folder, user: "test", database: "postgres", max: 1 });
    const events = createPostgresEventStore(pool);
    await events.append("run-1", { type: "agent_start" });
    await pool.end();
    await expect(open(url, new RunStore())).rejects.toThrow(
      /no table pi_session_entries\. The database has events of runs .* sessions \(pi-agent\/session\/postgres\) can$/,
    );
  });

  it("shows its sessions, added entries, and deletions", async () => {
    const opened = STORES["pg"]?.(server.folder);
    if (!opened) throw new Error("There is no such store");
    sessions = opened;
    await sessions.store.append("b", [user("One"), user("Grüße 🌍")]);
    const store = new RunStore();
    const source = await open(url, store);
    expect(store.runs[0]?.summary).toMatchObject({ id: "b-1", source: "postgres b", title: "One" });
    await sessions.store.append("b", [user("Two")]);
    await sessions.store.append("a", [user("Other")]);
    await source.check();
    expect(titles(store)).toEqual(["b-1 One", "b-1 Grüße 🌍", "b-1 Two", "a-1 Other"]);
    await sessions.store.delete("b");
    await source.check();
    expect(titles(store)).toEqual(["a-1 Other"]);
  });

  it("reads entries again that were dropped from memory", async () => {
    const messages = Array.from({ length: 1200 }, (_, index) => user(`Message ${index}`));
    await sessions.store.append("long", messages);
    const store = new RunStore({ entries: 100 });
    await open(url, store);
    const run = store.get("long-1");
    expect(run?.kept).toBeLessThanOrEqual(100);
    expect(await respond(store, ["runs", "long-1", "entries", "700"], new URLSearchParams())).toMatchObject({
      sections: [{ title: "Text", text: "Message 700" }],
    });
    expect(await respond(store, ["runs", "long-1", "search"], new URLSearchParams({ q: "message 55" }))).toEqual({
      hits: [55, ...Array.from({ length: 10 }, (_, index) => 550 + index)],
      more: false,
    });
  });

  it("lists the newest of many sessions, and finds others by their names", async () => {
    for (let id = 10; id < 20; id++) await sessions.store.append(`chat_${id}`, [user(`Ask ${id}`)]);
    const store = new RunStore();
    await open(url, store, { sessions: 2 });
    expect(titles(store)).toEqual(["chat_18-1 Ask 18", "chat_19-1 Ask 19"]);
    expect(await store.sessions?.counts()).toEqual({ shown: 2, total: 12 });
    expect(await store.sessions?.find("_12")).toBe(1);
    expect(await store.sessions?.find("%' OR 1=1 --")).toBe(0);
    expect((await store.sessions?.open("chat_15-1"))?.entries[0]?.title).toBe("Ask 15");
    expect(titles(store)[0]).toBe("chat_15-1 Ask 15");
    await store.sessions?.showMore();
    expect(store.runs).toHaveLength(12);
  });

  it("reconnects when the server has closed the connection", async () => {
    const store = new RunStore();
    const source = await open(url, store);
    const before = store.runs.length;
    const { default: pg } = await import(join(FOLDER, "node_modules/pg/esm/index.mjs"));
    const pool = new pg.Pool({ host: server.folder, user: "test", database: "postgres", max: 1 });
    await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pi-inspect'");
    await pool.end();
    await source.check().catch(() => {});
    await source.check();
    expect(store.runs).toHaveLength(before);
  });

  it("reads addresses that name the folder of the socket as a parameter", async () => {
    const store = new RunStore();
    await open(`postgres://test@/postgres?host=${server.folder}`, store);
    expect(store.runs[0]?.summary.source).toMatch(/^postgres /);
  });

  it("reports why it cannot be reached", async () => {
    const away = `postgres://test:hunter2@${encodeURIComponent(`${server.folder}/none`)}/postgres`;
    const error = await open(away, new RunStore()).catch(String);
    expect(error).toContain("The database cannot be read: connect ENOENT");
    expect(error).not.toContain("hunter2");
  });
});

it("names the package that is missing, and the command that installs it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "inspect-no-pg-"));
  try {
    const [resolve, program] = ["../../../../scripts/resolve-sources.ts", "../cli.ts"].map((path) =>
      join(import.meta.dirname, path),
    );
    const words = ["--no-warnings", "--import", resolve ?? "", program ?? "", "postgres://localhost/chat"];
    // Without the package paths that the test runner sets.
    const run = promisify(execFile)(process.execPath, words, { cwd: folder, env: {} });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: "pi-inspect reads PostgreSQL with the package pg. Install it in this folder: npm install pg\n",
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
