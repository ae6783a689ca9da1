/** One step to open a session: what it returns, what it refuses, and how a program goes on after a death at any byte. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Agent, type AgentMessage } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { jsonlSessions, type SessionLog, type SessionStore } from "pi-agent/session";
import { type SqliteDatabase, sqliteSessions } from "pi-agent/session/sqlite";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { tool as createTool } from "../scripted-tool.js";

let folder: string;
let sessions: SessionStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "open-session-"));
  sessions = jsonlSessions(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Steps = Parameters<typeof createScriptedStreamFn>[0];
const callWork = () => fauxAssistantMessage(fauxToolCall("work", {}, { id: "c1" }), { stopReason: "toolUse" });
const answer = () => fauxAssistantMessage("Yes.");
const createAgent = (session: SessionLog, steps: Steps, messages: AgentMessage[] = session.messages): Agent =>
  new Agent({
    initialState: { messages, tools: [createTool("work")] },
    middleware: [session],
    streamFn: createScriptedStreamFn(steps),
  });
const file = (): string => join(folder, "a.jsonl");
const stored = async (): Promise<AgentMessage[]> => (await sessions.load("a"))?.messages ?? [];

async function begin(): Promise<SessionLog> {
  const session = await sessions.open("a");
  await createAgent(session, [answer()]).prompt("One");
  return session;
}

describe("an open session", () => {
  it("refuses an agent that lacks what is stored, before anything is sent", async () => {
    const session = await begin();
    const before = await stored();
    const other = createAgent(session, [answer(), answer()], []);
    await other.prompt("Two");
    expect(other.state.errorMessage).toMatch(
      /lacks 2 of the 2 stored messages .*session\.messages.*session\.replace\(\)/,
    );
    expect(await stored()).toEqual(before);
    other.state.messages = session.messages;
    await other.prompt("Two");
    expect(other.state.messages).toHaveLength(4);
    expect(await stored()).toEqual(other.state.messages);
    await session.close();
  });

  it("refuses an agent whose conversation has become old", async () => {
    const session = await begin();
    const second = createAgent(session, [answer()]);
    const third = createAgent(session, [answer()]);
    await second.prompt("Two");
    await third.prompt("Three");
    expect(third.state.errorMessage).toContain("lacks 2 of the 4 stored messages");
    expect(await stored()).toEqual(second.state.messages);
    await session.close();
  });

  it("keeps what reset() and assigned messages replace", async () => {
    const session = await sessions.open("a");
    const agent = createAgent(session, [answer(), answer(), answer()]);
    await agent.prompt("One");
    const first = agent.state.messages.slice();
    agent.reset();
    await agent.prompt("Two");
    const second = agent.state.messages.slice();
    agent.state.messages = [{ role: "user", content: "Other", timestamp: 1 }];
    await agent.prompt("Three");
    await session.close();
    const { replaced = [] } = (await sessions.load("a")) ?? {};
    expect(replaced.map(({ name, messages }) => ({ name, messages }))).toEqual([
      { name: "replaced-1", messages: first },
      { name: "replaced-2", messages: second },
    ]);
  });

  it("ends a run with an error when it is closed before or during it", async () => {
    const session = await begin();
    await session.close();
    const agent = createAgent(session, [answer()]);
    await agent.prompt("Two");
    expect(agent.state.errorMessage).toContain("The session log is closed");

    const again = await sessions.open("a");
    const other = createAgent(again, [callWork(), answer()]);
    other.subscribe((event) => (event.type === "tool_execution_start" ? again.close() : undefined));
    await other.prompt("Two");
    expect(other.state.errorMessage).toContain("The session log is closed");
    // A message was never written.
    await expect(again.flush()).rejects.toThrow("The session log is closed");
    expect(other.state.messages.map(({ role }) => role).slice(2, 5)).toEqual(["user", "assistant", "toolResult"]);
  });

  it("keeps a stopped answer that the user saw, and resume() does not ask again", async () => {
    const session = await sessions.open("a");
    const agent = createAgent(session, [fauxAssistantMessage("Half", { stopReason: "aborted" })]);
    await agent.prompt("One");
    await session.close();
    const opened = await sessions.open("a");
    expect(opened.messages).toEqual(agent.state.messages);
    expect(await createAgent(opened, []).resume()).toBe("idle");
    await opened.close();
  });

  const removeDatabase = async (): Promise<void> => {
    for (const suffix of ["", "-wal", "-shm"]) await rm(`${join(folder, "sessions.db")}${suffix}`, { force: true });
  };
  const LOSSES: Readonly<Record<string, (store: SessionStore) => Promise<void>>> = {
    file: () => rm(file()),
    "content of a file": () => writeFile(file(), ""),
    "SQLite store": (store) => store.close(),
    "SQLite file": removeDatabase,
  };
  it.each(Object.entries(LOSSES))("ends a run whose %s is gone, instead of storing nothing", async (what, lose) => {
    const open = (): SessionStore =>
      what.includes("SQLite") ? sqliteSessions(join(folder, "sessions.db")) : jsonlSessions(folder);
    const store = open();
    const session = await store.open("a", { onError: () => {} });
    const agent = createAgent(session, [answer(), callWork(), answer()]);
    await agent.prompt("One");
    await lose(store);
    await agent.prompt("Two");
    expect(agent.state.errorMessage).toMatch(/nothing more would be stored\. Open/);
    await expect(session.close()).rejects.toThrow(/nothing more would be stored/);
    await store.close();
    // Nobody else has it, and the agent has everything.
    const again = open();
    const opened = await again.open("a");
    expect((await createAgent(opened, [answer()], agent.state.messages).prompt("Three")).errorMessage).toBeUndefined();
    await opened.close();
    const roles = (await again.load("a"))?.messages.map(({ role }) => role);
    expect(roles?.filter((role) => role === "user")).toHaveLength(3);
    await again.close();
  });

  it("glues no message to what another program has appended", async () => {
    const session = await sessions.open("a");
    const agent = createAgent(session, [callWork(), answer()]);
    agent.state.tools = [
      createTool("work", async () => {
        await appendFile(file(), "Remember this.");
        return { content: [], details: undefined };
      }),
    ];
    await agent.prompt("One");
    await session.close();
    expect(await stored()).toEqual(agent.state.messages);
  });

  it("says again what its first close() said", async () => {
    const database = new DatabaseSync(":memory:");
    let isFull = false;
    const driver: SqliteDatabase = {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => {
        if (isFull && /INSERT INTO pi_session_entries/i.test(sql)) throw new Error("ENOSPC: no space left on device");
        // The statements of Node take what those of the interface take.
        return database.prepare(sql) as ReturnType<SqliteDatabase["prepare"]>;
      },
      close: () => {},
    };
    const session = await sqliteSessions(driver).open("a", { onError: () => {} });
    isFull = true;
    await createAgent(session, [answer()]).prompt("One");
    await expect(session.close()).rejects.toThrow(/ENOSPC/);
    isFull = false;
    // The session is free, so another writer may have it by now, although none has taken it over.
    await expect(session.close()).rejects.toThrow(/ENOSPC/);
  });
});

describe("resume()", () => {
  it("goes on from a file that was cut at any byte, or has nothing to do, or reports the pause", async () => {
    const session = await sessions.open("a");
    const agent = createAgent(session, [callWork(), answer()]);
    await agent.prompt("One");
    await session.close();
    const bytes = await readFile(file());
    const outcomes = new Set<string>();
    for (let length = 0; length <= bytes.length; length += budget({ quick: 13, all: 1 })) {
      await writeFile(file(), bytes.subarray(0, length));
      const cut = await sessions.open("a");
      const next = createAgent(cut, [answer(), answer()]);
      const before = next.state.messages.length;
      outcomes.add(await next.resume());
      await next.prompt("Two");
      expect(next.state.errorMessage).toBeUndefined();
      expect(next.state.messages.length).toBeGreaterThanOrEqual(before + 2);
      await cut.close();
      expect(await stored()).toEqual(next.state.messages);
    }
    expect([...outcomes].toSorted()).toEqual(["continued", "idle"]);
  });

  it("reports a pause, and goes on with its answer", async () => {
    const session = await sessions.open("a");
    const agent = createAgent(session, [callWork()]);
    agent.middleware = [session, approvals({ when: () => true, pause: true })];
    await agent.prompt("One");
    await session.close();
    const opened = await sessions.open("a");
    const next = createAgent(opened, [answer()]);
    expect(await next.resume()).toBe("paused");
    const [request] = opened.pause?.requests ?? [];
    await next.answer([{ id: request?.id ?? "", approved: true }]);
    expect(await next.resume()).toBe("continued");
    expect(await next.resume()).toBe("idle");
    await opened.close();
    expect(await stored()).toEqual(next.state.messages);
  });
});

describe("queued messages of an open session", () => {
  it("are there after a restart, and are answered once", async () => {
    const session = await begin();
    const agent = createAgent(session, []);
    await agent.send("Two").done.catch(() => {});
    agent.followUp("Later");
    agent.steer("Now");
    agent.steer("Dropped");
    await session.close();
    const opened = await sessions.open("a");
    const texts = (messages: AgentMessage[]) => messages.map((message) => "content" in message && message.content);
    expect(texts(opened.queued)).toEqual(["Later", "Now", "Dropped"].map((text) => [{ type: "text", text }]));
    const next = createAgent(opened, [answer(), answer(), answer(), answer()]);
    expect(next.hasQueuedMessages()).toBe(true);
    expect(await next.resume()).toBe("continued");
    expect(opened.queued).toEqual([]);
    next.followUp("Cleared");
    next.clearAllQueues();
    await opened.close();
    const last = await sessions.open("a");
    expect(last.queued).toEqual([]);
    expect(last.messages).toEqual(next.state.messages);
    await last.close();
  });
});

describe("a queue that waits from an earlier process", () => {
  it("stays stored for an agent that continues the conversation", async () => {
    const session = await begin();
    createAgent(session, []).followUp("Later");
    await session.close();
    const opened = await sessions.open("a");
    const other = createAgent(opened, [answer()], []);
    await other.prompt("Two");
    expect(other.state.errorMessage).toContain("stored messages of its session");
    expect(other.hasQueuedMessages()).toBe(false);
    const next = createAgent(opened, [answer()]);
    expect(next.hasQueuedMessages()).toBe(true);
    expect(await next.resume()).toBe("continued");
    expect(opened.queued).toEqual([]);
    await opened.close();
  });
});

describe("what is stored", () => {
  const user = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });

  it("has a message that was queued twice as often as it was queued", async () => {
    const session = await begin();
    const agent = createAgent(session, [answer(), answer()]);
    const again = user("Again");
    agent.followUp(again);
    agent.followUp(again);
    await agent.resume();
    await session.close();
    const opened = await sessions.open("a");
    expect(opened.queued).toEqual([]);
    expect(opened.messages.filter((message) => "content" in message && message.content === "Again")).toHaveLength(2);
    await opened.close();
  });

  it("is kept when a process dies again and again while it replaces the conversation", async () => {
    const session = await begin();
    await session.close();
    const before = await stored();
    const torn = `${JSON.stringify({ type: "reset", at: 1, count: 3 })}\n${JSON.stringify({ type: "message", message: user("New") })}\n`;
    await appendFile(file(), torn + torn);
    expect(await stored()).toEqual(before);
    const opened = await sessions.open("a");
    const agent = createAgent(opened, []);
    // A line that comes after it does not make it whole.
    await agent.send("Two").done.catch(() => {});
    agent.followUp("Later");
    await opened.close();
    await appendFile(file(), torn);
    await sessions.append("a", [user("One more"), user("And one more")]);
    const { messages, replaced } = (await sessions.load("a")) ?? { messages: [], replaced: [] };
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(messages.slice(-2)).toEqual([user("One more"), user("And one more")]);
    expect(replaced).toEqual([]);
  });

  it("is replaced by a conversation with a message that could not be written", async () => {
    const session = await begin();
    await session.close();
    const lines = [
      { type: "reset", at: 1, count: 2 },
      { type: "note", text: "A message was not written: it has no role, or its content is malformed" },
      { type: "message", message: user("New") },
    ];
    await appendFile(file(), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const opened = await sessions.open("a");
    expect(opened.messages).toEqual([user("New")]);
    await opened.close();
    expect((await sessions.load("a"))?.replaced).toHaveLength(1);
  });

  it("stores a note for a message that no string can hold, and goes on", async () => {
    const { stringify } = JSON;
    const limit = vi.spyOn(JSON, "stringify").mockImplementation((value, ...rest) => {
      const text = stringify(value, ...(rest as []));
      if (text?.includes("Very long")) throw new RangeError("Invalid string length");
      return text;
    });
    const session = await sessions.open("a");
    const agent = createAgent(session, [fauxAssistantMessage("One."), fauxAssistantMessage("Two.")]);
    await agent.prompt("Very long");
    await agent.prompt("Short");
    await session.close();
    limit.mockRestore();
    expect(agent.state.errorMessage).toBeUndefined();
    const { messages, notices } = (await sessions.load("a")) ?? {};
    expect(messages?.map(({ role }) => role)).toEqual(["assistant", "user", "assistant"]);
    expect(notices).toEqual(["A message was not written: its JSON is longer than a string may be"]);
  });

  it("is read entry by entry from a driver that can, and at once from another", async () => {
    const database = new DatabaseSync(":memory:");
    const used: string[] = [];
    const openWith = (methods: readonly ("all" | "iterate" | "run")[]): SessionStore =>
      sqliteSessions({
        exec: (sql) => database.exec(sql),
        prepare: (sql) => {
          const statement = database.prepare(sql) as ReturnType<SqliteDatabase["prepare"]>;
          const call = (method: (typeof methods)[number]) => [
            method,
            (...values: string[]) => {
              if (sql.startsWith("SELECT entry")) used.push(method);
              return Reflect.apply(statement[method] ?? (() => []), statement, values);
            },
          ];
          return Object.fromEntries(methods.map(call));
        },
        close: () => {},
      });
    const store = openWith(["run", "all", "iterate"]);
    await store.append("a", [user("One"), user("Two")]);
    expect((await store.load("a"))?.messages).toEqual([user("One"), user("Two")]);
    expect((await openWith(["run", "all"]).load("a"))?.messages).toEqual([user("One"), user("Two")]);
    expect(used).toEqual(["iterate", "all"]);
    database.close();
  });

  it("has the prompt of a run that other middleware refuses at its beginning", async () => {
    const session = await sessions.open("a");
    const agent = createAgent(session, []);
    const begin = (): never => {
      throw new Error("No tenant");
    };
    agent.middleware = [{ name: "tenant", begin }, session];
    await agent.prompt(user("One"));
    expect(agent.state.errorMessage).toBe("No tenant");
    await session.close();
    expect(await stored()).toEqual([user("One")]);
  });

  it("refuses an old conversation before a call that was approved in it runs", async () => {
    let ran = 0;
    const session = await sessions.open("a");
    const create = (steps: Steps) => {
      const agent = createAgent(session, steps);
      agent.state.tools = [createTool("work", async () => ({ content: [], details: ran++ }))];
      agent.middleware = [session, approvals({ when: () => true, pause: true })];
      return agent;
    };
    const old = create([callWork(), answer()]);
    await old.prompt("One");
    const other = create([answer()]);
    for (const agent of [other, old]) {
      await agent.answer([{ id: "c1", approved: true }]);
      await agent.continue();
    }
    expect(old.state.errorMessage).toContain("stored messages of its session");
    expect(ran).toBe(1);
    await session.close();
  });

  it("goes on after a pause beside details that JSON cannot hold", async () => {
    const big = createTool("big", async () => ({ content: [], details: { size: 1n } }));
    const ids = ["c1", "c2"] as const;
    const calls = [fauxToolCall("work", {}, { id: ids[0] }), fauxToolCall("big", {}, { id: ids[1] })];
    const session = await sessions.open("a");
    const agent = createAgent(session, [fauxAssistantMessage(calls, { stopReason: "toolUse" }), answer(), answer()]);
    agent.state.tools = [createTool("work"), big];
    agent.middleware = [session, approvals({ when: () => true, pause: true })];
    await agent.prompt("One");
    await agent.answer(ids.map((id) => ({ id, approved: true })));
    await agent.continue();
    agent.state.messages = agent.state.messages.map((message) => ({ ...message }));
    await agent.prompt("Two");
    await session.close();
    const loaded = await sessions.load("a");
    expect(loaded?.messages.map(({ role }) => role)).toEqual(agent.state.messages.map(({ role }) => role));
    expect(loaded?.replaced).toEqual([]);
  });
});

describe("calls that wait in a stored session", () => {
  it("do not run when the session cannot store that they begin", async () => {
    let isFull = false;
    let ran = 0;
    const database = new DatabaseSync(":memory:");
    const driver = {
      exec: (sql: string) => {
        database.exec(sql);
        // SQLite rolls back by itself when the disk is full.
        if (isFull && sql === "ROLLBACK") throw new Error("cannot rollback - no transaction is active");
      },
      prepare: (sql: string) => {
        if (isFull && sql.startsWith("INSERT")) throw new Error("database or disk is full");
        return database.prepare(sql) as ReturnType<SqliteDatabase["prepare"]>;
      },
      close: () => database.close(),
    };
    const errors: unknown[] = [];
    const session = await sqliteSessions(driver).open("a", { onError: (error) => errors.push(error) });
    const agent = createAgent(session, [callWork(), answer()]);
    agent.state.tools = [createTool("work", async () => ({ content: [], details: ran++ }))];
    agent.middleware = [session, approvals({ when: () => true, pause: true })];
    await agent.prompt("One");
    await agent.answer([{ id: "c1", approved: true }]);
    isFull = true;
    await agent.continue();
    expect(ran).toBe(0);
    expect(String(errors[0])).toBe("Error: database or disk is full");
    expect(agent.state.messages.at(-2)).toMatchObject({
      role: "toolResult",
      isError: true,
      content: [{ text: "The call was not run: its session could not store that it begins" }],
    });
    isFull = false;
    await session.close();
    expect((await sqliteSessions(driver).load("a"))?.messages).toEqual(agent.state.messages);
    database.close();
  });

  it("have one record, which answers and the result only add to", async () => {
    const pausing = [approvals({ when: () => true, pause: true })];
    const calls = ["c1", "c2"].map((id) => fauxToolCall("work", {}, { id }));
    const session = await sessions.open("a");
    const agent = createAgent(session, [fauxAssistantMessage(calls, { stopReason: "toolUse" }), answer()]);
    agent.middleware = [session, ...pausing];
    await agent.prompt("One");
    expect(await stored()).toEqual(agent.state.messages);
    await agent.answer([{ id: "c1", approved: true }]);
    await agent.continue();
    expect(await stored()).toEqual(agent.state.messages);
    expect(agent.state.messages).toMatchObject([
      {},
      {},
      { content: [{ text: "work" }] },
      { pause: { state: "waiting" } },
    ]);
    await session.close();
    const opened = await sessions.open("a");
    const next = createAgent(opened, [answer(), answer()]);
    next.middleware = [opened, ...pausing];
    await next.answer([{ id: "c2", approved: false }]);
    await next.continue();
    expect(next.state.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "toolResult",
      "assistant",
    ]);
    await next.prompt("Two");
    await opened.close();
    expect(await stored()).toEqual(next.state.messages);
    expect((await sessions.load("a"))?.replaced).toEqual([]);
    expect(await readFile(file(), "utf8")).not.toContain('"type":"reset"');
  });
});
