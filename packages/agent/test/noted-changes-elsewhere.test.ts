/** What pages, stores and watchers do with the messages in which an agent notes its changes. */
import { Agent } from "pi-agent";
import { toAgUiStream } from "pi-agent/ag-ui";
import { compact } from "pi-agent/compact";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { toUIMessageStream } from "pi-agent/ui-stream";
import { getCurrentSystemPrompt, getModel, type StreamFunction } from "pi-ai";
import { watchCache } from "pi-ai/cache";
import { assertStableCache, createScriptedStreamFn, fauxAssistantMessage } from "pi-ai/testing";
import { expect, test } from "vitest";

const OPUS = getModel("anthropic", "claude-opus-5-5");
const SECRET = "The secret rule is 4711.";

/** An agent that has answered once, and whose prompt has changed since. */
async function createChanged(more: ConstructorParameters<typeof Agent>[0] = {}) {
  const scripted = createScriptedStreamFn(["a", "b", "c"].map((text) => fauxAssistantMessage(text)));
  const streamFn = watchCache(scripted as StreamFunction); // a scripted function takes every model
  const initialState = { model: OPUS, systemPrompt: "You help.", messages: [] };
  const agent = new Agent({ streamFn, initialState, sessionId: "one", ...more });
  await agent.prompt("One");
  agent.state.systemPrompt = SECRET;
  return { agent, scripted };
}

async function readAll(stream: ReadableStream<unknown>): Promise<string> {
  const items: unknown[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) items.push(next.value);
  return JSON.stringify(items);
}

test.each([
  ["toUIMessageStream", toUIMessageStream],
  [
    "toAgUiStream",
    (agent: Agent, start: { run: () => Promise<unknown> }) =>
      toAgUiStream(agent, { ...start, threadId: "t", runId: "r" }),
  ],
] as const)("%s shows no note", async (_name, toStream) => {
  const { agent } = await createChanged();
  const shown = await readAll(toStream(agent, { run: () => agent.prompt("Two") }));
  expect(shown).toContain('"b"');
  expect(shown).not.toContain("4711");
  expect(shown).not.toContain("system");
});

test("a published run holds no note, also in a snapshot", async () => {
  const store = createMemoryEventStore<RunEvent>();
  let runs = 0;
  const { agent } = await createChanged({ middleware: [publish(store, () => `run-${++runs}`, { snapshotEvery: 1 })] });
  await agent.prompt("Two");
  await agent.prompt("Three");
  expect(getCurrentSystemPrompt(agent.state.messages)).toBe(SECRET);
  for (let run = 1; run <= runs; run++) {
    const events: RunEvent[] = [];
    for await (const [, event] of store.read(`run-${run}`, 0, AbortSignal.timeout(10_000))) events.push(event);
    expect(events.length).toBeGreaterThan(0);
    expect(JSON.stringify(events)).not.toContain("4711");
    expect(JSON.stringify(events)).not.toContain("system");
  }
});

test("a change in place breaks no cache, and one that is put at the beginning does", async () => {
  const broken = async (model: Parameters<StreamFunction>[0]) => {
    const { agent, scripted } = await createChanged();
    agent.state.model = model;
    await agent.prompt("Two");
    agent.state.systemPrompt = "Another one.";
    await agent.prompt("Three");
    const last = agent.state.messages.at(-1);
    return { types: last?.role === "assistant" && last.diagnostics?.map(({ type }) => type), calls: scripted.calls };
  };
  const opus = await broken(OPUS);
  expect(opus.types).toBeFalsy();
  assertStableCache(opus.calls);
  const gemini = await broken(getModel("google", "gemini-4-argon"));
  expect(gemini.types).toEqual(["cache_broken"]);
  expect(() => assertStableCache(gemini.calls.slice(1))).toThrow("the system prompt differs");
});

test("a compaction keeps what the notes say", async () => {
  const { agent, scripted } = await createChanged();
  await agent.prompt(`Two ${"word ".repeat(9000)}`);
  const writer = createScriptedStreamFn([fauxAssistantMessage("Summary")]) as StreamFunction;
  const record = await compact({ keep: 0 }).compact(agent.state.messages, { model: OPUS, streamFn: writer });
  expect(record?.compaction.summary).toContain("Summary");
  agent.middleware = [compact()];
  if (record) agent.state.messages.push(record);
  agent.state.thinkingLevel = "high";
  await agent.prompt("Three");
  const { context } = scripted.calls[2] ?? {};
  expect(context?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user", "system"]);
  expect(getCurrentSystemPrompt(context?.messages ?? [])).toBe(SECRET);
});
