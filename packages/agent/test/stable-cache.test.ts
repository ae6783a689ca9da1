/** The agent begins each request with all of the request before it, so that the provider's cache is used. */
import { Agent, type AgentTool, type AnyAgentTool } from "pi-agent";
import { getModel, type Message, type StreamFunction, Type } from "pi-ai";
import { findCacheBreak, watchCache } from "pi-ai/cache";
import { assertStableCache, createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../test/support/random.js";
import { budget } from "../../../test/support/suite.js";

const seedsOf = (length: number): number[] => Array.from({ length }, (_, seed) => seed);
const seeds = seedsOf(budget({ quick: 20, all: 300 }));
const NAMES = ["zeta", "alpha", "mid"];

/** GPT cannot lose a tool in place. */
const MODELS = { claude: getModel("anthropic", "claude-opus-5-5"), gpt: getModel("openai", "gpt-6.2-sol") };
const sessions = seedsOf(budget({ quick: 2, all: 100 })).flatMap((seed) => [
  ["claude", seed] as const,
  ["gpt", seed] as const,
]);

function withOther(tools: readonly AnyAgentTool[], other: AnyAgentTool, removes: boolean): AnyAgentTool[] {
  if (!tools.includes(other)) return [...tools, other];
  return removes ? tools.filter((tool) => tool !== other) : [...tools];
}

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

  it.each(sessions)("with changes between them, each begins with the one before (%s, seed %i)", async (name, seed) => {
    const { below, chance, pick } = createRandom(seed);
    const model = MODELS[name];
    const streamFn = createScriptedStreamFn(
      Array.from({ length: 100 }, () => fauxAssistantMessage(`Answer ${below(99)}`)),
    );
    const pool = ["one", "two", "three", "four"].map((tool) => createTool(tool, () => 0));
    const tools = NAMES.map((tool) => createTool(tool, () => 0));
    const agent = new Agent({
      streamFn: streamFn as StreamFunction, // a scripted function takes every model
      initialState: { model, systemPrompt: "You help.", tools, thinkingLevel: "medium" },
    });
    for (let request = 0; request < 100; request++) {
      await agent.prompt(`Task ${below(99)}`);
      const { state } = agent;
      if (chance(0.2)) state.systemPrompt = `You help. Rule ${below(9)}.`;
      if (chance(0.2)) state.thinkingLevel = pick(["low", "medium", "high"]);
      if (chance(0.3)) state.tools = withOther(state.tools, pick(pool), name === "claude");
    }
    expect(streamFn.calls).toHaveLength(100);
    assertStableCache(streamFn.calls);
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
