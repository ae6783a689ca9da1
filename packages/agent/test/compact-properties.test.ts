/** Properties of every conversation that is compacted, tested with random ones. */
import type { AgentMessage } from "pi-agent";
import { type CompactionEvent, compact, compactedMessages, isCompactionMessage } from "pi-agent/compact";
import type { AssistantMessage, Message, Model } from "pi-ai";
import { estimateMessageTokens, findServerCompaction } from "pi-ai/count";
import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../../test/support/random.js";
import { budget } from "../../../test/support/suite.js";
import { createView } from "./compact-script.js";
import { call, eventsOf, MODEL, response, streamOf, text } from "./scripted-stream.js";

const WINDOW = 4000;
const THRESHOLD = 0.8 * WINDOW;
const model: Model = { ...MODEL, contextWindow: WINDOW, input: ["text", "image"] };
/** A compaction that the provider made. */
const COMPACTION = {
  type: "compaction",
  signature: '[{"item":{"type":"compaction","encrypted_content":"gAAA"}}]',
} as const;
const seeds = Array.from({ length: budget({ quick: 60, all: 1000 }) }, (_, seed) => seed);

/** The most tokens of a record: its summary, and the latest request of the user. */
const RECORD = 300;
/** The tokens of the system prompt and the tools, which only the usage of responses includes. */
const INSTRUCTIONS = 100;

/** A conversation that grows as in an agent, and sometimes as only an imported one does. */
class Conversation {
  readonly messages: AgentMessage[] = [];
  readonly #random: Random;
  readonly #isCompactedByProvider: boolean;
  #calls = 0;

  constructor(seed: number) {
    this.#random = createRandom(seed);
    this.#isCompactedByProvider = seed % 2 === 0;
  }

  ask(): void {
    const timestamp = this.messages.length;
    if (timestamp === 0 || this.#random.chance(0.3))
      this.messages.push({ role: "user", content: `Request ${timestamp} ${this.#words(200)}`, timestamp });
  }

  /** @param sent the messages of the request */
  respond(sent: readonly AgentMessage[]): void {
    const { chance, pick } = this.#random;
    const timestamp = this.messages.length;
    const ids = Array.from({ length: pick([0, 0, 1, 1, 3]) }, () => String(this.#calls++));
    const waiting = chance(0.2);
    const toolCalls = ids.map((id) =>
      waiting
        ? ({ type: "serverTool", id, name: "shell", status: "waiting", signature: "[]" } as const)
        : call(id, "read"),
    );
    const stopReason = ids.length === 0 && chance(0.1) ? "pause" : ids.length > 0 ? "toolUse" : "stop";
    const failed = chance(0.05);
    const compactions = this.#isCompactedByProvider && chance(0.1) ? [COMPACTION] : [];
    const content = [...compactions, { type: "text" as const, text: this.#words(150) }, ...toolCalls];
    const totalTokens = chance(0.8) ? INSTRUCTIONS + sizeOf([...readBy(sent), response(content)]) : 0;
    this.messages.push(
      response(content, {
        stopReason: failed ? "error" : stopReason,
        usage: { ...response([]).usage, totalTokens },
        timestamp,
      }),
    );
    const late = chance(0.1);
    if (late) this.messages.push({ role: "user", content: "Are you there?", timestamp });
    for (const id of chance(0.05) ? ids.slice(1) : ids) this.messages.push(this.#result(id, waiting));
  }

  #words(most: number): string {
    return "word ".repeat(this.#random.below(most));
  }

  #result(toolCallId: string, waiting: boolean): AgentMessage {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const content = this.#random.chance(0.2) ? [image] : [{ type: "text" as const, text: this.#words(600) }];
    const base = { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 0 } as const;
    return waiting ? { ...base, output: { stdout: "done" } } : base;
  }
}

/** Returns the ids of results without their call before them. */
function findOrphans(messages: readonly AgentMessage[]): string[] {
  const called = new Set<string>();
  return messages.flatMap((message) => {
    if (message.role === "assistant") for (const id of callsOf(message)) called.add(id);
    return message.role === "toolResult" && !called.has(message.toolCallId) ? [message.toolCallId] : [];
  });
}

const sizeOf = (messages: readonly AgentMessage[]): number =>
  messages.reduce((sum, message) => sum + (isSent(message) ? estimateMessageTokens(message, model) : 0), 0);

/** Failed responses are not sent. */
const isSent = (message: AgentMessage): message is Message =>
  "content" in message && !(message.role === "assistant" && message.stopReason === "error");

/** What the provider reads of a request: it drops what it has compacted. */
const readBy = (sent: readonly AgentMessage[]): readonly AgentMessage[] =>
  sent.slice(findServerCompaction(sent, model));

/** Returns the shortest end of a conversation that separates no call from its result, and no paused response from the next. */
function findShortest(messages: readonly AgentMessage[]): readonly AgentMessage[] {
  const latest = messages.findLastIndex(({ role }) => role === "assistant");
  const start = messages.findLastIndex((message, position) => {
    if (message.role === "toolResult" || isCompactionMessage(message)) return false;
    const [before, after] = [messages.slice(0, position), messages.slice(position)];
    const previous = before.findLast(
      (each) => isSent(each) && each.role !== "toolResult" && !isCompactionMessage(each),
    );
    const isPaused = previous?.role === "assistant" && previous.stopReason === "pause";
    const waits = position > latest && findUnanswered(messages.slice(latest)).length > 0;
    return !isPaused && !waits && findOrphans(after).length === 0;
  });
  return messages.slice(Math.max(0, start)).filter((message) => !isCompactionMessage(message));
}

/** Returns the ids of calls without a result. */
function findUnanswered(messages: readonly AgentMessage[]): string[] {
  const called = messages.flatMap((message) => (message.role === "assistant" ? callsOf(message) : []));
  const results = messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  return called.filter((id) => !results.includes(id));
}

const callsOf = ({ content }: AssistantMessage): string[] =>
  content.flatMap((block) => (block.type === "toolCall" || block.type === "serverTool" ? [block.id] : []));

describe.each(seeds)("conversation %i", (seed) => {
  const conversation = new Conversation(seed);
  const events: CompactionEvent[] = [];
  let requests = 0;
  const compaction = compact({
    keep: 800,
    clearToolResults: seed % 3 !== 0,
    onEvent: (event) => events.push(event),
  });
  const viewOf = createView(
    compaction,
    () => model,
    () => {
      requests++;
      return streamOf(eventsOf(text(`Summary ${requests}`)));
    },
  );

  it("has no result without its call, keeps its beginning between compactions, and stays small", async () => {
    let before: AgentMessage[] = [];
    let left = 0;
    for (let step = 0; step < 40; step++) {
      conversation.ask();
      const { messages } = conversation;
      const length = messages.length;
      const count = events.length;
      const view = await viewOf(messages, async (message) => void messages.push(message));
      expect(findOrphans(view)).toEqual([]);
      expect(messages.length - length).toBeLessThanOrEqual(1);
      if (events.length === count) expect(view.slice(0, before.length)).toEqual(before);
      else expect(events.length - count).toBe(2);
      const [latest] = messages.slice(-1);
      if (isCompactionMessage(latest))
        expect(latest.compaction.tokensAfter).toBeLessThan(latest.compaction.tokensBefore);
      // Again, without a change of the conversation.
      const again = await viewOf(messages);
      expect(again).toEqual(view);
      const size = sizeOf(readBy(view));
      if (events.length > count) left = size;
      // After an attempt, the next one waits until the conversation has grown by a tenth.
      expect(size).toBeLessThanOrEqual(Math.max(THRESHOLD, (left + INSTRUCTIONS) * 1.1 - INSTRUCTIONS));
      // Only what cannot be parted may be larger than the window.
      if (size > WINDOW) expect(size).toBeLessThanOrEqual(sizeOf(findShortest(messages)) + RECORD);
      conversation.respond(view);
      before = view;
    }
    expect(sizeOf(conversation.messages)).toBeGreaterThan(WINDOW);
    expect(sizeOf(before)).toBeLessThan(sizeOf(conversation.messages));
    expect(requests).toBeLessThan(80);
  });

  it("is the same after it was stored, and as before without its records", async () => {
    const stored: AgentMessage[] = JSON.parse(JSON.stringify(conversation.messages));
    const view = compactedMessages(conversation.messages, model);
    expect(JSON.stringify(view)).toBe(JSON.stringify(compactedMessages(stored, model)));
    const undone = stored.filter((message) => !isCompactionMessage(message));
    expect(compactedMessages(undone, model)).toEqual(undone);
  });
});
