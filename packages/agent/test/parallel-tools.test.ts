/** Tool calls that run at the same time do not affect each other, whatever happens to each of them. */
import { Agent, type AgentEvent, type AnyAgentTool } from "pi-agent";
import { Type } from "pi-ai";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { loadLoop } from "./load-loop.js";
import { call, MODEL, response, scripted } from "./scripted-stream.js";
import { never, result } from "./scripted-tool.js";

/** What happens to a call, and the text of its result. */
const FATES = {
  works: /^works \d$/,
  throws: /^throws \d$/,
  hangs: /^Tool hangs timed out after 50 ms$/,
  blocked: /^blocked \d$/,
  unknown: /^Tool unknown not found$/,
} as const;
type Fate = keyof typeof FATES;
const NAMES = Object.keys(FATES) as Fate[];
const COMBINATIONS = NAMES.flatMap((one) => NAMES.flatMap((two) => NAMES.map((three) => [one, two, three] as const)));

beforeAll(loadLoop);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Tools that end after the timeout of those that hang, the last call first. */
function createTools(abortedAtEnd: boolean[]): AnyAgentTool[] {
  const create = (name: Fate, end: (id: string) => ReturnType<AnyAgentTool["execute"]>): AnyAgentTool => ({
    name,
    label: name,
    description: name,
    parameters: Type.Object({ n: Type.Number() }),
    toolTimeoutMs: name === "hangs" ? 50 : 500,
    execute: async (id, { n }, signal, onUpdate) => {
      onUpdate?.(result(`progress ${id}`));
      if (name === "hangs") return never();
      await after(100 - 10 * n);
      abortedAtEnd.push(signal?.aborted ?? false);
      return end(id);
    },
  });
  return [
    create("works", async (id) => result(`works ${id}`)),
    create("throws", (id) => Promise.reject(new Error(`throws ${id}`))),
    create("hangs", () => never()),
    create("blocked", () => expect.unreachable("a blocked call ran")),
  ];
}

interface Played {
  events: AgentEvent[];
  agent: Agent;
  /** Whether the signal of each tool that ended by itself was aborted. */
  abortedAtEnd: boolean[];
  /** The ids and texts that `afterToolCall` received. */
  seen: string[];
}

async function play(fates: readonly Fate[], options: { maxParallelTools?: number } = {}): Promise<Played> {
  const abortedAtEnd: boolean[] = [];
  const seen: string[] = [];
  const made = fates.map((fate, index) => call(String(index + 1), fate, { n: index + 1 }));
  const agent = new Agent({
    initialState: { model: MODEL, tools: createTools(abortedAtEnd) },
    streamFn: scripted(response(made)).streamFn,
    beforeToolCall: async ({ toolCall }) =>
      toolCall.name === "blocked" ? { block: true, reason: `blocked ${toolCall.id}` } : undefined,
    afterToolCall: async ({ toolCall, result: { content } }) => {
      const [block] = content;
      seen.push(`${toolCall.id}: ${block?.type === "text" ? block.text : ""}`);
      return undefined;
    },
    ...options,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  const prompted = agent.prompt("Hi");
  await vi.advanceTimersByTimeAsync(1000);
  await prompted;
  return { events, agent, abortedAtEnd, seen };
}

function resultsOf({ agent }: Played): { id: string; text: string; isError: boolean }[] {
  return agent.state.messages.flatMap((message) => {
    if (message.role !== "toolResult") return [];
    const [block] = message.content;
    return [{ id: message.toolCallId, text: block?.type === "text" ? block.text : "", isError: message.isError }];
  });
}

function eventsOf(events: readonly AgentEvent[], id: string): string[] {
  return events.flatMap((event) => ("toolCallId" in event && event.toolCallId === id ? [event.type] : []));
}

function check(fates: readonly Fate[], played: Played): void {
  const results = resultsOf(played);
  expect(results.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  for (const [index, fate] of fates.entries()) {
    const id = String(index + 1);
    expect(results[index]?.text).toMatch(FATES[fate]);
    expect(results[index]?.isError).toBe(fate !== "works");
    const updates = fate === "blocked" || fate === "unknown" ? [] : ["tool_execution_update"];
    expect(eventsOf(played.events, id)).toEqual(["tool_execution_start", ...updates, "tool_execution_end"]);
  }
  for (const event of played.events)
    if (event.type === "tool_execution_update")
      expect(event.partialResult.content).toEqual([{ type: "text", text: `progress ${event.toolCallId}` }]);
  expect(played.abortedAtEnd.filter(Boolean)).toEqual([]);
  const ran = results.filter((_, index) => !["blocked", "unknown"].includes(fates[index] ?? ""));
  expect(played.seen.toSorted()).toEqual(ran.map(({ id, text }) => `${id}: ${text}`));
  expect(played.agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
}

test.each(COMBINATIONS)("%s, %s, %s", async (...fates) => {
  check(fates, await play(fates));
  check(fates, await play(fates, { maxParallelTools: 2 }));
});

test("those that run end as they finish, and those that must not run before the next one starts", async () => {
  const { events } = await play(["works", "unknown", "hangs"]);
  const shown = events.flatMap((event) => (/^tool_execution_(?:start|end)$/.test(event.type) ? [event] : []));
  const short = shown.map((event) => `${event.type.slice(15)} ${"toolCallId" in event ? event.toolCallId : ""}`);
  expect(short).toEqual(["start 1", "start 2", "end 2", "start 3", "end 3", "end 1"]);
});
