/** What a durable run stores. docs/architecture.md lists it. */
import { Agent, type AgentMiddleware } from "pi-agent";
import { durable } from "pi-agent/durable";
import { expect, test } from "vitest";
import { calls, MODEL, scripted, user } from "../scripted-stream.js";
import { tool } from "../scripted-tool.js";
import { MemoryEngine } from "./memory-engine.js";

test("beforeToolCall, each tool, beforeRequest, the request, each decision after a turn and each poll are steps", async () => {
  const engine = new MemoryEngine();
  const middleware: AgentMiddleware = { name: "m", begin: () => ({ beforeRequest: () => {}, afterTurn: () => {} }) };
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a"), tool("b")] },
    streamFn: scripted(calls("a", "b")).streamFn,
    steps: durable(engine.start()),
    middleware: [middleware],
    beforeToolCall: async () => undefined,
    prepareNextTurn: () => undefined,
    shouldStopAfterTurn: () => false,
  });
  agent.steer(user("S"));
  await agent.prompt("hi");
  const names = engine.remembered.map(({ json = "{}" }) => String(JSON.parse(json).step));
  const turn = ["m/afterTurn", "prepareNextTurn", "shouldStopAfterTurn", "steering"];
  expect(names).toEqual([
    ...["prompts", "steering", "m/beforeRequest", "response"],
    ...["beforeToolCall 1:1", "beforeToolCall 1:2", "begin 1:1 1:2", "tool a 1:1", "tool b 1:2", ...turn],
    ...["m/beforeRequest", "response", ...turn, "follow-up"],
  ]);
});
