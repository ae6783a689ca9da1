import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fauxAssistantMessage, fauxText, fauxToolCall, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Agent } from "../agent.js";
import type { AgentTool } from "../types/tool.js";
import { loadSession } from "./load-session.js";
import { createSessionLog } from "./session-log.js";

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
    const log = await createSessionLog(agent, file);
    await agent.prompt("Go.");
    await log.close();
    expect(await kinds()).toEqual(["session", "run_start", "user", "assistant", "toolResult", "assistant", "run_end"]);
  });

  it("gives back what a new agent needs to go on", async () => {
    const first = createAgent([callWork(), fauxAssistantMessage("Done.")]);
    const log = await createSessionLog(first, file, { fsync: true });
    await first.prompt("Go.");
    await log.close();
    const { messages, interrupted, notices } = await loadSession(file);
    expect({ messages, interrupted, notices }).toEqual({
      messages: first.state.messages,
      interrupted: false,
      notices: [],
    });

    const second = createAgent([fauxAssistantMessage("Again.")], messages);
    const again = await createSessionLog(second, file);
    await second.prompt("More.");
    await again.close();
    expect((await kinds()).slice(7)).toEqual(["run_start", "user", "assistant", "run_end"]);
    expect((await loadSession(file)).messages).toEqual(second.state.messages);
  });

  it("continues a run that was cut off in the middle of its tools", async () => {
    const agent = createAgent([callWork(), fauxAssistantMessage("Done.")]);
    const log = await createSessionLog(agent, file);
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
      "The last line was cut off after 40 characters and was dropped",
      "1 tool calls had no result and got an error result",
    ]);
    const next = createAgent([fauxAssistantMessage("It failed, I see.")], messages);
    await next.continue();
    expect(next.state.messages.at(-1)).toMatchObject({ content: [{ text: "It failed, I see." }] });
  });

  it("takes failed answers away from the end, so that continue() works", async () => {
    const agent = createAgent([fauxAssistantMessage("Half", { stopReason: "error", errorMessage: "overloaded" })]);
    const log = await createSessionLog(agent, file);
    await agent.prompt("Go.");
    await log.close();
    const { messages, notices } = await loadSession(file);
    expect(messages.map((message) => message.role)).toEqual(["user"]);
    expect(notices).toEqual(["1 failed answers at the end were taken away"]);
  });

  it("writes what the agent already holds, and starts over after a reset", async () => {
    const agent = createAgent(
      [fauxAssistantMessage("One."), fauxAssistantMessage("Two.")],
      [{ role: "user", content: "Earlier", timestamp: 1 }],
    );
    const log = await createSessionLog(agent, file);
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
    const log = await createSessionLog(agent, file);
    await agent.prompt("Go.");
    await log.close();
    const growth = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
    for (const bytes of growth) expect(Math.abs(bytes - (growth[0] ?? 0))).toBeLessThan((growth[0] ?? 0) / 20);
    expect((await loadSession(file)).messages).toHaveLength(2 * turns + 2);
  });

  it("names a line that is damaged where no crash can have damaged it", async () => {
    await writeFile(file, '{"type":"session","version":1,"at":1}\n{"type":"mess\n');
    await expect(loadSession(file)).rejects.toThrow("Line 2 of the session log is no JSON");
    await writeFile(file, '{"type":"session","version":1,"at":1}\n{"type":"message","message":7}\n');
    await expect(loadSession(file)).rejects.toThrow("Line 2 of the session log is of no known kind");
    await writeFile(file, '{"type":"run_start","at":1}\n');
    await expect(createSessionLog(createAgent([]), file)).rejects.toThrow("Line 1 does not begin a session log");
  });

  it("tells of a write that fails, and lets the run go on", async () => {
    const errors: unknown[] = [];
    const agent = new Agent({
      streamFn: createScriptedStreamFn([fauxAssistantMessage("Done.")]),
      onListenerError: (error) => errors.push(error),
    });
    const message = { role: "user" as const, content: "Go.", timestamp: 1, details: 1n };
    const log = await createSessionLog(agent, file);
    await agent.prompt(message);
    await log.close();
    expect(agent.state.messages).toHaveLength(2);
    expect(errors).toHaveLength(1);
    await appendFile(file, "");
    expect(await kinds()).toEqual(["session", "run_start", "assistant", "run_end"]);
  });
});
