/** The session log under faults of disks, files, values and other writers. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, mkdtemp, open, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentMessage } from "pi-agent";
import { createSessionLog, loadSession, SessionLogError } from "pi-agent/session";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { result } from "../scripted-tool.js";
import { logged } from "../session/logged.js";
import { readTool } from "./agent-under-fault.js";

const HEADER = '{"type":"session","version":1,"at":1}\n';
const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });
const line = (message: unknown): Buffer => Buffer.from(`${JSON.stringify({ type: "message", message })}\n`);

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "session-log-"));
  file = join(folder, "log.jsonl");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

function createAgent(messages: AgentMessage[] = [], onListenerError: (error: unknown) => void = () => {}): Agent {
  const streamFn = createScriptedStreamFn([fauxAssistantMessage("One."), fauxAssistantMessage("Two.")]);
  return new Agent({ initialState: { messages }, streamFn, onListenerError });
}

/** A disk that accepts half of the next write and nothing after that. */
async function fillDisk(): Promise<() => void> {
  const handle = await open(join(folder, "other"), "w");
  await handle.close();
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  const { write } = prototype;
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  let isFull = false;
  const spy = vi.spyOn(prototype, "write").mockImplementation(async function (this: FileHandle, ...args: unknown[]) {
    if (isFull) throw error;
    isFull = true;
    const [bytes, offset = 0] = args as [Buffer, number?]; // the session log writes buffers
    const half = Math.ceil((bytes.length - offset) / 2);
    return (await Reflect.apply(write, this, [bytes, offset, half])) as never; // the overloads have no common type
  });
  return () => spy.mockRestore();
}

test("#194 the disk is full in the middle of a line, and has room again later", async () => {
  const errors: unknown[] = [];
  const agent = createAgent();
  const log = await logged(agent, createSessionLog(file, { onError: (error) => errors.push(error) }));
  const makeRoom = await fillDisk();
  await agent.prompt("Go.");
  expect(errors.map(String).join()).toContain("ENOSPC");
  makeRoom();
  await agent.prompt("More.");
  await log.close();
  expect(await loadSession(file)).toMatchObject({ messages: agent.state.messages, skipped: [] });
});

test.each(["My notes", "one\ntwo\n", "", '{"a":1}\n', "\uFEFF{}\n"])(
  "#195 the path is a foreign file: %j",
  async (text) => {
    const content = `${text}\u0000`;
    await writeFile(file, content);
    await expect(logged(createAgent(), createSessionLog(file))).rejects.toThrow(SessionLogError);
    await expect(loadSession(file)).rejects.toThrow(SessionLogError);
    expect(await readFile(file, "utf8")).toBe(content);
  },
);

/** The damage between two intact lines, and whether it must be reported. */
const DAMAGE: readonly (readonly [bytes: Buffer, isReported: boolean])[] = [
  [Buffer.alloc(0), false],
  [Buffer.from("\n"), false],
  [Buffer.from('{"type":"message","mess\n'), true],
  [Buffer.from([0xff, 0xfe, 0xc3, 0x0a]), true],
  [line({ role: "user", content: 7 }), true],
];
const TAILS: readonly Buffer[] = ["", "\n", '{"type":"message","message":{"role":"user","content":"Grüße 🌍'].map(
  (text) => Buffer.from(text),
);

const COMBINATIONS = ["", "\uFEFF"].flatMap((mark) =>
  DAMAGE.flatMap((first) => DAMAGE.flatMap((second) => TAILS.map((tail) => ({ mark, first, second, tail })))),
);

test("#196 damage of every kind, in every combination", async () => {
  for (const { mark, first, second, tail } of COMBINATIONS) {
    const start = Buffer.from(`${mark}${HEADER}`);
    const sound = [line(user("Grüße 🌍")), line(user("two"))] as const;
    await writeFile(file, Buffer.concat([start, first[0], sound[0], second[0], sound[1], tail]));
    const reported = [...(first[1] ? [2] : []), ...(second[1] ? [first[0].length > 0 ? 4 : 3] : [])];
    const loaded = await loadSession(file);
    expect(loaded.messages).toEqual([user("Grüße 🌍"), user("two")]);
    expect(loaded.skipped.map((skipped) => skipped.line)).toEqual(reported);
    const agent = createAgent(loaded.messages);
    const log = await logged(agent, createSessionLog(file));
    await agent.prompt("More.");
    await log.close();
    const again = await loadSession(file);
    expect(again.messages).toEqual(agent.state.messages);
    expect(again.skipped.map((skipped) => skipped.line)).toEqual(reported);
  }
});

test("#197 messages and details that cannot be serialized", async () => {
  const details: Record<string, unknown> = { big: 7n, kept: "yes" };
  details["self"] = details;
  const calls = fauxAssistantMessage(fauxToolCall("read", { path: "a" }, { id: "c1" }), { stopReason: "toolUse" });
  const agent = new Agent({
    initialState: { tools: [readTool(async () => result("content", { details }))] },
    streamFn: createScriptedStreamFn([calls, fauxAssistantMessage("Done.")]),
  });
  const log = await logged(agent, createSessionLog(file));
  await agent.prompt("Go.");
  await log.close();
  const { messages, skipped, notices } = await loadSession(file);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  expect(messages[2]).toMatchObject({ content: [{ text: "content" }], details: { big: "7", kept: "yes" } });
  expect(skipped).toEqual([]);
  expect(notices).toHaveLength(1);
});

test("#198 two writers of one session, and a lock that a dead process has left", async () => {
  const first = await logged(createAgent(), createSessionLog(file));
  await expect(logged(createAgent(), createSessionLog(file))).rejects.toThrow(
    `The session log ${await realpath(file)} is in use by process ${process.pid}`,
  );
  await first.close();
  const child = execFile(process.execPath, ["--version"]);
  const { pid } = child;
  const ended = once(child, "close"); // from now on: the child may end at any time
  await writeFile(`${file}.lock`, JSON.stringify({ pid: process.ppid, threadId: 0, host: hostname(), token: "x" }));
  await expect(logged(createAgent(), createSessionLog(file))).rejects.toThrow(/is in use by process/);
  await ended;
  await writeFile(`${file}.lock`, JSON.stringify({ pid, threadId: 0, host: hostname(), token: "x" }));
  await (await logged(createAgent(), createSessionLog(file))).close();
});
