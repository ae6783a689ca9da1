import { describe, expect, it } from "vitest";
import * as root from "../index.js";
import type { Model } from "../types/model.js";

const APIS: Record<string, string> = {
  Anthropic: "anthropic-messages",
  AzureOpenAIResponses: "azure-openai-responses",
  Bedrock: "bedrock-converse-stream",
  Google: "google-generative-ai",
  GoogleGeminiCli: "google-gemini-cli",
  GoogleVertex: "google-vertex",
  Mistral: "mistral-conversations",
  OpenAICodexResponses: "openai-codex-responses",
  OpenAICompletions: "openai-completions",
  OpenAIResponses: "openai-responses",
};

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

describe.each(Object.entries(APIS))("stream%s", (name, api) => {
  const functions = root as unknown as Record<
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
