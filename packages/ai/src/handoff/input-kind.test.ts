import { expect, it } from "vitest";
import type { Model } from "../types/model.js";
import { inputKindOf, takesFile } from "./input-kind.js";

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
  ["openai-responses", "github-copilot", "gpt-5", VISION, "application/pdf", false],
  ["bedrock-converse-stream", "amazon-bedrock", "us.amazon.nova-pro-v1:0", VISION, "video/mp4", true],
  ["bedrock-converse-stream", "amazon-bedrock", "us.meta.llama3", VISION, "application/pdf", false],
  ["openai-completions", "custom", "m", ["text", "audio"], "audio/mpeg", true],
  ["openai-completions", "custom", "m", ["text"], "text/csv", true],
])("%s of %s: %s with %s accepts %s: %s", (api, provider, id, input, mimeType, taken) => {
  expect(takesFile({ api, provider, id, input }, mimeType)).toBe(taken);
});
