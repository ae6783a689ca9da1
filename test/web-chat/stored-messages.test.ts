import { describe, expect, it } from "vitest";
import { decodeEntities } from "../../examples/web-chat/src/page/decode-entities.js";
import { isMessage } from "../../examples/web-chat/src/page/is-message.js";

const USAGE = { totalTokens: 1, cost: { total: 0 } };
const user = { role: "user", content: "Hi", timestamp: 1 };
const assistant = { role: "assistant", content: [], stopReason: "stop", usage: USAGE, timestamp: 1 };
const result = { role: "toolResult", toolCallId: "c", toolName: "t", content: [], timestamp: 1 };

const PROVIDED = [
  { type: "text", text: "", citations: [{ url: "https://example.com" }, {}] },
  { type: "serverTool", id: "s", name: "web_search", status: "done" },
  { type: "image", data: "AA==", mimeType: "image/png" },
  { type: "file", mimeType: "text/csv", fileId: "f" },
  { type: "compaction" },
];

describe("isMessage", () => {
  it.each([
    user,
    { ...user, content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
    assistant,
    {
      ...assistant,
      content: [
        { type: "text", text: "" },
        { type: "thinking", thinking: "" },
      ],
    },
    { ...assistant, content: [{ type: "toolCall", id: "c", name: "t", arguments: {} }] },
    { ...assistant, content: PROVIDED },
    { ...user, content: [{ type: "file", mimeType: "application/pdf", data: "AA==" }] },
    result,
  ])("accepts %j", (message) => {
    expect(isMessage(message)).toBe(true);
  });

  it.each([
    null,
    "user",
    [user],
    { ...user, role: "constructor" },
    { ...user, timestamp: "1" },
    { ...user, content: 5 },
    { ...user, content: [{ type: "thinking", thinking: "" }] },
    { ...assistant, usage: undefined },
    { ...assistant, usage: { totalTokens: 1 } },
    { ...assistant, content: [null] },
    { ...assistant, content: [{ type: "__proto__" }] },
    { ...assistant, content: [{ type: "toolCall", id: "c", name: "t", arguments: [] }] },
    { ...assistant, content: [{ type: "text", text: "", citations: [{ url: 5 }] }] },
    { ...assistant, content: [{ type: "serverTool", id: "s", name: "t", status: "done", input: "a" }] },
    { ...assistant, content: [{ type: "file", name: "a" }] },
    { ...user, content: [{ type: "compaction" }] },
    { ...result, toolName: undefined },
  ])("rejects %j", (message) => {
    expect(isMessage(message)).toBe(false);
  });
});

describe("decodeEntities", () => {
  it.each([
    ["a &amp; b &lt;c&gt; &quot;", 'a & b <c> "'],
    ["&#115;&#x53;", "sS"],
    ["&unknown; &constructor; &amp", "&unknown; &constructor; &amp"],
    ["&#0;&#9999999;", "\ufffd\ufffd"],
  ])("decodes %s", (text, expected) => {
    expect(decodeEntities(text)).toBe(expected);
  });
});
