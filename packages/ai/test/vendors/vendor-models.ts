/** The models that are asked at each vendor's double. */
import { getModel, type Model } from "pi-ai";
import type { Vendor } from "./vendors.js";

/** The models of each vendor: from the catalogue, as a program gets them. */
const MODELS: Readonly<Record<string, readonly [provider: string, id: string][]>> = {
  anthropic: [
    ["anthropic", "claude-sonnet-4-6"],
    ["anthropic", "claude-sonnet-4-5"],
    ["anthropic", "claude-opus-5"],
  ],
  "openai-responses": [
    ["openai", "gpt-5.4"],
    ["openai", "gpt-4.1"],
  ],
  codex: [["openai-codex", "gpt-5.6-sol"]],
  azure: [["azure", "gpt-5.2"]],
  xai: [["xai", "grok-4.3"]],
  kimi: [
    ["moonshotai", "kimi-k2.6"],
    ["kimi-coding", "kimi-for-coding"],
  ],
  deepseek: [["deepseek", "deepseek-v4-pro"]],
  groq: [
    ["groq", "openai/gpt-oss-120b"],
    ["groq", "qwen/qwen3.6-27b"],
  ],
  gemini: [
    ["google", "gemini-3-flash-preview"],
    ["google", "gemini-2.5-flash"],
  ],
  vertex: [["google-vertex", "gemini-3-flash-preview"]],
  bedrock: [
    ["amazon-bedrock", "global.anthropic.claude-sonnet-4-6"],
    ["amazon-bedrock", "amazon.nova-pro-v1:0"],
  ],
  mistral: [["mistral", "mistral-medium-latest"]],
  cerebras: [
    ["cerebras", "gpt-oss-120b"],
    ["cerebras", "qwen-3.8-27b"],
  ],
  zai: [
    ["zai", "glm-4.7"],
    ["zai", "glm-5.3-flash"],
  ],
  qwen: [
    ["qwen-token-plan", "qwen3.7-plus"],
    ["qwen-token-plan", "kimi-k2.6"],
    ["qwen-token-plan", "qwen3.8-max"],
  ],
  together: [
    ["together", "moonshotai/Kimi-K3"],
    ["together", "openai/gpt-oss-120b"],
  ],
  "fireworks-chat": [
    ["fireworks", "accounts/fireworks/models/kimi-k3"],
    ["fireworks", "accounts/fireworks/models/glm-5p3-flash"],
  ],
  openrouter: [
    ["openrouter", "moonshotai/kimi-k2.6"],
    ["openrouter", "z-ai/glm-5.2"],
    ["openrouter", "openai/gpt-5.4"],
  ],
  minimax: [
    ["minimax", "MiniMax-M2.7"],
    ["minimax", "MiniMax-M3"],
  ],
  fireworks: [["fireworks", "accounts/fireworks/models/minimax-m3"]],
};

const CHAT: Model = {
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
const OWN: Readonly<Record<string, readonly Model[]>> = {
  "openai-chat": [CHAT, { ...CHAT, id: "gpt-5.4", reasoning: true }],
  gemini: [
    {
      ...CHAT,
      ...{ id: "gemini-3-pro-preview", name: "Gemini 3 Pro", api: "google-gemini-cli", provider: "google-gemini-cli" },
      ...{ baseUrl: "https://cloudcode-pa.googleapis.com", reasoning: true },
    },
  ],
  lenient: [{ ...CHAT, id: "llama", provider: "custom", baseUrl: "http://localhost:8080/v1" }],
};

/** What a program adds to the models of a provider. */
const SETTINGS: Readonly<Record<string, Partial<Model>>> = {
  azure: { baseUrl: "https://x.openai.azure.com/openai/v1" },
  "openai-codex": { headers: { "chatgpt-account-id": "account-1" } },
};

/** @throws Error if the catalogue has none of them */
export function modelsOf({ name }: Vendor): Model[] {
  const listed = (MODELS[name] ?? []).flatMap(([provider, id]) => getModel(provider, id) ?? []);
  const models = [...listed, ...(OWN[name] ?? [])];
  if (models.length === 0) throw new Error(`No model for ${name}`);
  return models.map((model) => ({ ...model, ...SETTINGS[model.provider] }));
}
