/** Which files the models of each api accept beside their `input`. */
import { expect, it } from "vitest";
import type { Model } from "../src/types/model.js";
import { user } from "./handoff/conversations.js";
import { adapterOf } from "./protocols/adapters.internal.js";

const VISION: Model["input"] = ["text", "image"];

it.each<[string, string, string, Model["input"], string, boolean]>([
  ["anthropic-messages", "anthropic", "claude-sonnet-4-5", VISION, "application/pdf", true],
  ["anthropic-messages", "anthropic", "claude-sonnet-4-5", VISION, "audio/wav", false],
  ["anthropic-messages", "fireworks", "kimi-k2", ["text"], "application/pdf", false],
  ["google-generative-ai", "google", "gemini-2.5-flash", VISION, "video/mp4", true],
  ["openai-responses", "openai", "gpt-5", VISION, "application/pdf", true],
  ["azure-openai-responses", "azure", "gpt-5", VISION, "application/pdf", true],
  ["azure-openai-responses", "azure-openai-responses", "gpt-5", VISION, "application/pdf", true],
  ["openai-responses", "github-copilot", "gpt-5", VISION, "application/pdf", false],
  ["bedrock-converse-stream", "amazon-bedrock", "us.amazon.nova-pro-v1:0", VISION, "video/mp4", true],
  ["bedrock-converse-stream", "amazon-bedrock", "us.meta.llama3", VISION, "application/pdf", false],
  ["bedrock-converse-stream", "amazon-bedrock", "amazon.nova-micro-v1:0", ["text"], "application/pdf", false],
  ["bedrock-converse-stream", "amazon-bedrock", "meta.llama3-1-70b-instruct-v1:0", ["text"], "application/pdf", true],
  ["bedrock-converse-stream", "amazon-bedrock", "meta.llama3-1-70b-instruct-v1:0", ["text"], "video/mp4", false],
  ["google-vertex", "google-vertex", "gemini-2.5-flash-image", VISION, "application/pdf", true],
  ["google-vertex", "google-vertex", "gemini-2.5-flash-image", VISION, "audio/wav", false],
  ["openai-responses", "xai", "grok-4", VISION, "application/pdf", false],
  ["openai-completions", "openrouter", "some/model", ["text"], "application/pdf", true],
  ["mistral-conversations", "mistral", "voxtral-small-latest", ["text"], "audio/mpeg", true],
  ["openai-completions", "custom", "m", ["text", "audio"], "audio/mpeg", true],
  ["openai-completions", "custom", "m", ["text"], "text/csv", true],
])("%s of %s: %s with %s accepts %s: %s", (api, provider, id, input, mimeType, taken) => {
  const model: Model = {
    ...{ api, provider, id, name: id, input, baseUrl: "https://api.test", reasoning: false },
    ...{ cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 },
  };
  const file = { type: "file" as const, mimeType, data: "AAAA", name: "a.bin" };
  const context = { messages: [user([file])] };
  const request = { model, context, options: {}, apiKey: "key", keyIsBearer: false };
  const sent = JSON.stringify(adapterOf(api).buildRequest(request).body);
  expect(sent.includes("omitted: model does not support")).toBe(!taken);
});
