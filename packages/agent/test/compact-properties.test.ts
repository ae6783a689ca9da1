/** What holds for every conversation that is compacted. */
import type { AgentMessage } from "pi-agent";
import { type CompactionEvent, compact, isCompactionMessage } from "pi-agent/compact";
import { estimateMessageTokens, findServerCompaction } from "pi-ai/count";
import { describe, expect, it } from "vitest";
import { budget } from "../../../test/support/suite.js";
import { createRandom, type Random } from "./random.js";
import { call, eventsOf, MODEL, response, streamOf, text } from "./scripted-stream.js";

const WINDOW = 4000;
const model = { ...MODEL, contextWindow: WINDOW };
/** A compaction that the provider made. */
const COMPACTION = {
  type: "compaction",
  signature: '[{"item":{"type":"compaction","encrypted_content":"gAAA"}}]',
} as const;
const seeds = Array.from({ length: budget({ quick: 60, all: 1000 }) }, (_, seed) => seed);

/** Messages in an order that an agent produces, and some that only imports have. */
class Conversation {
  readonly messages: AgentMessage[] = [];
  readonly #random: Random;
  #calls = 0;

  readonly #isCompactedByProvider: boolean;

  constructor(seed: number) {
    this.#random = createRandom(seed);
    this.#isCompactedByProvider = seed % 2 === 0;
  }

  /** @param sent what the latest request sent */
  grow(sent: readonly AgentMessage[]): void {
    const { below, chance, pick } = this.#random;
    const totalTokens = chance(0.8) ? sizeOf(sent.slice(findServerCompaction(sent, model))) + 100 : 0;
    const words = (most: number): string => "word ".repeat(below(most));
    const timestamp = this.messages.length;
    if (chance(0.3)) this.messages.push({ role: "user", content: `Request ${timestamp} ${words(200)}`, timestamp });
    const ids = Array.from({ length: pick([0, 0, 1, 1, 3]) }, () => String(this.#calls++));
    const waiting = chance(0.2);
    const content = ids.map((id) =>
      waiting
        ? ({ type: "serverTool", id, name: "shell", status: "waiting", signature: "[]" } as const)
        : call(id, "read"),
    );
    const stopReason = ids.length === 0 && chance(0.1) ? "pause" : ids.length > 0 ? "toolUse" : "stop";
    const failed = chance(0.05);
    const compactions = this.#isCompactedByProvider && chance(0.1) ? [COMPACTION] : [];
    this.messages.push(
      response([...compactions, { type: "text", text: words(150) }, ...content], {
        stopReason: failed ? "error" : stopReason,
        usage: { ...response([]).usage, totalTokens },
        timestamp,
      }),
    );
    const late = chance(0.1);
    if (late) this.messages.push({ role: "user", content: "Are you there?", timestamp });
    for (const id of chance(0.05) ? ids.slice(1) : ids) this.messages.push(this.#result(id, words(600), waiting));
  }

  #result(toolCallId: string, words: string, waiting: boolean): AgentMessage {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const content = this.#random.chance(0.2) ? [image] : [{ type: "text" as const, text: words }];
    const base = { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 0 } as const;
    return waiting ? { ...base, output: { stdout: "done" } } : base;
  }
}

/** The ids of results without their call before them, and of a paused response without its continuation. */
function findOrphans(messages: readonly AgentMessage[]): string[] {
  const called = new Set<string>();
  return messages.flatMap((message) => {
    if (message.role === "assistant")
      for (const block of message.content)
        if (block.type === "toolCall" || block.type === "serverTool") called.add(block.id);
    return message.role === "toolResult" && !called.has(message.toolCallId) ? [message.toolCallId] : [];
  });
}

const sizeOf = (messages: readonly AgentMessage[]): number =>
  messages.reduce((sum, message) => sum + ("content" in message ? estimateMessageTokens(message) : 0), 0);

describe.each(seeds)("conversation %i", (seed) => {
  const conversation = new Conversation(seed);
  const events: CompactionEvent[] = [];
  let requests = 0;
  const compaction = compact({
    model,
    keep: 800,
    clearToolResults: seed % 3 !== 0,
    streamFn: () => {
      requests++;
      return streamOf(eventsOf(text(`Summary ${requests}`)));
    },
    onEvent: (event) => events.push(event),
  });

  it("has no orphans, a stable prefix, and ends", async () => {
    let before: AgentMessage[] = [];
    for (let step = 0; step < 40; step++) {
      conversation.grow(before);
      const { messages } = conversation;
      const length = messages.length;
      const count = events.length;
      const view = await compaction(messages, undefined, async (message) => void messages.push(message));
      expect(findOrphans(view)).toEqual([]);
      expect(messages.length - length).toBeLessThanOrEqual(1);
      if (events.length === count) expect(view.slice(0, before.length)).toEqual(before);
      else expect(events.length - count).toBe(2);
      const [latest] = messages.slice(-1);
      if (isCompactionMessage(latest))
        expect(latest.compaction.tokensAfter).toBeLessThan(latest.compaction.tokensBefore);
      // Again, without a change of the conversation.
      const again = await compaction(messages);
      expect(again).toEqual(view);
      before = view;
    }
    expect(sizeOf(conversation.messages)).toBeGreaterThan(WINDOW);
    expect(sizeOf(before)).toBeLessThan(sizeOf(conversation.messages));
    expect(requests).toBeLessThan(80);
  });

  it("reads the same from a stored transcript, and undoes by removing the records", async () => {
    const stored: AgentMessage[] = JSON.parse(JSON.stringify(conversation.messages));
    const view = await compaction(conversation.messages);
    expect(JSON.stringify(view)).toBe(JSON.stringify(await compaction(stored)));
    const undone = stored.filter((message) => !isCompactionMessage(message));
    const large = compact({ model: { ...model, contextWindow: 1_000_000 } });
    expect(await large(undone)).toEqual(undone);
  });
});
