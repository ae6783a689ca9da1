/** The built-in adapters. Each is loaded with the first request that needs it. */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import type { ApiAdapter } from "../driver/index.js";
import type { KnownApi } from "../types/model.js";
import { loadOnce } from "../utils/load-once.js";

export const BUILT_IN_APIS: Record<KnownApi, () => ApiAdapter | Promise<ApiAdapter>> = {
  "anthropic-messages": /* @__PURE__ */ loadOnce(() => import("./anthropic/adapter.js").then((module) => module.anthropicAdapter)),
  "azure-openai-responses": /* @__PURE__ */ loadOnce(() => import("./openai-responses/azure.js").then((module) => module.azureOpenAIResponsesAdapter)),
  "bedrock-converse-stream": /* @__PURE__ */ loadOnce(() => import("./amazon-bedrock/adapter.js").then((module) => module.bedrockAdapter)),
  "google-gemini-cli": /* @__PURE__ */ loadOnce(() => import("./google/gemini-cli.js").then((module) => module.googleGeminiCliAdapter)),
  "google-generative-ai": /* @__PURE__ */ loadOnce(() => import("./google/adapter.js").then((module) => module.googleAdapter)),
  "google-vertex": /* @__PURE__ */ loadOnce(() => import("./google/vertex.js").then((module) => module.googleVertexAdapter)),
  "mistral-conversations": /* @__PURE__ */ loadOnce(() => import("./mistral/adapter.js").then((module) => module.mistralAdapter)),
  "openai-codex-responses": /* @__PURE__ */ loadOnce(() => import("./openai-responses/codex.js").then((module) => module.openAICodexResponsesAdapter)),
  "openai-completions": /* @__PURE__ */ loadOnce(() => import("./openai-completions/adapter.js").then((module) => module.openAICompletionsAdapter)),
  "openai-responses": /* @__PURE__ */ loadOnce(() => import("./openai-responses/adapter.js").then((module) => module.openAIResponsesAdapter)),
};
