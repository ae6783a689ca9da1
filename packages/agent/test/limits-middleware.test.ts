/** `limits` in a list of middleware: what counts beside others, wherever they stand. */
import { Agent, type AgentMiddleware } from "pi-agent";
import { Budget, limits } from "pi-agent/limits";
import { Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

/** Declines the calls with these ids. */
const declining = (...ids: string[]): AgentMiddleware => ({
  name: "approvals",
  begin: () => ({
    beforeToolCall: async ({ toolCall }) =>
      ids.includes(toolCall.id) ? { block: true, reason: "A person declined it." } : undefined,
  }),
});

describe.each<[string, (one: AgentMiddleware, other: AgentMiddleware) => AgentMiddleware[]]>([
  ["inside", (one, other) => [one, other]],
  ["outside", (one, other) => [other, one]],
])("an approval %s of it", (_place, order) => {
  test("keeps a call that it declines from counting", async () => {
    const budget = new Budget({ toolCalls: 1 });
    const { streamFn } = scripted(response([call("1", "look")]), response([call("2", "look")]), text("done"));
    const agent = new Agent({
      streamFn,
      initialState: { model: MODEL, tools: [tool("look")] },
      middleware: order(limits({ budget, loops: false }), declining("1")),
    });
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(agent.state.messages.filter(({ role }) => role === "toolResult")).toMatchObject([
      { isError: true, content: [{ text: "A person declined it." }] },
      { isError: false },
    ]);
    expect(budget.used.toolCalls).toBe(1);
  });

  test("does not end a run whose calls were declined, or refused beside them", async () => {
    const budget = new Budget({ toolCalls: 1 });
    const both = response([call("1", "look"), call("2", "look")]);
    const { streamFn } = scripted(both, response([call("3", "look")]), text("done"));
    const agent = new Agent({
      streamFn,
      initialState: { model: MODEL, tools: [tool("look")] },
      middleware: order(limits({ budget, loops: false }), declining("1", "2")),
    });
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(agent.state.messages.at(-2)).toMatchObject({ role: "toolResult", toolCallId: "3", isError: false });
    expect(budget.used.toolCalls).toBe(1);
  });
});

test("several add up: the strictest ends the run", async () => {
  for (const turns of [
    [1, 5],
    [5, 1],
  ]) {
    const budgets = turns.map((most) => new Budget({ turns: most }));
    const { streamFn, calls } = scripted(response([call("1", "look")]), text("done"));
    const agent = new Agent({
      streamFn,
      initialState: { model: MODEL, tools: [tool("look")] },
      middleware: budgets.map((budget) => limits({ budget })),
    });
    await agent.prompt("Hi");
    expect(calls).toHaveLength(1);
    expect(agent.state.stopped).toMatchObject({ by: "budget", limit: "turns", most: 1 });
    expect(budgets.map(({ used }) => used.turns)).toEqual([1, 1]);
  }
});

test("the tool of the output is neither refused nor counted", async () => {
  const budget = new Budget({ toolCalls: 0 });
  const { streamFn } = scripted(response([call("1", "output", { city: "Oslo" })]));
  const output = { schema: Type.Object({ city: Type.String() }), mode: "tool" as const };
  const agent = new Agent({ streamFn, initialState: { model: MODEL, output }, middleware: [limits({ budget })] });
  await agent.prompt("Where?");
  expect(agent.state.output).toEqual({ city: "Oslo" });
  expect(budget.used.toolCalls).toBe(0);
});
