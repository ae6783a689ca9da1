/** One suite for the three stores of sessions; PostgreSQL is a real server, with both of its clients. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { Agent, type AgentMessage } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { type SessionLog, SessionLogError } from "pi-agent/session";
import { postgresSessions } from "pi-agent/session/postgres";
import { sqliteSessions } from "pi-agent/session/sqlite";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type DatabaseServer, noPostgres, startPostgres } from "../../../../test/support/database-servers.js";
import { tool as createTool } from "../scripted-tool.js";
import { logged } from "./logged.js";
import { type OpenedStore, STORES } from "./stores.js";

let folder: string;
let server: DatabaseServer | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "session-stores-"));
  if (!noPostgres) server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => void vi.useRealTimers());

const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });
const callWork = () => fauxAssistantMessage(fauxToolCall("work", {}, { id: "c1" }), { stopReason: "toolUse" });

type Steps = Parameters<typeof createScriptedStreamFn>[0];
function createAgent(steps: Steps, messages: AgentMessage[] = [], onListenerError?: (error: unknown) => void): Agent {
  return new Agent({
    initialState: { tools: [createTool("work")], messages },
    streamFn: createScriptedStreamFn(steps),
    ...(onListenerError ? { onListenerError } : {}),
  });
}

describe.each(Object.keys(STORES))("the store %s", (name) => {
  const isDatabase = name === "pg" || name === "postgres.js";
  let opened: OpenedStore | undefined;
  let counter = 0;

  /** A separate store for each test; PostgreSQL's is shared, with separate ids. */
  const open = (): OpenedStore["store"] => {
    const place = isDatabase ? (server?.folder ?? "") : join(folder, `${name}-${counter}`);
    opened = STORES[name]?.(place);
    if (!opened) throw new Error(`There is no store ${name}`);
    return opened.store;
  };
  const newId = (): string => `${name}-${++counter}`;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  const test = it.skipIf(isDatabase && noPostgres !== undefined);
  const title = isDatabase && noPostgres ? ` (skipped: ${noPostgres})` : "";

  test(`restores a conversation, and continues it${title}`, async () => {
    const id = newId();
    const store = open();
    expect(await store.load(id)).toBeUndefined();
    const first = createAgent([callWork(), fauxAssistantMessage("Grüße 🌍 \u0000 \ud800")]);
    const log = await logged(first, store.log(id));
    await first.prompt("Go.");
    await log.close();
    const loaded = await store.load(id);
    expect(loaded).toMatchObject({ interrupted: false, notices: [], skipped: [] });
    expect(loaded?.messages).toEqual(first.state.messages);

    const second = createAgent([fauxAssistantMessage("Again.")], loaded?.messages);
    const again = await logged(second, store.log(id));
    await second.prompt("More.");
    await again.flush();
    expect((await store.load(id))?.messages).toEqual(second.state.messages);
    const stored = second.state.messages.slice();
    second.reset();
    second.state.messages = [user("Anew")];
    await again.close();
    const third = createAgent([fauxAssistantMessage("Yes.")], [user("Other")]);
    const last = await logged(third, store.log(id));
    await third.prompt("More.");
    expect(third.state.errorMessage).toContain(
      "lacks 4 of the 4 stored messages".replaceAll("4", String(stored.length)),
    );
    last.replace();
    third.state.messages = [user("Other")];
    await third.prompt("More.");
    await last.close();
    const { replaced } = (await store.load(id)) ?? { replaced: [] };
    expect(replaced.at(-1)?.messages).toEqual(stored);
    const branch = await store.branch(id, { of: replaced.at(-1)?.name ?? "" });
    expect((await store.load(branch))?.messages).toEqual(stored);
    await expect(store.branch(id, { of: "none" })).rejects.toThrow("has no replaced conversation none");
    expect((await store.load(id))?.messages).toEqual(third.state.messages);
  });

  test(`refuses to append what it could not give back${title}`, async () => {
    const id = newId();
    const store = open();
    const wrong = { role: "assistant", content: "Yes." };
    await expect(store.append(id, [user("Go."), wrong as never])).rejects.toThrow(/^messages\[1\] must be/);
    expect(await store.load(id)).toBeUndefined();
  });

  test(`repairs a run that was cut off between its tools${title}`, async () => {
    const id = newId();
    const store = open();
    await store.append(id, [user("Go."), callWork()]);
    await store.append(id, [fauxAssistantMessage("Half", { stopReason: "aborted" })]);
    expect(await store.load(id)).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant" },
        { role: "toolResult", toolCallId: "c1", isError: true },
        { role: "assistant", content: [{ text: "Half" }] },
      ],
      notices: ["1 tool calls had no result and got an error result"],
    });
  });

  test(`lists the sessions that were written last first${title}`, async () => {
    const store = open();
    const before = (await store.list({ limit: 1000 })).length;
    const ids = [newId(), `UPPER.${newId()}`, newId()];
    for (const [index, id] of ids.entries()) {
      await store.append(id, [user("Hi")], { now: () => index + 5 });
      // Clocks of file systems and SQLite count milliseconds.
      for (const began = Date.now(); Date.now() <= began + 1; );
    }
    await store.append(ids[0] ?? "", [user("More")]);
    const listed = await store.list({ limit: 1000 });
    expect(listed).toHaveLength(before + 3);
    expect(listed.slice(0, 3).map(({ id }) => id)).toEqual([ids[0], ids[2], ids[1]]);
    expect(listed.slice(0, 3).map(({ createdAt }) => createdAt)).toEqual([5, 7, 6]);
    expect(listed[0]?.updatedAt).toBeGreaterThan(listed[1]?.updatedAt ?? Number.POSITIVE_INFINITY);
    expect(Math.abs((listed[0]?.updatedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await store.list({ limit: 1, offset: 1 })).toEqual(listed.slice(1, 2));
  });

  test(`branches at a message, and never between a tool call and its results${title}`, async () => {
    const id = newId();
    const store = open();
    const agent = createAgent([callWork(), fauxAssistantMessage("Done.")]);
    const log = await logged(agent, store.log(id));
    await agent.prompt("Go.");
    await log.close();
    const { messages } = agent.state;
    expect(messages).toHaveLength(4);
    for (const at of [0, 1, 3, 4]) {
      const branch = await store.branch(id, { at, now: () => 9 });
      expect((await store.load(branch))?.messages).toEqual(messages.slice(0, at));
      expect((await store.list({ limit: 1000 })).find((each) => each.id === branch)).toMatchObject({
        createdAt: 9,
        from: { id, messages: at },
      });
    }
    await expect(store.branch(id, { at: 2 })).rejects.toThrow("Message 2 is the result of a tool call");
    await expect(store.branch(id, { at: 5 })).rejects.toThrow("A session of 4 messages cannot be branched at 5");
    await expect(store.branch("none", { at: 0 })).rejects.toThrow("There is no session none");
    const to = newId();
    await store.branch(id, { at: 1, to });
    await expect(store.branch(id, { at: 1, to })).rejects.toThrow(`The session ${to} already exists`);

    const other = createAgent([fauxAssistantMessage("Otherwise.")], (await store.load(to))?.messages);
    const otherLog = await logged(other, store.log(to));
    await other.continue();
    await otherLog.close();
    expect((await store.load(to))?.messages).toEqual(other.state.messages);
    expect((await store.load(id))?.messages).toEqual(messages);
  });

  test(`allows one writer per session at a time${title}`, async () => {
    const id = newId();
    const store = open();
    const log = await logged(createAgent([]), store.log(id));
    await expect(logged(createAgent([]), store.log(id))).rejects.toThrow(SessionLogError);
    await expect(store.append(id, [user("Hi")])).rejects.toThrow(/ in use by /);
    await expect(store.delete(id)).rejects.toThrow(/ in use by /);
    await log.close();
    await store.append(id, [user("Hi")]);
    // Many at once: one of them gets the session, and no messages are mixed.
    const attempts = Array.from({ length: 12 }, (_, index) => store.append(id, [user(`${index}a`), user(`${index}b`)]));
    const settled = await Promise.allSettled(attempts);
    const won = settled.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
    const texts = (await store.load(id))?.messages.slice(1).map((message) => "content" in message && message.content);
    expect(won.length).toBeGreaterThan(0);
    expect(texts?.length).toBe(won.length * 2);
    for (const index of won) expect(texts?.[(texts?.indexOf(`${index}a`) ?? -2) + 1]).toBe(`${index}b`);
    await store.delete(id);
    await store.delete(id);
    expect(await store.load(id)).toBeUndefined();
  });

  /** What makes a writer lose its session: another one takes it by force. Files have a lock that a person may delete. */
  const take = async (id: string): Promise<SessionLog> => {
    if (name === "jsonl") await rm(join(folder, `${name}-${counter}`, `${id}.jsonl.lock`));
    return opened?.store.open(id, { takeOver: true, onError: () => {} }) as Promise<SessionLog>;
  };
  const lossOf = (id: string): RegExp =>
    name === "jsonl"
      ? /^The lock of the session log .* is gone/
      : new RegExp(`^Another writer has taken the session ${id} over`);

  test(`end the run of a writer that has lost its session, before a call that was approved runs twice${title}`, async () => {
    const id = newId();
    const store = open();
    let ran = 0;
    const create = (session: SessionLog, steps: Steps): Agent =>
      new Agent({
        initialState: {
          messages: session.messages,
          tools: [createTool("work", async () => ({ content: [], details: ran++ }))],
        },
        middleware: [session, approvals({ when: () => true, pause: true })],
        streamFn: createScriptedStreamFn(steps),
      });
    const onLost = vi.fn();
    const lost = await store.open(id, { onLost, onError: () => {} });
    const old = create(lost, [callWork(), fauxAssistantMessage("Done.")]);
    await old.prompt("Go.");
    await old.answer([{ id: "c1", approved: true }]);
    const taken = await take(id);
    const next = create(taken, [fauxAssistantMessage("Done.")]);
    await next.answer([{ id: "c1", approved: true }]);
    await next.continue();
    const { messages: stored } = (await store.load(id)) ?? {};

    await old.continue();
    expect(ran).toBe(1);
    expect(old.state.errorMessage).toMatch(lossOf(id));
    expect(onLost).toHaveBeenCalledOnce();
    expect(old.state.messages.at(-2)).toMatchObject({ role: "toolResult", isError: true });
    old.followUp("Later.");
    await old.prompt("Again.");
    expect(old.state.errorMessage).toMatch(lossOf(id));
    expect(old.state.messages.findLast(({ role }) => role === "user")).toMatchObject({ content: [{ text: "Again." }] });
    expect(old.hasQueuedMessages()).toBe(true);
    expect(lost.queued).toHaveLength(1);
    await expect(lost.close()).rejects.toThrow(lossOf(id));
    expect((await store.load(id))?.messages).toEqual(stored);
    await taken.close();
    expect((await store.load(id))?.messages).toEqual(next.state.messages);
    await store.append(id, [user("Free again")]);
  });

  test(`let no further call begin when the session is lost between two calls${title}`, async () => {
    const id = newId();
    const store = open();
    const ran: string[] = [];
    const lost = await store.open(id, { onError: () => {} });
    let taken: SessionLog | undefined;
    const calls = ["c1", "c2", "c3"].map((one) => fauxToolCall("work", {}, { id: one }));
    const agent = createAgent([fauxAssistantMessage(calls, { stopReason: "toolUse" }), fauxAssistantMessage("No.")]);
    agent.toolExecution = "sequential";
    agent.middleware = [lost];
    agent.state.tools = [
      createTool("work", async (call) => {
        ran.push(call);
        if (call === "c2") taken = await take(id);
        return { content: [], details: undefined };
      }),
    ];
    await agent.prompt("Go.");
    expect(ran.slice(0, 2)).toEqual(["c1", "c2"]);
    expect(agent.state.errorMessage).toMatch(lossOf(id));
    expect(agent.state.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "toolResult",
      "toolResult",
      "assistant",
    ]);
    await expect(lost.close()).rejects.toThrow(lossOf(id));
    await taken?.close();
  });

  test.each(["", "../x", "a/b", "a\\b", ".hidden", "ä", "a\u0000", "x".repeat(101), "%41"])(
    `rejects the id %j${title}`,
    async (id) => {
      const store = open();
      await expect(store.load(id)).rejects.toThrow(SessionLogError);
      await expect(store.append(id, [])).rejects.toThrow(SessionLogError);
      await expect(store.delete(id)).rejects.toThrow(SessionLogError);
      await expect(logged(createAgent([]), store.log(id))).rejects.toThrow(SessionLogError);
    },
  );

  test(`accepts the longest id, and distinguishes upper and lower case${title}`, async () => {
    const store = open();
    const id = `${newId()}${"X".repeat(60)}`.padEnd(100, "-_.");
    await store.append(id, [user("Hi")]);
    expect(await store.load(id.toLowerCase())).toBeUndefined();
    expect((await store.list({ limit: 1 }))[0]?.id).toBe(id);
  });
});

describe("sessions in PostgreSQL", () => {
  const test = it.skipIf(noPostgres !== undefined);
  const title = noPostgres ? ` (skipped: ${noPostgres})` : "";
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ host: server?.folder ?? "", user: "test", database: "postgres", max: 8 });
  });
  afterAll(() => pool.end());

  test(`are free when a lease has expired, and renewed until then${title}`, async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const store = postgresSessions(pool, { tablePrefix: "lease_", leaseMs: 60_000 });
    const onLost = vi.fn();
    const log = await logged(createAgent([]), store.log("a", { onLost }));
    const readLease = async (): Promise<number> =>
      Number((await pool.query("SELECT extract(epoch FROM lease_until) AS until FROM lease_sessions")).rows[0].until);
    const before = await readLease();
    vi.advanceTimersByTime(20_000);
    await vi.waitFor(async () => expect(await readLease()).toBeGreaterThan(before));
    await pool.query("UPDATE lease_sessions SET lease_until = now() - interval '1 second'");
    await store.append("a", [user("Hi")]);
    vi.advanceTimersByTime(20_000);
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledOnce());
    await expect(log.flush()).rejects.toThrow("Another writer has taken the session a over");
    await log.close();
    expect((await store.load("a"))?.messages).toEqual([user("Hi")]);
  });

  test(`let no call begin when the lease has run out and cannot be renewed, and store the rest later${title}`, async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    let isDown = false;
    const client = {
      query: (text: string, values?: string[]) =>
        isDown ? Promise.reject(new Error("No route to host")) : pool.query(text, values),
    };
    const store = postgresSessions(client, { tablePrefix: "cut_off_", leaseMs: 60_000 });
    const session = await store.open("a", { onError: () => {} });
    const agent = createAgent([callWork(), fauxAssistantMessage("One."), fauxAssistantMessage("Two.")]);
    agent.middleware = [session];
    agent.subscribe((event) => {
      if (event.type !== "tool_execution_start") return;
      isDown = true;
      vi.advanceTimersByTime(61_000);
    });
    await agent.prompt("Go.");
    const text = "The lease on the session a ran out, because the database could not be reached";
    expect(agent.state.errorMessage).toBe(text);
    expect(agent.state.messages.at(-2)).toMatchObject({ role: "toolResult", isError: true, content: [{ text }] });
    isDown = false;
    await agent.prompt("More.");
    await session.close();
    expect((await store.load("a"))?.messages).toEqual(agent.state.messages);
  });

  test(`store a message once if its connection was lost after the statement was executed${title}`, async () => {
    let breaking = false;
    const client = {
      query: async (text: string, values?: string[]) => {
        const outcome = await pool.query(text, values);
        if (!breaking) return outcome;
        breaking = false;
        throw new Error("Connection terminated unexpectedly");
      },
    };
    const store = postgresSessions(client, { tablePrefix: "broken_" });
    const errors: unknown[] = [];
    const agent = createAgent([fauxAssistantMessage("One."), fauxAssistantMessage("Two.")]);
    const onError = (error: unknown) => errors.push(error);
    const log = await logged(agent, store.log("a", { onError }));
    agent.subscribe((event) => {
      if (event.type === "message_start") breaking = event.message.role === "assistant";
    });
    await agent.prompt("Go.");
    await agent.prompt("More.");
    await log.close();
    expect(errors).toHaveLength(2);
    const loaded = await store.load("a");
    expect(loaded).toMatchObject({ interrupted: false, skipped: [], notices: [] });
    expect(loaded?.messages).toEqual(agent.state.messages);
  });

  test(`stay whole if a statement is executed after the one that took its place${title}`, async () => {
    let isLost = false;
    let runLate = async (): Promise<unknown> => undefined;
    const client = {
      query: async (text: string, values?: string[]) => {
        if (!(isLost && text.startsWith("WITH before"))) return pool.query(text, values);
        isLost = false;
        runLate = () => pool.query(text, values);
        throw new Error("Connection terminated unexpectedly");
      },
    };
    const store = postgresSessions(client, { tablePrefix: "late_" });
    const session = await store.open("a", { onError: () => {} });
    const agent = createAgent([fauxAssistantMessage("One."), fauxAssistantMessage("Two.")]);
    agent.middleware = [session];
    isLost = true;
    await agent.prompt("Go.");
    await runLate();
    await session.close();
    const again = await store.open("a");
    agent.middleware = [again];
    again.replace();
    await agent.prompt("More.");
    await again.close();
    expect((await store.load("a"))?.messages).toEqual(agent.state.messages);
  });

  test.each([199, 200, 450])(`of %i messages are read in pages${title}`, async (count) => {
    const lengths: number[] = [];
    const client = {
      query: async (text: string, values?: string[]) => {
        const outcome = await pool.query(text, values);
        if (text.startsWith("SELECT e.entry")) lengths.push(outcome.rows.length);
        return outcome;
      },
    };
    const store = postgresSessions(client, { tablePrefix: "pages_" });
    const messages = Array.from({ length: count }, (_, index) => user(`Message ${index}`));
    await store.append(`s${count}`, messages);
    // A person may have deleted an entry.
    await pool.query("DELETE FROM pages_session_entries WHERE session = $1 AND position = 3", [`s${count}`]);
    expect((await store.load(`s${count}`))?.messages).toEqual(messages.toSpliced(1, 1));
    expect(Math.max(...lengths)).toBeLessThan(201);
    expect(await store.load("none")).toBeUndefined();
  });

  test(`are created once by many processes that start together${title}`, async () => {
    const stores = Array.from({ length: 8 }, () => postgresSessions(pool, { tablePrefix: "many_" }));
    await Promise.all(stores.map((store, index) => store.append(`s${index}`, [user("Hi")])));
    expect(await stores[0]?.list()).toHaveLength(8);
  });

  test(`are refused if a later version wrote them${title}`, async () => {
    await postgresSessions(pool, { tablePrefix: "later_" }).append("a", []);
    await pool.query("UPDATE later_migrations SET version = 99");
    await expect(postgresSessions(pool, { tablePrefix: "later_" }).load("a")).rejects.toThrow(
      /^The tables of sessions have version 99, which a later pi-agent wrote\. This one knows version \d+$/,
    );
  });

  test(`recover when the database can be reached again${title}`, async () => {
    let isDown = true;
    const store = postgresSessions(
      { query: (text, values) => (isDown ? Promise.reject(new Error("ECONNREFUSED")) : pool.query(text, values)) },
      { tablePrefix: "down_" },
    );
    await expect(store.list()).rejects.toThrow("ECONNREFUSED");
    isDown = false;
    expect(await store.list()).toEqual([]);
  });

  it("reject invalid table names", () => {
    const client = { query: async () => ({ rows: [] }) };
    for (const tablePrefix of ["", "x; DROP TABLE y", 'a"', "a.b.c", "A"])
      expect(() => postgresSessions(client, { tablePrefix })).toThrow(/^tablePrefix must be/);
    for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => postgresSessions(client, { leaseMs })).toThrow(/^leaseMs must be/);
  });
});

describe("sessions in SQLite", () => {
  it("are kept in a database of the application, which stays open", async () => {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE mine (a TEXT)");
    const store = sqliteSessions(database);
    await store.append("a", [user("Hi")]);
    await store.close();
    expect(database.prepare("SELECT count(*) AS count FROM pi_session_entries").get()).toEqual({ count: 2 });
    expect(await sqliteSessions(database).load("a")).toMatchObject({ messages: [user("Hi")] });
    database.close();
  });

  it("name the required version of Node.js if it has no SQLite", () => {
    const getBuiltinModule = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
    expect(() => sqliteSessions(join(folder, "none.db"))).toThrow(
      /^pi-agent\/session\/sqlite needs node:sqlite, which Node\.js 22\.13 and later have\. This is Node\.js [\d.]+\. Pass /,
    );
    getBuiltinModule.mockRestore();
  });

  it("name the file that SQLite refuses", async () => {
    const file = join(folder, "notes.db");
    await writeFile(file, "These are notes and no database.\n".repeat(40));
    expect(() => sqliteSessions(file)).toThrow(new SessionLogError(`${file} cannot be opened: file is not a database`));
  });

  it("skip a damaged entry, and reject it in strict mode", async () => {
    const database = new DatabaseSync(":memory:");
    const store = sqliteSessions(database);
    await store.append("a", [user("One"), user("Two")]);
    database.exec('UPDATE pi_session_entries SET entry = \'{"type":"mess\' WHERE position = 2');
    expect(await store.load("a")).toMatchObject({ messages: [user("Two")], skipped: [{ line: 2 }] });
    await expect(store.load("a", { strict: true })).rejects.toThrow("Line 2 of the session log is not JSON");
    await expect(logged(createAgent([]), store.log("a", { strict: true }))).rejects.toThrow("Line 2");
    await (await logged(createAgent([], [user("Two")]), store.log("a"))).close();
    database.close();
  });
});
