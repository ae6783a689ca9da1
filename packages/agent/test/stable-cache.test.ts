/** The agent begins each request with all of the request before it, so that the provider's cache is used. */
import { Agent, type AgentTool } from "pi-agent";
import { type Message, type StreamFunction, Type } from "pi-ai";
import { findCacheBreak, watchCache } from "pi-ai/cache";
import { assertStableCache, createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../test/support/random.js";
import { budget } from "../../../test/support/suite.js";

const seeds = Array.from({ length: budget({ quick: 20, all: 300 }) }, (_, seed) => seed);
const NAMES = ["zeta", "alpha", "mid"];

function createTool(name: string, wait: () => number): AgentTool {
  return {
    name,
    label: name,
    description: `The tool ${name}`,
    parameters: Type.Object({ b: Type.Optional(Type.Number()), a: Type.Optional(Type.String()) }),
    execute: async (id) => {
      for (let turn = wait(); turn > 0; turn--) await Promise.resolve();
      return { content: [{ type: "text", text: `Result of ${id}` }], details: { at: wait() } };
    },
  };
}

describe("requests of a run", () => {
  it.each(seeds)("each begins with the one before (seed %i)", async (seed) => {
    const { below, chance, pick } = createRandom(seed);
    const turns = 1 + below(6);
    const steps = Array.from({ length: turns }, (_, turn) => {
      const calls = Array.from({ length: 1 + below(5) }, (_item, index) =>
        fauxToolCall(pick(NAMES), { b: index, a: "x" }, { id: `${turn}-${index}` }),
      );
      return fauxAssistantMessage(calls, { stopReason: "toolUse" });
    });
    const streamFn = createScriptedStreamFn([...steps, fauxAssistantMessage("Done"), fauxAssistantMessage("Again")]);
    const tools = NAMES.map((name) => createTool(name, () => below(20)));
    const agent = new Agent({ streamFn, initialState: { systemPrompt: "You help.", tools } });
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end" && chance(0.1))
        agent.steer({ role: "user", content: "Hurry", timestamp: 1 });
    });
    await agent.prompt("Go");
    if (agent.state.messages.at(-1)?.role === "assistant" && streamFn.calls.length === turns + 1) {
      await agent.prompt("Once more");
    }
    expect(streamFn.calls.length).toBeGreaterThan(turns);
    assertStableCache(streamFn.calls);
    for (const { context } of streamFn.calls) expect(resultsInOrder(context.messages)).toBe(true);
  });

  it("a change of the tools, or a prompt with the time, is named on the response", async () => {
    const scripted = createScriptedStreamFn(["a", "b", "c"].map((text) => fauxAssistantMessage(text)));
    // A scripted function takes every model.
    const agent = new Agent({ streamFn: watchCache(scripted as StreamFunction) });
    const noted = (): unknown => {
      const last = agent.state.messages.at(-1);
      return last?.role === "assistant" ? last.diagnostics?.map(({ details }) => details?.["part"]) : undefined;
    };
    agent.state.systemPrompt = "It is 12:00.";
    agent.state.tools = [createTool("alpha", () => 0)];
    await agent.prompt("One");
    expect(noted()).toBeUndefined();
    agent.state.tools = [createTool("alpha", () => 0), createTool("mid", () => 0)];
    await agent.prompt("Two");
    expect(noted()).toEqual(["tools"]);
    agent.state.systemPrompt = "It is 12:01.";
    await agent.prompt("Three");
    expect(noted()).toEqual(["systemPrompt"]);
  });

  it("keeps a mark for the cache in the transcript and in each request", async () => {
    const streamFn = createScriptedStreamFn(["a", "b"].map((text) => fauxAssistantMessage(text)));
    const agent = new Agent({ streamFn });
    const content = [{ type: "text" as const, text: "The handbook", cache: "long" as const }];
    await agent.prompt({ role: "user", content, timestamp: 1 });
    await agent.prompt("Next");
    for (const { context } of streamFn.calls) expect(context.messages[0]).toMatchObject({ content });
    const [first, second] = streamFn.calls;
    expect(first && second && findCacheBreak(first.context, second.context)).toBeUndefined();
  });
});

/** Whether the results of each response stand in the order of its tool calls. */
function resultsInOrder(messages: readonly Message[]): boolean {
  const calls = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
      : [],
  );
  const results = messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  return JSON.stringify(results) === JSON.stringify(calls.slice(0, results.length));
}
