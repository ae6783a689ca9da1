import { describe, expect, it } from "vitest";
import { createResponse } from "../../../test/messages.js";
import type { AssistantMessage, CompactionContent, Message } from "../../types/message.js";
import { findServerCompaction, transformMessages } from "./transform-messages.js";
import { type WireItem, writeWireItems } from "./wire-items.js";

const model = {
  ...{ id: "m", name: "M", api: "anthropic-messages", provider: "anthropic", baseUrl: "", reasoning: true },
  ...{ cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 },
  input: ["text" as const],
};
const user = (content: string): Message => ({ role: "user", content, timestamp: 1 });
const text = { type: "text" as const, text: "Yes" };

function block(item: WireItem, known?: string): CompactionContent {
  const signature = writeWireItems([{ item: { type: "compaction", ...item } }]);
  return { type: "compaction", ...(known === undefined ? {} : { text: known }), signature };
}

function response(content: AssistantMessage["content"], more: Partial<AssistantMessage> = {}): AssistantMessage {
  const { api, provider, id } = model;
  return { ...createResponse({ content }), api, provider, model: id, ...more };
}

const OPAQUE = block({ id: "cmp_1", encrypted_content: "gAAA" });
const READABLE = block({ content: "They talked." }, "They talked.");

function conversation(content: AssistantMessage["content"], more?: Partial<AssistantMessage>): Message[] {
  return [user("First"), response([text]), user("Second"), response(content, more), user("Third")];
}

describe("a compaction by the provider", () => {
  it.each([
    ["that can be read", READABLE],
    ["that is opaque", OPAQUE],
  ])("%s is the start of later requests to its model", (_name, compaction) => {
    const messages = conversation([text, compaction]);
    expect(findServerCompaction(messages, model)).toBe(3);
    expect(transformMessages(messages, model)).toEqual(messages.slice(3));
  });

  it("is the latest one if there are several", () => {
    const messages = [...conversation([OPAQUE]), ...conversation([READABLE])];
    expect(findServerCompaction(messages, model)).toBe(8);
  });

  it("has no effect for another model, which receives the whole conversation", () => {
    const messages = conversation([READABLE, text]);
    const other = { ...model, id: "other" };
    expect(findServerCompaction(messages, other)).toBe(0);
    expect(transformMessages(messages, other)).toMatchObject([
      { content: "First" },
      {},
      { content: "Second" },
      { content: [{ text: "Summary of the conversation so far:\nThey talked." }, text] },
      { content: "Third" },
    ]);
  });

  it.each<[string, Message[]]>([
    ["failed", conversation([block({ content: null, encrypted_content: null }), text])],
    ["belongs to a failed response", conversation([OPAQUE], { stopReason: "error" })],
    ["was written by an application", conversation([{ type: "compaction", text: "They talked." }])],
    ["does not go back", conversation([{ type: "compaction", text: "They talked.", signature: "[]" }])],
    ["is only spoken of", conversation([{ ...text, text: OPAQUE.signature ?? "" }])],
  ])("has no effect if it %s", (_name, messages) => {
    expect(findServerCompaction(messages, model)).toBe(0);
  });

  it("keeps its response's tool calls with their results, and drops results from before it", () => {
    const call = (id: string) => ({ type: "toolCall" as const, id, name: "read", arguments: {} });
    const result = (toolCallId: string): Message => ({
      ...{ role: "toolResult", toolCallId, toolName: "read", isError: false, timestamp: 1 },
      content: [text],
    });
    const messages = [
      user("First"),
      response([call("a")], { stopReason: "toolUse" }),
      response([call("b"), OPAQUE, call("c")], { stopReason: "toolUse" }),
      ...["a", "b", "c"].map(result),
    ];
    expect(transformMessages(messages, model)).toEqual([messages[2], result("b"), result("c")]);
  });
});
