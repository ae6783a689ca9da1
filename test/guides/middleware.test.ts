/** The middlewares of the guide do what the guide says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, type AgentMiddleware, type AnyAgentTool, defineTool } from "pi-agent";
import { compact } from "pi-agent/compact";
import { Budget, limits, sumUsage } from "pi-agent/limits";
import { type AssistantMessage, Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { expect, test } from "vitest";
import { agent as agentOfGuide, cacheResponses, guard, redact } from "../../examples/guides/src/middleware.js";
import { failed, MODEL } from "../feature-pairs/server.js";
import { PROGRAMS } from "./programs.js";

interface Played {
  agent: Agent;
  requests(): string[];
}

function play(responses: AssistantMessage[], middleware: AgentMiddleware[], tools: AnyAgentTool[] = []): Played {
  const streamFn = createScriptedStreamFn(responses);
  const agent = new Agent({ initialState: { model: MODEL, tools }, streamFn, middleware });
  return { agent, requests: () => streamFn.calls.map(({ context }) => JSON.stringify(context)) };
}

test("each has at most 40 lines", () => {
  const source = readFileSync(join(PROGRAMS, "middleware.ts"), "utf8");
  const functions = [...source.matchAll(/^export function (\w+)[\s\S]*?^}$/gm)];
  expect(functions.map(([, name]) => name)).toEqual(["cacheResponses", "redact", "guard"]);
  for (const [text, name] of functions) expect(text.split("\n").length, name).toBeLessThanOrEqual(40);
});

test("the agent of the guide responds to nobody before it is asked", () => {
  expect(agentOfGuide.state.messages).toEqual([]);
});

test("the cache answers a request that was sent before, which costs nothing and does not count", async () => {
  const store = new Map<string, AssistantMessage>();
  const first = play([fauxAssistantMessage("Oslo")], [cacheResponses(store)]);
  await first.agent.prompt("The capital of Norway?");
  const budget = new Budget({ turns: 1 });
  const again = play([fauxAssistantMessage("done")], [cacheResponses(store), limits({ budget })]);
  await again.agent.prompt("The capital of Norway?");
  expect(again.requests()).toEqual([]);
  expect(again.agent.state.messages.at(-1)).toMatchObject({ content: [{ text: "Oslo" }] });
  expect([sumUsage(again.agent.state.messages).totalTokens, budget.used.turns]).toEqual([0, 0]);
  await again.agent.prompt("And of Sweden?");
  expect(again.requests().length).toBe(1);
});

test("a cache inside of limits is refused", async () => {
  const { agent } = play([fauxAssistantMessage("Oslo")], [limits({}), cacheResponses(new Map())]);
  await agent.prompt("The capital of Norway?");
  expect(agent.state.errorMessage).toBe('The middleware "cache" must come before "limits" in the list');
});

test("no request holds a secret, after an overflow and for a summary neither", async () => {
  const overflow = failed("context_overflow", "prompt is too long: 300000 tokens > 200000 maximum");
  const responses = ["ok", overflow, "SUMMARY", "recovered"].map((one) =>
    typeof one === "string" ? fauxAssistantMessage(one) : one,
  );
  const streamFn = createScriptedStreamFn(responses);
  const agent = new Agent({
    initialState: { model: MODEL },
    streamFn,
    middleware: [compact({ at: 0.9, keep: 1 }), redact(/sk-[\w-]+/g)],
  });
  await agent.prompt(`The key of production is sk-4711. ${"Some words. ".repeat(50)}`);
  await agent.prompt("The other key is sk-4712.");
  expect(agent.state.errorMessage).toBeUndefined();
  const requests = streamFn.calls.map(({ context }) => JSON.stringify(context));
  expect(requests.map((request) => [request.includes("sk-"), request.includes("[redacted]")])).toEqual(
    responses.map(() => [false, true]),
  );
  expect(JSON.stringify(agent.state.messages)).toContain("sk-4711");
});

test("the guard asks a second model, whose answer decides, and whose request counts and holds no secret", async () => {
  const removed: string[] = [];
  const remove = defineTool({
    name: "remove",
    description: "Removes a file",
    parameters: Type.Object({ file: Type.String() }),
    execute: async (_id, { file }) => {
      removed.push(file);
      return { content: [{ type: "text", text: "removed" }], details: {} };
    },
  });
  const call = (file: string, id: string) =>
    fauxAssistantMessage(fauxToolCall("remove", { file }, { id }), { stopReason: "toolUse" });
  const responses = [call("a", "1"), "Yes.", call("sk-4711", "2"), "no", "done"];
  const budget = new Budget({ turns: 10 });
  const { agent, requests } = play(
    responses.map((one) => (typeof one === "string" ? fauxAssistantMessage(one) : one)),
    [redact(/sk-[\w-]+/g), limits({ budget }), guard({ ...MODEL, id: "judge" }, "Nothing may be deleted.")],
    [remove],
  );
  await agent.prompt("Remove both.");
  expect(removed).toEqual(["a"]);
  expect(agent.state.messages.at(-2)).toMatchObject({
    content: [{ text: "A second model did not allow this call." }],
    isError: true,
  });
  expect(requests().filter((request) => request.includes("sk-"))).toEqual([]);
  expect(requests()[3]).toContain('remove({\\"file\\":\\"[redacted]\\"})');
  expect(budget.used.turns).toBe(5);
});
