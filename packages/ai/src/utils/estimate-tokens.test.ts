import { expect, it } from "vitest";
import { createFailure, createResponse } from "../../test/messages.js";
import type { Context } from "../types/context.js";
import type { Message } from "../types/message.js";
import { estimateTokens } from "./estimate-tokens.js";

const image = { type: "image", data: "A".repeat(100_000), mimeType: "image/png" } as const;

function user(content: Extract<Message, { role: "user" }>["content"]): Message {
  return { role: "user", content, timestamp: 0 };
}

function estimate(...messages: Message[]): number {
  return estimateTokens({ messages });
}

it("counts four characters as one token", () => {
  expect(estimate()).toBe(0);
  expect(estimate(user("x".repeat(40)))).toBe(10);
  expect(estimate(user([{ type: "text", text: "x".repeat(41) }]))).toBe(11);
});

it("counts thinking, tool calls and results", () => {
  const call = { type: "toolCall", id: "1", name: "read", arguments: { path: "x".repeat(25) } } as const;
  const response = createResponse({ content: [{ type: "thinking", thinking: "x".repeat(8) }, call] });
  expect(estimate(response)).toBe((8 + 4 + JSON.stringify(call.arguments).length) / 4);
  const result: Message = {
    role: "toolResult",
    toolCallId: "1",
    toolName: "read",
    content: [{ type: "text", text: "x".repeat(8) }],
    details: "x".repeat(1000),
    isError: false,
    timestamp: 0,
  };
  expect(estimate(result)).toBe(2);
});

it("counts 1,200 tokens for an image, unless the model cannot see it", () => {
  const context: Context = { messages: [user([image, { type: "text", text: "1234" }, image])] };
  expect(estimateTokens(context)).toBe(2401);
  expect(estimateTokens(context, { input: ["text", "image"] })).toBe(2401);
  expect(estimateTokens(context, { input: ["text"] })).toBe(1);
});

it("counts 3,000 tokens for a file", () => {
  const file = { type: "file", mimeType: "application/pdf", data: "A".repeat(100_000) } as const;
  expect(estimate(user([file, { type: "text", text: "1234" }, { ...file, data: "", fileId: "file_1" }]))).toBe(6001);
});

it("counts what goes back for a server tool and a compaction", () => {
  const search = { type: "serverTool", id: "s", name: "web_search", status: "done" } as const;
  const signed = { ...search, input: { query: "x" }, output: { text: "x".repeat(999) }, signature: "x".repeat(40) };
  expect(estimate(createResponse({ content: [signed] }))).toBe(10);
  const shown = { ...search, input: { query: "x" }, output: { text: "x".repeat(400) } };
  const length = JSON.stringify(["web_search", shown.input, shown.output]).length;
  expect(estimate(createResponse({ content: [shown] }))).toBe(Math.ceil(length / 4));
  const summary = { type: "compaction", text: "x".repeat(8), signature: "x".repeat(4000) } as const;
  expect(estimate(createResponse({ content: [summary] }))).toBe(2);
  expect(estimate(createResponse({ content: [{ type: "compaction", signature: "x".repeat(4000) }] }))).toBe(1000);
});

it("counts instructions and tools if there is no response", () => {
  const tools = [{ name: "read", description: "x".repeat(16), parameters: { type: "object" } }];
  const length = 40 + 4 + 16 + JSON.stringify({ type: "object" }).length;
  // Many tools have plain JSON Schema.
  const context = { systemPrompt: "x".repeat(40), messages: [], tools } as unknown as Context;
  expect(estimateTokens(context)).toBe(Math.ceil(length / 4));
});

it("starts from the usage of the last successful response", () => {
  const good = createResponse({ usage: { input: 100, cacheRead: 1000, cacheWrite: 10, output: 50 } });
  const failed = createFailure("x", { usage: { input: 7 } });
  const aborted = createResponse({ stopReason: "aborted", usage: { input: 7 } });
  const silent = createResponse({ content: [{ type: "text", text: "12345678" }] });
  const messages = [user("x".repeat(4000)), good, failed, aborted, silent, user("1234")];
  expect(estimateTokens({ systemPrompt: "x".repeat(4000), messages })).toBe(1160 + 2 + 1);
});
