import { describe, expect, it } from "vitest";
import * as root from "../index.js";
import type { Model } from "../types/model.js";

/** By name: the protocol, and the entry of the package that has it alone. */
const APIS: Record<string, [api: string, entry: object]> = {
  Anthropic: ["anthropic-messages", await import("../entries/anthropic.js")],
  AzureOpenAIResponses: ["azure-openai-responses", await import("../entries/azure-openai-responses.js")],
  Bedrock: ["bedrock-converse-stream", await import("../entries/amazon-bedrock.js")],
  Google: ["google-generative-ai", await import("../entries/google.js")],
  GoogleGeminiCli: ["google-gemini-cli", await import("../entries/google-gemini-cli.js")],
  GoogleVertex: ["google-vertex", await import("../entries/google-vertex.js")],
  Mistral: ["mistral-conversations", await import("../entries/mistral.js")],
  OpenAICodexResponses: ["openai-codex-responses", await import("../entries/openai-codex-responses.js")],
  OpenAICompletions: ["openai-completions", await import("../entries/openai-completions.js")],
  OpenAIResponses: ["openai-responses", await import("../entries/openai-responses.js")],
};

const CASES = Object.entries(APIS).flatMap(([name, [api, entry]]) => [
  { name, api, from: "the root", entry: root },
  { name, api, from: "an entry of its own", entry },
]);

const model = (api: string): Model => ({
  id: "m",
  name: "m",
  api,
  provider: "nobody-knows-me",
  baseUrl: "not an address",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1,
  maxTokens: 1,
});

describe.each(CASES)("stream$name of $from", ({ name, api, entry }) => {
  const functions = entry as unknown as Record<
    string,
    (model: Model, context: root.Context) => root.AssistantMessageEventStream
  >;

  it.each([`stream${name}`, `streamSimple${name}`])("%s speaks its protocol, and returns at once", async (key) => {
    const message = await functions[key]!(model(api), { messages: [] }).result();
    expect(message).toMatchObject({ api, stopReason: "error" });
  });

  it("refuses a model of another api", () => {
    expect(() => functions[`stream${name}`]!(model("other"), { messages: [] })).toThrow(
      `Mismatched api: other expected ${api}`,
    );
  });
});
