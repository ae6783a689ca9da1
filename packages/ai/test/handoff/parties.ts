/** Who takes part in hand-off: the model that answers for each protocol, and the models that take over. */
import { getModel, getModels } from "../../src/models.js";
import { bedrockAdapter } from "../../src/providers/amazon-bedrock/index.js";
import { anthropicAdapter } from "../../src/providers/anthropic/index.js";
import { googleGeminiCliAdapter } from "../../src/providers/google/gemini-cli.js";
import { googleAdapter } from "../../src/providers/google/index.js";
import { googleVertexAdapter } from "../../src/providers/google/vertex.js";
import { mistralAdapter } from "../../src/providers/mistral/index.js";
import { openAICompletionsAdapter } from "../../src/providers/openai-completions/index.js";
import { azureOpenAIResponsesAdapter } from "../../src/providers/openai-responses/azure.js";
import { openAICodexResponsesAdapter } from "../../src/providers/openai-responses/codex.js";
import { openAIResponsesAdapter } from "../../src/providers/openai-responses/index.js";
import type { Model } from "../../src/types/model.js";
import { anthropicWire } from "../protocols/anthropic-messages/handoff.js";
import { azureResponsesWire } from "../protocols/azure-openai-responses/handoff.js";
import { bedrockWire } from "../protocols/bedrock-converse-stream/handoff.js";
import { geminiCliWire } from "../protocols/google-gemini-cli/handoff.js";
import { googleWire } from "../protocols/google-generative-ai/handoff.js";
import { vertexWire } from "../protocols/google-vertex/handoff.js";
import { mistralWire } from "../protocols/mistral-conversations/handoff.js";
import { codexResponsesWire } from "../protocols/openai-codex-responses/handoff.js";
import { completionsWire } from "../protocols/openai-completions/handoff.js";
import { responsesWire } from "../protocols/openai-responses/handoff.js";
import type { Source } from "./turns.js";

export interface Party extends Source {
  /** Models that take over; the first one is the one that answers. */
  targets: readonly Model[];
  /** What the driver would pass on as the key. */
  apiKey: string;
}

/** Chat Completions of OpenAI itself, which is stricter than the servers of the catalogue. */
const OPENAI_CHAT: Model<"openai-completions"> = {
  id: "gpt-4.1",
  name: "GPT-4.1",
  api: "openai-completions",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 },
  contextWindow: 1_047_576,
  maxTokens: 32_768,
};

/** Cloud Code Assist's models are not in the catalogue. */
function codeAssistModel(id: string): Model<"google-gemini-cli"> {
  const model = catalogueModel("google", id);
  return {
    ...model,
    api: "google-gemini-cli",
    provider: "google-gemini-cli",
    baseUrl: "https://cloudcode-pa.googleapis.com",
  };
}

/** The address is the user's own. */
function azureModel(id: string): Model {
  return { ...catalogueModel("azure", id), baseUrl: "https://resource.openai.azure.com/openai/v1" };
}

export const PARTIES: readonly Party[] = [
  createParty(anthropicAdapter, anthropicWire, [
    catalogueModel("anthropic", "claude-sonnet-4-5"),
    catalogueModel("anthropic", "claude-opus-4-6"),
    catalogueModel("fireworks", firstOf("fireworks", "anthropic-messages")),
  ]),
  createParty(openAICompletionsAdapter, completionsWire, [
    catalogueModel("deepseek", "deepseek-v4-pro"),
    OPENAI_CHAT,
    catalogueModel("groq", "llama-3.3-70b-versatile"),
    catalogueModel("openrouter", "anthropic/claude-sonnet-4.5"),
  ]),
  createParty(openAIResponsesAdapter, responsesWire, [
    catalogueModel("openai", "gpt-5.2"),
    catalogueModel("openai", "gpt-4o"),
    catalogueModel("xai", firstOf("xai", "openai-responses")),
    catalogueModel("github-copilot", firstOf("github-copilot", "openai-responses")),
  ]),
  createParty(azureOpenAIResponsesAdapter, azureResponsesWire, [azureModel("gpt-5.2"), azureModel("gpt-4o")]),
  createParty(
    openAICodexResponsesAdapter,
    codexResponsesWire,
    [catalogueModel("openai-codex", "gpt-6-luna"), catalogueModel("openai-codex", "gpt-5.6-sol")],
    createCodexToken(),
  ),
  createParty(googleAdapter, googleWire, [
    catalogueModel("google", "gemini-3.1-pro-preview"),
    catalogueModel("google", "gemini-2.5-flash"),
    catalogueModel("google", "gemma-4-31b-it"),
  ]),
  createParty(googleVertexAdapter, vertexWire, [
    catalogueModel("google-vertex", "gemini-2.5-pro"),
    catalogueModel("google-vertex", "gemini-3-flash-preview"),
  ]),
  createParty(
    googleGeminiCliAdapter,
    geminiCliWire,
    [
      codeAssistModel("gemini-2.5-pro"),
      codeAssistModel("gemini-3.1-pro-preview"),
      // Models of other makers that Google hosts pair calls and results by id.
      { ...codeAssistModel("gemini-3.1-pro-preview"), id: "claude-sonnet-4-5" },
    ],
    JSON.stringify({ token: "token", projectId: "project" }),
  ),
  createParty(bedrockAdapter, bedrockWire, [
    catalogueModel("amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0"),
    catalogueModel("amazon-bedrock", "anthropic.claude-opus-4-6-v1"),
    catalogueModel("amazon-bedrock", "amazon.nova-lite-v1:0"),
    catalogueModel("amazon-bedrock", "deepseek.v3.2"),
  ]),
  createParty(mistralAdapter, mistralWire, [
    catalogueModel("mistral", "magistral-medium-latest"),
    catalogueModel("mistral", "devstral-2512"),
  ]),
];

function createParty(
  adapter: Source["adapter"],
  wire: Source["wire"],
  targets: readonly Model[],
  apiKey = "key",
): Party {
  const model = targets[0];
  if (!model) throw new Error(`No target for ${adapter.api}`);
  return { adapter, wire, model, targets, apiKey };
}

function catalogueModel(provider: string, id: string): Model {
  const model = getModel(provider, id);
  if (!model) throw new Error(`The catalogue has no ${provider}/${id}`);
  return model;
}

/** A login of nobody: the account's id is all that is read of it. */
function createCodexToken(): string {
  const claims = { "https://api.openai.com/auth": { chatgpt_account_id: "account" } };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}

function firstOf(provider: string, api: string): string {
  const model = getModels(provider).find((candidate) => candidate.api === api);
  return model?.id ?? "";
}
