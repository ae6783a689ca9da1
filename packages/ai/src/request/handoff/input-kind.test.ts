import { expect, it } from "vitest";
import type { Model } from "../../types/model.js";
import { takesFile } from "./foreign-content.js";
import { inputKindOf } from "./input-kind.js";

it.each([
  ["image/png", "image"],
  ["Audio/WAV", "audio"],
  ["video/mp4", "video"],
  ["text/markdown; charset=utf-8", "text"],
  ["application/json", "text"],
  ["application/pdf", "pdf"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "pdf"],
  ["constructor/x", "pdf"],
  ["", "pdf"],
])("counts %s as %s", (mimeType, kind) => {
  expect(inputKindOf(mimeType)).toBe(kind);
});

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
  expect(takesFile({ api, provider, id, input }, mimeType)).toBe(taken);
});
