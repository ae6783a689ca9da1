import { type FileHandle, mkdtemp, open, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { Agent, type AgentMessage, type AgentMiddleware, type AgentTool, agentLoop, runAgentLoop } from "pi-agent";
import { durable } from "pi-agent/durable";
import { agentTool } from "pi-agent/limits";
import { createSessionLog, jsonlSessions, loadSession, SessionLogError } from "pi-agent/session";
import { fauxAssistantMessage, fauxText, fauxToolCall, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryEngine } from "../../../test/durable/memory-engine.js";
import { MODEL } from "../../../test/scripted-stream.js";
import { logged } from "../../../test/session/logged.js";

const nothing = Type.Object({});
const tool: AgentTool<typeof nothing> = {
  name: "work",
  label: "Work",
  description: "Works",
  parameters: nothing,
  execute: async () => ({ content: [{ type: "text", text: "done" }], details: { host: "only" } }),
};

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "session-log-"));
  file = join(folder, "log.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Steps = Parameters<typeof createScriptedStreamFn>[0];
const createAgent = (steps: Steps, messages: Agent["state"]["messages"] = []): Agent =>
  new Agent({ initialState: { tools: [tool], messages }, streamFn: createScriptedStreamFn(steps) });
const kinds = async (): Promise<string[]> =>
  (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => {
      const { type, message } = JSON.parse(line);
      return type === "message" ? message.role : type;
    });
const callWork = () => fauxAssistantMessage(fauxToolCall("work", {}, { id: "c1" }), { stopReason: "toolUse" });

describe("a session log", () => {
  it("has a line for each finished message and each boundary of a run", async () => {
    const agent = createAgent([callWork(), fauxAssistantMessage("Done.")]);
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("Go.");
    await log.close();
    expect(await kinds()).toEqual(["session", "run_start", "user", "assistant", "toolResult", "assistant", "run_end"]);
  });

  it("returns the messages and state that a new agent needs", async () => {
    const first = createAgent([callWork(), fauxAssistantMessage("Done.")]);
    const log = await logged(first, createSessionLog(file, { fsync: true }));
    await first.prompt("Go.");
    await log.close();
    const { messages, interrupted, notices } = await loadSession(file);
    expect({ messages, interrupted, notices }).toEqual({
      messages: first.state.messages,
      interrupted: false,
      notices: [],
    });

    const second = createAgent([fauxAssistantMessage("Again.")], messages);
    const again = await logged(second, createSessionLog(file));
    await second.prompt("More.");
    await again.close();
    expect((await kinds()).slice(7)).toEqual(["run_start", "user", "assistant", "run_end"]);
    expect((await loadSession(file)).messages).toEqual(second.state.messages);
  });

  it("continues a run that was cut off in the middle of its tools", async () => {
    const agent = createAgent([callWork(), fauxAssistantMessage("Done.")]);
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("Go.");
    await log.close();
    const lines = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, `${lines.slice(0, 4).join("\n")}\n${lines[4]?.slice(0, 40)}`);

    const { messages, interrupted, notices } = await loadSession(file);
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "toolResult"]);
    expect(messages[2]).toMatchObject({
      toolCallId: "c1",
      isError: true,
      content: [{ text: "The process ended before this tool call had a result" }],
    });
    expect(interrupted).toBe(true);
    expect(notices).toEqual([
      "The last line was cut off after 40 bytes and was dropped",
      "1 tool calls had no result and got an error result",
    ]);
    const next = createAgent([fauxAssistantMessage("It failed, I see.")], messages);
    await next.continue();
    expect(next.state.messages.at(-1)).toMatchObject({ content: [{ text: "It failed, I see." }] });
  });

  it("also adds an error result to a server tool that waits for the application", async () => {
    const handler = async () => ({ content: [{ type: "text" as const, text: "ran" }] });
    const shell = { type: "serverTool" as const, id: "c1", name: "shell", status: "waiting" as const };
    const agent = createAgent([fauxAssistantMessage(shell), fauxAssistantMessage("Done.")]);
    agent.serverToolHandlers = { shell: handler };
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("Go.");
    await log.close();
    expect((await loadSession(file)).messages[2]).toMatchObject({ role: "toolResult", content: [{ text: "ran" }] });
    const lines = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, `${lines.slice(0, 4).join("\n")}\n`);

    const { messages } = await loadSession(file);
    expect(messages.slice(1)).toMatchObject([
      { role: "assistant", content: [shell] },
      { role: "toolResult", toolCallId: "c1", toolName: "shell", isError: true },
    ]);
  });

  it("removes failed responses from the end, so that continue() works", async () => {
    const agent = createAgent([fauxAssistantMessage("Half", { stopReason: "error", errorMessage: "overloaded" })]);
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("Go.");
    await log.close();
    const { messages, notices } = await loadSession(file);
    expect(messages.map((message) => message.role)).toEqual(["user"]);
    expect(notices).toEqual(["1 failed responses at the end were removed"]);
  });

  it("writes the agent's earlier messages, and starts over after a reset", async () => {
    const agent = createAgent(
      [fauxAssistantMessage("One."), fauxAssistantMessage("Two.")],
      [{ role: "user", content: "Earlier", timestamp: 1 }],
    );
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("Go.");
    agent.reset();
    await agent.prompt("Anew.");
    await log.close();
    expect(await kinds()).toEqual([
      "session",
      "user",
      "run_start",
      "user",
      "assistant",
      "run_end",
      "reset",
      "run_start",
      "user",
      "assistant",
      "run_end",
    ]);
    expect((await loadSession(file)).messages).toEqual(agent.state.messages);
  });

  it("grows by the same number of bytes for each turn", async () => {
    const turns = 1000;
    const message = () =>
      fauxAssistantMessage([fauxText("Working on it."), fauxToolCall("work", {}, { id: "same" })], {
        stopReason: "toolUse",
        timestamp: 1,
      });
    const sizes: number[] = [];
    const steps: Steps = Array.from({ length: turns }, (_, turn) => async () => {
      if (turn % (turns / 4) === 0) sizes.push((await stat(file)).size);
      return message();
    });
    const agent = createAgent([...steps, fauxAssistantMessage("Done.")]);
    agent.maxRepeats = 0;
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("Go.");
    await log.close();
    const growth = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
    for (const bytes of growth) expect(Math.abs(bytes - (growth[0] ?? 0))).toBeLessThan((growth[0] ?? 0) / 20);
    expect((await loadSession(file)).messages).toHaveLength(2 * turns + 2);
  });

  it("names the first damaged line in strict mode", async () => {
    await writeFile(file, `${HEADER}{"type":"mess\n`);
    await expect(loadSession(file, { strict: true })).rejects.toThrow("Line 2 of the session log is not JSON");
    await expect(logged(createAgent([]), createSessionLog(file, { strict: true }))).rejects.toThrow(
      "Line 2 of the session log",
    );
    await writeFile(file, `${HEADER}{"type":"message","message":7}\n`);
    await expect(loadSession(file, { strict: true })).rejects.toThrow("Line 2 of the session log is malformed");
  });

  it("loads everything except damaged lines, and reports the skipped lines", async () => {
    const lines = [
      Buffer.from(`\ufeff${HEADER}`),
      line(user("one")),
      Buffer.from('{"type":"mess\n'),
      Buffer.from([0x22, 0xff, 0xc3, 0x28, 0x0a]),
      Buffer.from('{"type":"message","message":{"role":"assistant","content":7}}\n'),
      line({ role: "toolResult", toolCallId: "lost", toolName: "t", content: [], isError: false, timestamp: 1 }),
      Buffer.from("\n"),
      Buffer.from('{"type":"elsewhere"}\r\n'),
      line(user("two")),
      Buffer.from("   \n"),
    ];
    await writeFile(file, Buffer.concat(lines));
    const { messages, skipped, notices } = await loadSession(file);
    expect(messages).toEqual([user("one"), user("two")]);
    expect(skipped.map(({ line, reason }) => `${line} ${reason.split(":")[0]}`)).toEqual([
      "3 is not JSON",
      "4 is not valid UTF-8",
      "5 is malformed",
      "8 has an unknown type",
    ]);
    expect(notices.slice(0, 2)).toEqual([
      'Line 3 was skipped: it is not JSON: {"type":"mess',
      "Line 4 was skipped: it is not valid UTF-8",
    ]);
    expect(notices.at(-1)).toBe("1 tool results without a tool call were dropped");
    const before = await readFile(file);
    const agent = createAgent([fauxAssistantMessage("Done.")], messages);
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("three");
    await log.close();
    expect((await readFile(file)).subarray(0, before.length)).toEqual(before);
    expect((await loadSession(file)).messages).toEqual(agent.state.messages);
  });

  it("continues after a last line without a line break, and removes an incomplete one", async () => {
    for (const torn of ["", '{"type":"message","message":{"role":"user","content":"Grüße 🌍']) {
      const whole = Buffer.concat([Buffer.from(HEADER), line(user("Grüße 🌍"))]);
      await writeFile(file, torn === "" ? whole.subarray(0, -1) : Buffer.concat([whole, Buffer.from(torn)]));
      const { messages, skipped } = await loadSession(file);
      expect({ messages, skipped }).toEqual({ messages: [user("Grüße 🌍")], skipped: [] });
      const agent = createAgent([fauxAssistantMessage("Done.")], messages);
      const log = await logged(agent, createSessionLog(file));
      await agent.prompt("More.");
      await log.close();
      expect((await readFile(file)).subarray(0, whole.length)).toEqual(whole);
      expect(await loadSession(file)).toMatchObject({ messages: agent.state.messages, skipped: [] });
    }
  });

  it.each([
    { title: "text without a line break", content: "My notes, years of them" },
    { title: "text with line breaks", content: "one\ntwo\nthree" },
    { title: "the log of another program", content: '{"type":"session","version":3,"id":"a"}\n{"type":"run_end"}\n' },
    { title: "a log without its header", content: '{"type":"run_start","at":1}\n' },
    { title: "other JSON lines", content: '{"a":1}\n{"type":"mess' },
    { title: "bytes", content: Buffer.from([0, 255, 254, 10, 1]) },
  ])("does not change a foreign file: $title", async ({ content }) => {
    await writeFile(file, content);
    await expect(logged(createAgent([]), createSessionLog(file))).rejects.toThrow(SessionLogError);
    await expect(loadSession(file)).rejects.toThrow("The file is not a session log: line 1 is not its header");
    expect(await readFile(file)).toEqual(Buffer.from(content));
    expect(await readdir(folder)).toEqual(["log.jsonl"]);
  });

  it("loads a log whose header is damaged, but does not write to it", async () => {
    const content = Buffer.concat([Buffer.from('{"type":"sess\n'), line(user("one"))]);
    await writeFile(file, content);
    expect(await loadSession(file)).toMatchObject({ messages: [user("one")], skipped: [{ line: 1 }] });
    await expect(logged(createAgent([]), createSessionLog(file))).rejects.toThrow("log to another file");
    expect(await readFile(file)).toEqual(content);
  });

  it("starts over after a header that was cut off", async () => {
    await writeFile(file, '{"type":"session","version":1,"at":17');
    expect((await loadSession(file)).messages).toEqual([]);
    await (await logged(createAgent([]), createSessionLog(file))).close();
    expect(await kinds()).toEqual(["session"]);
  });

  it("replaces values that JSON cannot represent with a note", async () => {
    const details: Record<string, unknown> = { big: 1n, text: "kept" };
    details["self"] = details;
    Object.defineProperty(details, "broken", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    const errors: unknown[] = [];
    const agent = new Agent({
      initialState: {
        tools: [{ ...tool, execute: async () => ({ content: [{ type: "text", text: "done" }], details }) }],
      },
      streamFn: createScriptedStreamFn([callWork(), fauxAssistantMessage("Done.")]),
      onListenerError: (error) => errors.push(error),
    });
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("Go.");
    await log.close();
    expect(errors).toEqual([]);
    const { messages, skipped, notices } = await loadSession(file);
    expect(skipped).toEqual([]);
    expect(notices).toEqual(["Values of the message that JSON cannot hold were replaced"]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(messages[2]).toMatchObject({
      content: [{ text: "done" }],
      details: { big: "1", text: "kept", self: "[circular]", broken: "[unreadable]" },
    });
  });

  it.each([undefined, null, 7, { content: "no role" }, { role: "user" }, { role: "assistant", content: [null] }])(
    "writes a note instead of %j, which the reader would reject",
    async (message) => {
      const log = await createSessionLog(file);
      // As code without types could do it.
      const careless: AgentMiddleware = {
        name: "careless",
        begin: (run) => ({
          onEvent: ({ type }) =>
            type === "turn_start" ? run.emit({ type: "message_end", message } as never) : undefined,
        }),
      };
      const config = { model: MODEL, convertToLlm: () => [], middleware: [log, careless] };
      const streamFn = createScriptedStreamFn([fauxAssistantMessage("Hi.")]);
      await runAgentLoop([], { systemPrompt: "", messages: [] }, config, () => {}, undefined, streamFn);
      await log.close();
      expect(await kinds()).toEqual(["session", "run_start", "note", "assistant", "run_end"]);
      const { messages, skipped, notices } = await loadSession(file);
      expect({ roles: messages.map(({ role }) => role), skipped }).toEqual({ roles: ["assistant"], skipped: [] });
      expect(notices[0]).toContain("A message was not written");
    },
  );

  it("survives an incomplete write, and continues when there is space", async () => {
    const errors: unknown[] = [];
    const agent = new Agent({
      streamFn: createScriptedStreamFn([fauxAssistantMessage("One."), fauxAssistantMessage("Two.")]),
    });
    const log = await logged(agent, createSessionLog(file, { onError: (error) => errors.push(error) }));
    const full = await fillDisk({ truncate: true });
    await agent.prompt("Go.");
    expect(errors).toHaveLength(4);
    expect(String(errors[0])).toContain("ENOSPC");
    expect(await kinds()).toEqual(["session"]);
    await expect(log.flush()).rejects.toThrow("ENOSPC");
    full.mockRestore();
    await agent.prompt("More.");
    await log.close();
    expect(await loadSession(file)).toMatchObject({ messages: agent.state.messages, skipped: [], notices: [] });
  });

  it("leaves an incomplete line that cannot be removed as a separate line", async () => {
    const agent = new Agent({
      streamFn: createScriptedStreamFn([fauxAssistantMessage("One.")]),
    });
    const log = await logged(agent, createSessionLog(file, { onError: () => {} }));
    const full = await fillDisk({ truncate: false });
    const running = agent.prompt("Go.");
    await running;
    full.mockRestore();
    await log.close();
    const { messages, skipped } = await loadSession(file);
    expect(messages).toEqual(agent.state.messages);
    expect(skipped.length).toBeGreaterThan(0);
  });

  it("allows one writer at a time", async () => {
    const first = await logged(createAgent([]), createSessionLog(file));
    await expect(logged(createAgent([]), createSessionLog(file))).rejects.toThrow(
      `The session log ${await realpath(file)} is in use by process ${process.pid}`,
    );
    await first.close();
    await first.close().catch(() => {});
    await (await logged(createAgent([]), createSessionLog(file))).close();
    expect(await readdir(folder)).toEqual(["log.jsonl"]);
  });

  it.each([
    {
      title: "a process that has ended",
      owner: { pid: 2 ** 30, threadId: 0, host: hostname(), token: "x" },
      free: true,
    },
    {
      title: "an earlier process of this id",
      owner: { pid: process.pid, threadId, host: hostname(), token: "x" },
      free: true,
    },
    {
      title: "a process that runs",
      owner: { pid: process.ppid, threadId: 0, host: hostname(), token: "x" },
      free: false,
    },
    { title: "another machine", owner: { pid: 2 ** 30, threadId: 0, host: "elsewhere", token: "x" }, free: false },
    { title: "a writer that was killed before it wrote its name", owner: undefined, free: true },
  ])("finds the lock of $title: free $free", async ({ owner, free }) => {
    await writeFile(`${file}.lock`, owner ? JSON.stringify(owner) : "");
    const opening = logged(createAgent([]), createSessionLog(file));
    if (free) await (await opening).close();
    else await expect(opening).rejects.toThrow("is in use by");
  });

  it("creates a file that only its owner can read", async () => {
    const log = await logged(createAgent([]), createSessionLog(file));
    for (const path of [file, `${file}.lock`]) expect((await stat(path)).mode & 0o777).toBe(0o600);
    await log.close();
  });
});

describe("the log of a run", () => {
  const config = (middleware: readonly AgentMiddleware[]) => ({
    model: MODEL,
    convertToLlm: () => [],
    middleware,
  });

  it("is that of the functions of the loop, too, and continues with their conversation", async () => {
    const log = await createSessionLog(file);
    const streamFn = createScriptedStreamFn([fauxAssistantMessage("One."), fauxAssistantMessage("Two.")]);
    let messages: AgentMessage[] = [];
    for (const prompt of [user("a"), user("b")]) {
      const stream = agentLoop([prompt], { systemPrompt: "", messages }, config([log]), undefined, streamFn);
      messages = [...messages, ...(await stream.result())];
      // The stream ends when the line is written.
      expect((await loadSession(file)).messages).toEqual(messages);
    }
    await log.close();
    expect((await kinds()).filter((kind) => kind === "reset")).toEqual([]);
  });

  it("is not that of a second run at the same time", async () => {
    const log = await createSessionLog(file);
    const held = Promise.withResolvers<void>();
    const agents = [1, 2].map(
      () =>
        new Agent({
          streamFn: async () => held.promise.then(() => createScriptedStreamFn([])({} as never, {} as never)),
          middleware: [log],
        }),
    );
    const first = agents[0]?.prompt("Go.");
    await agents[1]?.prompt("Go.");
    expect(agents[1]?.state.errorMessage).toContain("The session log is in use by another run");
    held.resolve();
    await first;
    await log.close();
    expect((await loadSession(file)).messages).toEqual([agents[0]?.state.messages[0]]);
  });

  it("holds once what a durable run repeats, in this process and in a later one", async () => {
    const engine = new MemoryEngine();
    const log = await createSessionLog(file);
    let fails = true;
    const run = async (middleware: readonly AgentMiddleware[]) => {
      const process = engine.start();
      const steps = {
        runId: "r",
        run: <T>(name: string, work: () => Promise<T>): Promise<T> =>
          fails && process.count === 4 ? Promise.reject(new Error("no database")) : process.run(name, work),
      };
      const agent = new Agent({
        steps: durable(steps),
        initialState: { tools: [tool] },
        streamFn: createScriptedStreamFn(answers),
        middleware,
      });
      await agent.prompt({ role: "user", content: "Go.", timestamp: 1 }).catch(() => {});
      return agent.state.messages;
    };
    let answers: Steps = [callWork()];
    await run([log]);
    fails = false;
    answers = [fauxAssistantMessage("Done.")];
    const messages = await run([log]);
    await log.close();
    const whole = await readFile(file, "utf8");
    expect(await kinds()).toEqual(["session", "run_start", "user", "assistant", "toolResult", "assistant", "run_end"]);
    const again = await createSessionLog(file);
    expect(await run([again])).toEqual(messages);
    await again.close();
    expect(await readFile(file, "utf8")).toBe(whole);
  });

  it("leaves the agents of tools out, or logs each call to a session of its own", async () => {
    const sessions = jsonlSessions(folder);
    const ask = agentTool({
      name: "ask",
      description: "Asks",
      parameters: nothing,
      agent: () => createAgent([fauxAssistantMessage("The child says so.")]),
    });
    const callAsk = () => fauxAssistantMessage(fauxToolCall("ask", {}, { id: "call_1" }), { stopReason: "toolUse" });
    for (const children of [false, true]) {
      const agent = createAgent([callAsk(), fauxAssistantMessage("Done.")]);
      agent.state.tools = [ask];
      const id = `children-${children}`;
      const log = await sessions.log(id, { children });
      agent.middleware = [log];
      await agent.prompt("Go.");
      await log.close();
      expect((await sessions.load(id))?.messages).toEqual(agent.state.messages);
      const child = await sessions.load(`${id}.call_1`);
      expect(child?.messages.map(({ role }) => role)).toEqual(children ? ["user", "assistant"] : undefined);
      // Its session is free again.
      if (children) await sessions.append(`${id}.call_1`, []);
    }
  });

  it("gives each call of an agent a session of its own, whatever ids a model writes", async () => {
    const sessions = jsonlSessions(folder);
    const ask = agentTool({
      ...{ name: "ask", description: "Asks", parameters: nothing },
      agent: () => createAgent([fauxAssistantMessage("The child says so.")]),
    });
    const long = "x".repeat(100);
    const ids = ["call:1", "call_1", "call/1", "call.1", `${long}1`, `${long}2`];
    const calls = ids.map((id) => fauxToolCall("ask", {}, { id }));
    const agent = createAgent([fauxAssistantMessage(calls, { stopReason: "toolUse" }), fauxAssistantMessage("Done.")]);
    agent.state.tools = [ask];
    const log = await sessions.log("apart", { children: true });
    agent.middleware = [log];
    await agent.prompt("Go.");
    await log.close();
    const stored = (await sessions.list()).map(({ id }) => id).filter((id) => id.startsWith("apart."));
    expect(stored).toHaveLength(ids.length);
    expect(stored).toContain("apart.call_1");
    for (const id of stored) expect((await sessions.load(id))?.messages).toHaveLength(2);
  });
});

const HEADER = '{"type":"session","version":1,"at":1}\n';
const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });
const line = (message: unknown): Buffer => Buffer.from(`${JSON.stringify({ type: "message", message })}\n`);

/** Makes every write fail after half of its bytes. */
async function fillDisk({ truncate }: { truncate: boolean }) {
  const handle = await open(join(folder, "other"), "w");
  await handle.close();
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  const { write } = prototype;
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  let halves = 0;
  const spy = vi.spyOn(prototype, "write").mockImplementation(async function (this: FileHandle, ...args: unknown[]) {
    const [bytes, offset = 0] = args as [Buffer, number?];
    if (halves++ % 2 === 1) throw error;
    const half = Math.ceil((bytes.length - offset) / 2);
    return (await Reflect.apply(write, this, [bytes, offset, half])) as never;
  });
  if (!truncate) vi.spyOn(prototype, "truncate").mockRejectedValue(error);
  const restore = spy.mockRestore.bind(spy);
  return { mockRestore: () => (truncate ? restore() : vi.restoreAllMocks()) };
}
