import { expect, test } from "vitest";
import { ConfigError } from "../errors.js";
import { complete } from "../stream.js";
import type { Message, UserBlock } from "../types/message.js";
import type { Model } from "../types/model.js";
import { checkFileSizes } from "./file-limits.js";
import { registerBuiltInApiProviders } from "./register-builtins.js";

const MEBIBYTE = 1024 * 1024;

function user(...content: UserBlock[]): Message {
  return { role: "user", content, timestamp: 0 };
}

function file(bytes: number, mimeType = "application/pdf"): UserBlock {
  return { type: "file", mimeType, data: "JVBERi0x".padEnd(Math.ceil((bytes * 4) / 3), "A"), name: "a.pdf" };
}

test("a document may be as large as the limit", () => {
  const limits = { documentBytes: 3 * MEBIBYTE, totalBytes: 3 * MEBIBYTE };
  expect(() => checkFileSizes([user(file(3 * MEBIBYTE))], limits, "p")).not.toThrow();
});

test("a larger document is an error that names the document and the limit", () => {
  const check = (): void => checkFileSizes([user(file(4 * MEBIBYTE))], { documentBytes: 3 * MEBIBYTE }, "p");
  expect(check).toThrow(ConfigError);
  expect(check).toThrow('"a.pdf" is 4 MB. p accepts at most 3 MB.');
});

test("the limit of documents does not apply to audio", () => {
  const audio = file(4 * MEBIBYTE, "audio/wav");
  expect(() => checkFileSizes([user(audio)], { documentBytes: 3 * MEBIBYTE }, "p")).not.toThrow();
});

test("the total counts the whole conversation", () => {
  const messages = [user(file(2 * MEBIBYTE)), user({ type: "text", text: "and" }, file(2 * MEBIBYTE))];
  expect(() => checkFileSizes(messages, { totalBytes: 3 * MEBIBYTE }, "p")).toThrow(
    "The files and images of the conversation are 4 MB. p accepts at most 3 MB in a request.",
  );
});

test.each(["google-generative-ai", "mistral-conversations"])("%s sends no document of more than 50 MB", async (api) => {
  registerBuiltInApiProviders();
  const model: Model = {
    id: "gemini-2.5-flash",
    name: "",
    api,
    provider: "google",
    baseUrl: "https://a.example",
    reasoning: false,
    input: ["text", "pdf"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1,
    maxTokens: 1,
  };
  const sent: unknown[] = [];
  const fetch = async (request: unknown): Promise<Response> => {
    sent.push(request);
    return new Response();
  };
  const context = { messages: [user(file(51 * MEBIBYTE))] };
  const { error, errorMessage } = await complete(model, context, { apiKey: "key", fetch });
  expect(error?.kind).toBe("config");
  expect(errorMessage).toBe('"a.pdf" is 51 MB. google accepts at most 50 MB.');
  expect(sent).toEqual([]);
});

test("URLs, ids and plain texts do not count", () => {
  const messages: Message[] = [
    { role: "user", content: "Hi", timestamp: 0 },
    user({ type: "file", mimeType: "application/pdf", url: "https://a.example" }),
  ];
  expect(() => checkFileSizes(messages, { documentBytes: 0, totalBytes: 0 }, "p")).not.toThrow();
});
