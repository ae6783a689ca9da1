import { type Context, estimateTokens, type Message, type Tool } from "pi-ai";
import { estimateMessageTokens } from "pi-ai/count";
import { toolSearchTool } from "pi-ai/server-tools";
import { expect, it } from "vitest";
import { createFailure, createResponse } from "../../test/messages.js";

const image = { type: "image", data: "A".repeat(100_000), mimeType: "image/png" } as const;

function user(content: Extract<Message, { role: "user" }>["content"]): Message {
  return { role: "user", content, timestamp: 0 };
}

function estimate(...messages: Message[]): number {
  return estimateTokens({ messages });
}

/** The overhead of a message, and of a request. */
const MESSAGE = 4;
const REQUEST = 3;

it("counts words, and the parts of long ones", () => {
  expect(estimate()).toBe(0);
  expect(estimate(user("")), "an empty message is not sent").toBe(REQUEST);
  const words = estimate(user("the house on the hill ".repeat(100))) - MESSAGE - REQUEST;
  expect(words).toBeGreaterThan(450);
  expect(words).toBeLessThan(550);
  const long = estimate(user("x".repeat(4000)));
  expect(long).toBeGreaterThan(1000);
  expect(long).toBeLessThan(1030);
});

it("counts text the same in a string and in blocks", () => {
  const text = "Read the file, please.";
  expect(estimate(user([{ type: "text", text }]))).toBe(estimate(user(text)));
});

it("counts thinking, tool calls and results", () => {
  const thinking = { type: "thinking", thinking: "It is in the file." } as const;
  const call = { type: "toolCall", id: "1", name: "read", arguments: { path: "notes.txt" } } as const;
  const thought = estimate(createResponse({ content: [thinking] }));
  expect(thought).toBe(estimate(createResponse({ content: [{ type: "text", text: thinking.thinking }] })));
  const json = estimate(createResponse({ content: [{ type: "text", text: 'read {"path":"notes.txt"}' }] }));
  expect(estimate(createResponse({ content: [call] }))).toBe(json + 10);
  const content = [{ type: "text" as const, text: "Some lines" }];
  const result = {
    role: "toolResult",
    toolCallId: "1",
    toolName: "read",
    content,
    isError: false,
    timestamp: 0,
  } as const;
  const asUser = estimateMessageTokens(user(content));
  expect(estimateMessageTokens({ ...result, details: "x".repeat(1000) })).toBe(asUser + 4);
});

it("counts 1,200 tokens for an image, unless the model has no image input", () => {
  const context: Context = { messages: [user([image, { type: "text", text: "word" }, image])] };
  const text = estimateTokens(context, { input: ["text"] });
  expect(text).toBeLessThan(20);
  expect(estimateTokens(context)).toBe(text + 2400);
  expect(estimateTokens(context, { input: ["text", "image"] })).toBe(text + 2400);
});

it("counts 3,000 tokens for a file", () => {
  const file = { type: "file", mimeType: "application/pdf", data: "A".repeat(100_000) } as const;
  expect(estimate(user([file, { ...file, data: "", fileId: "file_1" }]))).toBe(6000 + MESSAGE + REQUEST);
});

it("counts what is sent back for a server tool and a compaction", () => {
  const search = { type: "serverTool", id: "s", name: "web_search", status: "done" } as const;
  const signed = { ...search, input: { query: "x" }, output: { text: "x".repeat(999) }, signature: "x".repeat(40) };
  expect(estimate(createResponse({ content: [signed] }))).toBe(MESSAGE + 10);
  const shown = { ...search, input: { query: "x" }, output: { text: "x".repeat(400) } };
  const text = JSON.stringify(["web_search", shown.input, shown.output]);
  const asText = estimate(createResponse({ content: [{ type: "text", text }] }));
  expect(estimate(createResponse({ content: [shown] }))).toBe(asText);
  const summary = { type: "compaction", text: "Short", signature: "x".repeat(4000) } as const;
  expect(estimate(createResponse({ content: [summary] }))).toBe(MESSAGE + 2);
  const encrypted = { type: "compaction", signature: "x".repeat(4000) } as const;
  expect(estimate(createResponse({ content: [encrypted] }))).toBe(MESSAGE + 1000);
});

it("counts instructions and tools if there is no response", () => {
  // Many tools use plain JSON Schema.
  const tool = { name: "read", description: "Reads a file", parameters: { type: "object" } };
  const estimateWith = (count: number): number =>
    estimateTokens({ messages: [user("Hi")], tools: Array.from({ length: count }, () => tool) } as unknown as Context, {
      id: "deepseek-v3",
      input: ["text"],
    });
  const [none, one, two] = [estimateWith(0), estimateWith(1), estimateWith(2)];
  expect(two - one).toBeGreaterThan(25);
  expect(two - one).toBeLessThan(35);
  expect(one - none, "vendors add instructions for the first tool").toBeGreaterThan(two - one + 140);
  const systemPrompt = "You help.";
  const system = estimateTokens({ systemPrompt, messages: [user("Hi")] }) - none;
  expect(system).toBe(estimateMessageTokens(user(systemPrompt)));
});

it("counts by the family of the model", () => {
  const context: Context = { messages: [user("研究人员发现，长期睡眠不足会影响记忆力和判断力。")] };
  const estimateFor = (id: string, provider = ""): number => estimateTokens(context, { id, provider, input: ["text"] });
  const [claude, gpt, gemini] = [estimateFor("claude-sonnet-4-6"), estimateFor("gpt-5"), estimateFor("gemini-2.5-pro")];
  expect(claude).toBeGreaterThan(gpt);
  expect(gpt).toBeGreaterThan(gemini);
  expect(estimateFor("us.anthropic.claude-sonnet-4-6-v1:0")).toBe(claude);
  expect(estimateFor("anthropic/claude-sonnet-4.6", "openrouter")).toBe(claude);
  expect(estimateFor("deployment", "azure-openai-responses")).toBe(gpt);
});

it("counts by the model of the last response if no model is passed", () => {
  const message = user("研究人员发现，长期睡眠不足会影响记忆力和判断力。");
  const response = createResponse({ model: "claude-sonnet-4-6", provider: "anthropic", content: [] });
  const failed = { ...response, stopReason: "error" as const };
  const model = { id: "claude-sonnet-4-6", input: ["text" as const] };
  expect(estimateTokens({ messages: [message, failed] })).toBe(estimateTokens({ messages: [message] }, model));
});

it("starts from the usage of the last successful response", () => {
  const good = createResponse({ usage: { input: 100, cacheRead: 1000, cacheWrite: 10, output: 50 } });
  const failed = createFailure("x", { usage: { input: 7 } });
  const aborted = createResponse({ stopReason: "aborted", usage: { input: 7 } });
  const silent = createResponse({ content: [{ type: "text", text: "12345678" }] });
  const messages = [user("x".repeat(4000)), good, failed, aborted, silent, user("1234")];
  expect(estimateTokens({ systemPrompt: "x".repeat(4000), messages })).toBe(
    1160 + estimateMessageTokens(silent) + estimateMessageTokens(user("1234")),
  );
});

it("counts deferred tools by their words where the provider searches them, and the examples of a tool", () => {
  const parameters = { type: "object", properties: { id: { type: "string", description: "word ".repeat(500) } } };
  const tool: Tool = { name: "send_mail", description: "Sends", parameters, loading: "deferred" };
  const count = (...tools: Tool[]): number => estimateTokens({ messages: [user("Hi")], tools });
  const search = toolSearchTool();
  expect(count(tool, search) - count(search)).toBeLessThan(10);
  expect(count(tool)).toBeGreaterThan(500);
  expect(count({ ...tool, examples: [{ id: "word ".repeat(100) }] }) - count(tool)).toBeGreaterThan(90);
});
