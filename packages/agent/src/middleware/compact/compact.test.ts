import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentMessage } from "pi-agent";
import { type CompactionEvent, isCompactionMessage } from "pi-agent/compact";
import { subscribeEmbedded } from "pi-agent/embed";
import { createSessionLog, loadSession } from "pi-agent/session";
import type { AssistantMessage } from "pi-ai";
import { describe, expect, it } from "vitest";
import { callWithResult, history, model, noUsage, overflow, script, setUp } from "../../../test/compact-script.js";
import { eventsOf, response, streamOf, text, user } from "../../../test/scripted-stream.js";
import { logged } from "../../../test/session/logged.js";

const fullWindow = { ...noUsage.usage, input: 1000, output: 0, totalTokens: 1000 };
const roles = (events: readonly CompactionEvent[]): string[] => events.map(({ type }) => type);

describe("in an agent", () => {
  it("adds a record to the transcript and sends it in place of what it replaces", async () => {
    const { compaction, withSummaries, events } = setUp({}, text("They counted."));
    const { streamFn, requests } = script(text("Yes", noUsage));
    const agent = new Agent({
      streamFn: withSummaries(streamFn),
      middleware: [compaction],
      initialState: { model, messages: history(10) },
    });
    await agent.prompt("Go on");
    const record = agent.state.messages.find(isCompactionMessage);
    expect(record?.compaction).toMatchObject({ summary: "They counted.", replaced: 8, reason: "threshold" });
    expect(record?.compaction.usage?.totalTokens).toBe(10);
    expect(agent.state.messages).toHaveLength(13);
    expect(agent.state.messages.indexOf(record as AgentMessage)).toBe(11);
    const sent = requests[0]?.messages ?? [];
    expect(sent[0]).toBe(record);
    expect(sent.slice(1)).toEqual([...history(10).slice(8), expect.objectContaining({ role: "user" })]);
    expect(roles(events)).toEqual(["compaction_start", "compaction_end"]);
    await agent.prompt("And on");
    expect(requests[1]?.messages.slice(0, sent.length)).toEqual(sent);
    expect(events).toHaveLength(2);
  });

  it("stores the record in a session, and uses it after the session was loaded", async () => {
    const folder = await mkdtemp(join(tmpdir(), "compact-"));
    try {
      const file = join(folder, "session.jsonl");
      const { streamFn } = script();
      const first = setUp({}, text("They counted."));
      const initialState = { model, messages: history(10) };
      const agent = new Agent({
        streamFn: first.withSummaries(streamFn),
        middleware: [first.compaction],
        initialState,
      });
      const log = await logged(agent, createSessionLog(file));
      await agent.prompt("Go on");
      await log.close();
      const { messages } = await loadSession(file);
      expect(messages).toEqual(agent.state.messages);
      const second = setUp();
      const view = await second.viewOf(messages);
      expect(view[0]).toMatchObject({ content: expect.stringContaining("They counted.") });
      expect(second.summaryRequests).toHaveLength(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("passes its events to an embedded subscription", async () => {
    const { streamFn } = script();
    const started: string[] = [];
    let deliver: (event: CompactionEvent) => void = () => {};
    const { compaction, withSummaries } = setUp({ onEvent: (event) => deliver(event) }, text("They counted."));
    const agent = new Agent({
      streamFn: withSummaries(streamFn),
      middleware: [compaction],
      initialState: { model, messages: history(10) },
    });
    const subscription = subscribeEmbedded(agent, { onCompactionStart: ({ type }) => void started.push(type) });
    deliver = subscription.handleEvent;
    await agent.prompt("Go on");
    expect(started).toEqual(["compaction_start"]);
    expect(subscription.getCompactionCount()).toBe(1);
    expect(subscription.isCompacting()).toBe(false);
    subscription.unsubscribe();
  });

  it("compacts once after an overflow, sends the request again, and records it before the response", async () => {
    const { compaction, withSummaries } = setUp({ at: 1 }, text("They counted."));
    const { streamFn, requests } = script(overflow, text("Yes", noUsage));
    const agent = new Agent({
      streamFn: withSummaries(streamFn),
      middleware: [compaction],
      initialState: { model, messages: history(8) },
    });
    await agent.prompt("Go on");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(requests).toHaveLength(2);
    const sent = requests[1]?.messages ?? [];
    expect(sent[0]).toMatchObject({ compaction: { reason: "overflow" } });
    expect(agent.state.messages.slice(-2)).toMatchObject([
      { compaction: { reason: "overflow" } },
      { role: "assistant" },
    ]);
    await agent.prompt("And on");
    expect(requests[2]?.messages.slice(0, sent.length)).toEqual(sent);
    expect(agent.state.messages.filter(isCompactionMessage)).toHaveLength(1);
  });

  it.each<[string, AssistantMessage]>([
    ["an error after the stream has begun", overflow],
    ["an empty response to a full window", response([], { stopReason: "length", usage: fullWindow })],
  ])("recovers from %s", async (_name, failed) => {
    const { compaction, withSummaries } = setUp({ at: 1 }, text("They counted."));
    const requests: string[] = [];
    const agent = new Agent({
      streamFn: withSummaries((_model, { messages }) => {
        requests.push(JSON.stringify(messages[0]));
        return streamOf(eventsOf(requests.length === 1 ? failed : text("Yes", noUsage)));
      }),
      middleware: [compaction],
      initialState: { model, messages: history(8) },
    });
    await agent.prompt("Go on");
    expect(agent.state.errorMessage).toBeUndefined();
    // The response was open, so the record follows the turn.
    expect(agent.state.messages.slice(-2)).toMatchObject([
      { content: [{ text: "Yes" }] },
      { role: "user", origin: "compact", compaction: { reason: "overflow", madeAt: 9 } },
    ]);
    expect(requests).toEqual([expect.any(String), expect.stringContaining("They counted.")]);
  });

  it("reports a second overflow instead of compacting again", async () => {
    const { compaction, withSummaries, summaryRequests } = setUp({ at: 1 }, text("They counted."));
    const { streamFn, requests } = script(overflow);
    const initialState = { model, messages: history(8) };
    const agent = new Agent({ streamFn: withSummaries(streamFn), middleware: [compaction], initialState });
    await agent.prompt("Go on");
    expect(requests).toHaveLength(2);
    expect(summaryRequests).toHaveLength(1);
    expect(agent.state.errorMessage).toContain("prompt is too long");
  });
});

describe("the summary", () => {
  it("leaves the conversation as it is if it fails, and is tried again when the conversation has grown", async () => {
    const { viewOf, events, summaryRequests } = setUp({}, response([], { stopReason: "error", errorMessage: "No" }));
    const messages = history(8);
    expect(await viewOf(messages)).toEqual(messages);
    expect(events.at(-1)).toEqual({ type: "compaction_end", errorMessage: "No" });
    expect(await viewOf(messages)).toEqual(messages);
    expect(summaryRequests).toHaveLength(1);
    await viewOf(history(9));
    expect(summaryRequests).toHaveLength(2);
  });

  it("is tried again at each request while the conversation is larger than the window", async () => {
    const { viewOf, summaryRequests } = setUp({}, response([], { stopReason: "error", errorMessage: "No" }));
    await viewOf(history(12));
    await viewOf(history(12));
    expect(summaryRequests).toHaveLength(2);
  });

  it("is requested with shorter and shorter parts until they fit", async () => {
    const { viewOf, summaryRequests } = setUp({}, overflow, overflow, text("They counted."));
    await viewOf(history(10));
    const lengths = summaryRequests.map(({ messages }) => JSON.stringify(messages).length);
    expect(lengths[1]).toBeLessThan(lengths[0] ?? 0);
    expect(lengths[2]).toBeLessThan(lengths[1] ?? 0);
  });

  it("has the usage of all its requests, including counts that only some responses have", async () => {
    const { usage } = text("");
    const refused = { ...overflow, usage: { ...usage, input: 7, reasoning: 3, totalTokens: 7 } };
    const accepted = text("They counted.", { usage: { ...usage, input: 5, cacheWrite1h: 2, totalTokens: 5 } });
    const { viewOf, summaryRequests } = setUp({}, refused, accepted);
    const record = (await viewOf(history(10))).find(isCompactionMessage);
    const parts = summaryRequests.length - 1;
    expect(record?.compaction.usage).toMatchObject({ input: 7 + 5 * parts, reasoning: 3, cacheWrite1h: 2 * parts });
  });

  it("is given up after five shorter requests were refused", async () => {
    const { viewOf, summaryRequests, events } = setUp({}, overflow);
    const messages = history(10);
    expect(await viewOf(messages)).toEqual(messages);
    expect(summaryRequests).toHaveLength(6);
    expect(events.at(-1)).toMatchObject({ errorMessage: expect.stringContaining("too long") });
  });

  it("is dropped if it frees nothing", async () => {
    const { viewOf, events } = setUp({}, text("x".repeat(10_000)));
    const messages = history(10);
    expect(await viewOf(messages)).toEqual(messages);
    expect(events.at(-1)).toEqual({ type: "compaction_end", errorMessage: "The compaction freed nothing" });
  });

  it("extends the summary of the compaction before", async () => {
    const { viewOf, summaryRequests } = setUp({}, text("First."), text("Second."));
    const messages = history(10);
    await viewOf(messages, async (message) => void messages.push(message));
    messages.push(...history(10));
    const view = await viewOf(messages);
    expect(JSON.stringify(summaryRequests[1])).toContain("First.");
    expect(view[0]).toMatchObject({ compaction: { summary: "Second." } });
  });

  it("repeats the latest request of the user if the summary replaced it", async () => {
    const { viewOf } = setUp({ keep: 0 }, text("They counted."));
    const tail = Array.from({ length: 4 }, (_, index) => text("y".repeat(800), { timestamp: 50 + index, ...noUsage }));
    const view = await viewOf([user("Count to ten, please"), ...tail]);
    expect(view[0]).toMatchObject({ content: expect.stringContaining("Count to ten, please") });
  });
});

describe("old results", () => {
  it("are cleared before anything is summarised", async () => {
    const { viewOf, summaryRequests } = setUp();
    const messages = [user("Go"), ...callWithResult("a", 2800), ...callWithResult("b", 800)];
    const view = await viewOf(messages);
    expect(summaryRequests).toHaveLength(0);
    expect(view[2]).toMatchObject({ content: [{ text: "(old tool result removed: 2800 characters)" }] });
    expect(view[4]).toBe(messages[4]);
    expect(messages[2]).toMatchObject({ content: [{ text: "z".repeat(2800) }] });
  });

  it("stay with clearToolResults: false", async () => {
    const { viewOf, summaryRequests } = setUp({ clearToolResults: false }, text("They read."));
    await viewOf([user("Go"), ...callWithResult("a", 2800), ...callWithResult("b", 800)]);
    expect(summaryRequests).toHaveLength(1);
  });
});

describe("by hand", () => {
  it("summarises a small conversation with a prompt of its own, and the record takes effect when it is added", async () => {
    const { viewOf, byHand, summaryRequests } = setUp({}, text("They counted."));
    const messages = history(6);
    const record = await byHand(messages, { prompt: "Keep the numbers." });
    expect(record?.compaction.reason).toBe("manual");
    expect(JSON.stringify(summaryRequests[0])).toContain("Keep the numbers.");
    expect(await viewOf(messages)).toEqual(messages);
    const view = record ? await viewOf([...messages, record]) : [];
    expect(view[0]).toBe(record);
    expect(view.length).toBeLessThan(6);
  });

  it("ignores a record of another conversation", async () => {
    const { viewOf, byHand } = setUp({}, text("They counted."));
    const record = await byHand(history(6));
    const others: AgentMessage[] = history(6).map((message) => ({ ...message, timestamp: 1000 }) as AgentMessage);
    expect(await viewOf(record ? [...others, record] : [])).toEqual(others);
  });

  it("ignores a record that no longer fits because an earlier message was removed", async () => {
    const { viewOf } = setUp({ keep: 0 }, text("They read."));
    // The results of parallel calls have the same time.
    const calls = ["a", "b", "c"].map((id) => ({ type: "toolCall" as const, id, name: "read", arguments: {} }));
    const results = calls.flatMap(({ id }) => callWithResult(id, 2000).slice(1));
    const messages = [user("Hi"), user("Go"), response(calls, noUsage), ...results];
    await viewOf(messages, async (message) => void messages.push(message));
    const record = messages.at(-1);
    expect(record).toMatchObject({ compaction: { cleared: 5 } });
    const shorter = messages.slice(1);
    const { viewOf: other } = setUp({ at: 1, model: { ...model, contextWindow: 100_000 } });
    expect(await other(shorter)).toEqual(shorter.slice(0, -1));
  });

  it("reports an abort", async () => {
    const aborted = response([], { stopReason: "aborted", errorMessage: "Request was aborted" });
    const { byHand, events } = setUp({}, aborted);
    const record = await byHand(history(6), { signal: AbortSignal.abort() });
    expect(record).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ aborted: true, errorMessage: "Request was aborted" });
  });
});

describe("the size", () => {
  /** A response with the usage that its provider reported. */
  const reported = (totalTokens: number, more: Partial<AssistantMessage> = {}): AgentMessage =>
    text("Yes", { usage: { ...text("").usage, totalTokens }, timestamp: 60, ...more });
  const russian = "Сегодня хорошая погода, и мы идём гулять в парк. ".repeat(8);
  const talk = Array.from({ length: 12 }, (_, index): AgentMessage => {
    return index % 2 === 0 ? { ...user(russian), timestamp: index } : text(russian, { timestamp: index, ...noUsage });
  });

  it("depends on how the model in use counts, and decides the cut", async () => {
    const cuts = ["gpt-5", "claude-opus-4-8"].map(async (id) => {
      const { viewOf, events } = setUp({ model: { ...model, id }, keep: 500 }, text("They talked."));
      await viewOf(talk);
      const [end] = events.slice(-1);
      return end?.type === "compaction_end" ? end.result?.compaction.replaced : undefined;
    });
    expect(await Promise.all(cuts)).toEqual([8, 10]);
  });

  it("follows a change of the model, whose tokenizer differs from that of the last response", async () => {
    const used = { current: { ...model, id: "gpt-5", contextWindow: 2000 } };
    const { viewOf, summaryRequests } = setUp({ model: () => used.current }, text("They talked."));
    const messages = [...talk, reported(1300, { model: "gpt-5" })];
    expect(await viewOf(messages)).toEqual(messages);
    used.current = { ...used.current, id: "claude-opus-4-8" };
    expect(await viewOf(messages)).not.toEqual(messages);
    expect(summaryRequests).toHaveLength(1);
  });

  it("includes a large system prompt and tools as a fixed number of tokens", async () => {
    const { viewOf, byHand, summaryRequests } = setUp({}, text("They counted."));
    const messages = [user("Go"), reported(400), ...history(2)];
    expect(await viewOf(messages)).toEqual(messages);
    expect(summaryRequests).toHaveLength(0);
    const record = await byHand([...messages, ...history(4)]);
    expect(record?.compaction.tokensAfter).toBeGreaterThan(400);
  });
});

describe("after a compaction by the provider", () => {
  const signature = '[{"item":{"type":"compaction","encrypted_content":"gAAA"}}]';
  const compacted = (more: Partial<AssistantMessage> = {}, words?: string): AgentMessage =>
    response([{ type: "compaction", signature, ...(words !== undefined && { text: words }) }], {
      timestamp: 50,
      ...noUsage,
      ...more,
    });

  it("counts only what the provider reads", async () => {
    const { viewOf, summaryRequests } = setUp({}, text("They counted."));
    // 2,000 tokens before it, 400 after it. Some providers report the size of the prompt before they compacted it.
    const messages = [...history(20), compacted({ usage: { ...text("").usage, totalTokens: 2000 } }), ...history(4)];
    expect(await viewOf(messages)).toEqual(messages);
    expect(summaryRequests).toHaveLength(0);
    const other = setUp({ model: { ...model, id: "other" } }, text("They counted."));
    await other.viewOf(messages);
    expect(other.summaryRequests).not.toHaveLength(0);
  });

  it.each([
    ["everything before it if it is opaque", undefined, true],
    ["its summary if that can be read", "They said hello.", false],
  ])("summarises %s", async (_name, words, readsAll) => {
    const { viewOf, summaryRequests } = setUp({}, text("They counted."));
    const messages = [user("The first words"), ...history(4), compacted({}, words), ...history(10)];
    const view = await viewOf(messages);
    expect(view[0]).toMatchObject({ compaction: { summary: "They counted." } });
    const sent = JSON.stringify(summaryRequests);
    expect(sent.includes("The first words")).toBe(readsAll);
    if (words !== undefined) expect(sent).toContain(words);
    expect(view).not.toContain(messages[5]);
  });
});
