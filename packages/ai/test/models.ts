/** Creates models for tests. */
import type { Model } from "pi-ai";

type TestedApi = "anthropic-messages" | "google-generative-ai" | "mistral-conversations" | "openai-responses";

/** A model of each api that the tests of several files use. */
const KNOWN: Readonly<Record<TestedApi, Pick<Model, "id" | "name" | "provider" | "baseUrl">>> = {
  "google-generative-ai": { id: "gemini-2.5-flash", name: "Flash", provider: "google", baseUrl: "" },
  "mistral-conversations": {
    id: "mistral-small-latest",
    name: "Small",
    provider: "mistral",
    baseUrl: "https://api.mistral.ai",
  },
  "openai-responses": { id: "gpt-x", name: "X", provider: "openai", baseUrl: "https://api.openai.com/v1" },
  "anthropic-messages": {
    id: "claude-test",
    name: "Claude",
    provider: "anthropic",
    baseUrl: "https://api.anthropic.com",
  },
};

/** A reasoning model that reads text, at a dollar for a million tokens of any kind. */
export function createModel<TApi extends TestedApi>(
  api: TApi,
  fields: Partial<Omit<Model<TApi>, "api">> = {},
): Model<TApi> {
  return {
    ...KNOWN[api],
    api,
    reasoning: true,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 1000,
    maxTokens: 100,
    ...fields,
  };
}

/** A model of an api and a provider of its own, as tests of stream functions use them. */
export function createOtherModel(provider: string, id = "m", api: string = provider): Model {
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl: "",
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1000,
    maxTokens: 100,
  };
}
