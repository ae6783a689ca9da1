import { Agent, type AgentMessage, type AnyAgentTool, type StreamFn } from "pi-agent";
import { type CompactionEvent, compact, isCompactionMessage } from "pi-agent/compact";
import { type AssistantMessage, type Context, type SimpleStreamOptions, Type } from "pi-ai";
import { findCacheBreak } from "pi-ai/cache";
import { expect, test } from "vitest";
import { asksAtItsEnd, history, isSummary, model, noUsage, overflow } from "../../../test/compact-script.js";
import { eventsOf, response, streamOf, terminalEvent, text } from "../../../test/scripted-stream.js";

const tool: AnyAgentTool = {
  name: "read",
  label: "Read",
  description: "Reads",
  parameters: Type.Object({}),
  execute: async () => ({ content: [], details: {} }),
};

type Sent = { context: Context; options: SimpleStreamOptions | undefined };

/** Runs an agent whose conversation is too long after its first prompt. */
async function run(answer: AssistantMessage, initial: AgentMessage[] = history(6)) {
  const sent: Sent[] = [];
  const events: CompactionEvent[] = [];
  const streamFn: StreamFn = (_model, context, options) => {
    sent.push({ context: { ...context, messages: [...context.messages] }, options });
    const next = asksAtItsEnd(context) ? answer : text(isSummary(context) ? "Of its own." : "x".repeat(400), noUsage);
    return streamOf(next.stopReason === "error" ? [terminalEvent(next)] : eventsOf(next));
  };
  const agent = new Agent({
    streamFn,
    sessionId: "s-1",
    streamOptions: { maxTokens: 123 },
    middleware: [compact({ at: 0.75, keep: 200, onEvent: (event) => events.push(event) })],
    initialState: { model, tools: [tool], systemPrompt: "You help.", messages: initial, thinkingLevel: "high" },
  });
  await agent.prompt("Go on");
  await agent.prompt(`And on ${"y".repeat(300)}`);
  return { agent, sent, events, record: agent.state.messages.find(isCompactionMessage) };
}

test("a summary is asked for at the end of the conversation, so that the provider reads its cache", async () => {
  const { sent, record } = await run(text("They counted."));
  const [first, asked, next] = sent;
  expect(record?.compaction).toMatchObject({
    summary: "They counted.",
    reason: "threshold",
    usage: { totalTokens: 10 },
  });
  expect(sent).toHaveLength(3);
  if (!first || !asked || !next) throw new Error("Not three requests");
  expect(findCacheBreak(first.context, asked.context)).toBeUndefined();
  expect(asksAtItsEnd(asked.context)).toBe(true);
  // The prompt that is not answered yet stays as it is, behind the summary.
  expect(asked.context.messages.at(-2)).toMatchObject({ role: "assistant" });
  expect(next.context.messages.at(-1)).toMatchObject({ content: [{ text: expect.stringMatching(/^And on/) }] });
  // What else decides about a cache: the session, the level and the limit.
  const { signal: _signal, ...options } = asked.options ?? {};
  expect(first.options).toMatchObject(options);
  expect(options).toMatchObject({ sessionId: "s-1", reasoning: "high", maxTokens: 123 });
  expect(asksAtItsEnd(next.context)).toBe(false);
});

const call = response([{ type: "toolCall", id: "1", name: "read", arguments: {} }]);
test.each([
  ["calls a tool", call],
  ["writes nothing", text(" ")],
  ["is cut off", text("They", { stopReason: "length" })],
  ["finds the conversation too long", overflow],
])("a model that %s is asked in a conversation of its own", async (_name, answer) => {
  const { sent, record } = await run(answer);
  expect(record?.compaction.summary).toBe("Of its own.");
  // Two, because half of the conversation fits into one.
  expect(sent.map(({ context }) => isSummary(context))).toEqual([false, true, true, true, false]);
  expect(sent.map(({ context }) => asksAtItsEnd(context))).toEqual([false, true, false, false, false]);
  expect(record?.compaction.usage?.input).toBe(answer.usage.input + 2 * noUsage.usage.input);
});

test("a failure is the reason of the failed summary, and asks nobody else", async () => {
  const busy: AssistantMessage = { ...overflow, errorMessage: "busy", error: { kind: "overloaded" } };
  const { events, sent, record } = await run(busy);
  expect(record).toBeUndefined();
  expect(events.at(-1)).toMatchObject({ type: "compaction_end", errorMessage: "busy" });
  expect(sent.filter(({ context }) => isSummary(context))).toHaveLength(1);
});

test("a model that has not cached the conversation is asked with shortened results", async () => {
  const { sent, record } = await run(
    text("They counted."),
    history(8).map((message) => (message.role === "assistant" ? { ...message, model: "other" } : message)),
  );
  expect(record?.compaction.summary).toBe("Of its own.");
  expect(sent.some(({ context }) => asksAtItsEnd(context))).toBe(false);
});

test("a prompt that is not answered yet is not in the request: its first image would cost the cache of the conversation", async () => {
  const sent: Context[] = [];
  const streamFn: StreamFn = (_model, context) => {
    sent.push({ ...context, messages: [...context.messages] });
    return streamOf(eventsOf(asksAtItsEnd(context) ? text("They counted.") : text("x".repeat(400), noUsage)));
  };
  const agent = new Agent({
    streamFn,
    middleware: [compact({ at: 0.75, keep: 200 })],
    initialState: { model, messages: history(6) },
  });
  await agent.prompt("Go on");
  await agent.prompt(`And on ${"y".repeat(300)}`, [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }]);
  const [first, asked, next] = sent;
  if (!first || !asked || !next) throw new Error("Not three requests");
  expect(asked.messages.slice(0, -1)).toEqual([...first.messages, agent.state.messages[7]]);
  expect(asksAtItsEnd(asked)).toBe(true);
  expect(next.messages.at(-1)?.content).toContainEqual(expect.objectContaining({ type: "image" }));
});
