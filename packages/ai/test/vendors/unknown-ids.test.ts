/** Ids that the catalogue does not have, of today's and later models: each level is sent in a form that the vendor takes. */
import { type Context, completeSimple, type Model, type SimpleStreamOptions } from "pi-ai";
import { describe, expect, it } from "vitest";
import { sample } from "../../../../test/support/suite.js";
import { testsOf } from "../protocols/all-apis.js";
import { createDouble } from "./double.js";
import { vendorOf } from "./vendors.js";

type Host = readonly [api: Model["api"], baseUrl: string];

const HOSTS: Readonly<Record<string, Host>> = {
  openai: ["openai-responses", "https://api.openai.com/v1"],
  azure: ["azure-openai-responses", "https://x.openai.azure.com/openai/v1"],
  anthropic: ["anthropic-messages", "https://api.anthropic.com"],
  "amazon-bedrock": ["bedrock-converse-stream", "https://bedrock-runtime.us-east-1.amazonaws.com"],
  google: ["google-generative-ai", "https://generativelanguage.googleapis.com/v1beta"],
  "google-vertex": ["google-vertex", "https://aiplatform.googleapis.com"],
  xai: ["openai-responses", "https://api.x.ai/v1"],
  moonshotai: ["openai-completions", "https://api.moonshot.ai/v1"],
  "kimi-coding": ["openai-completions", "https://api.kimi.com/coding/v1"],
  zai: ["openai-completions", "https://api.z.ai/api/paas/v4"],
  "qwen-token-plan": ["openai-completions", "https://dashscope.aliyuncs.com/compatible-mode/v1"],
  deepseek: ["openai-completions", "https://api.deepseek.com"],
  mistral: ["mistral-conversations", "https://api.mistral.ai"],
  minimax: ["anthropic-messages", "https://api.minimax.io/anthropic"],
  openrouter: ["openai-completions", "https://openrouter.ai/api/v1"],
  groq: ["openai-completions", "https://api.groq.com/openai/v1"],
  fireworks: ["openai-completions", "https://api.fireworks.ai/inference/v1"],
  together: ["openai-completions", "https://api.together.xyz/v1"],
  cerebras: ["openai-completions", "https://api.cerebras.ai/v1"],
};

/** By provider, in words. */
const IDS: Readonly<Record<string, string>> = {
  openai:
    "gpt-6.3-sol gpt-6.2-sol-2026-11-17 gpt-6.3 gpt-6.4-astra gpt-7 gpt-7-mini gpt-7-sol-2027-02-01 gpt-6.2-astra-law gpt-6-rosalind " +
    "gpt-6.2-codex gpt-5.9 gpt-5.6-sol-2026-10-01 o5 o5-mini-2027-01-01 gpt-10 gpt-oss-2-120b chatgpt-7-latest ft:gpt-6.2-sol:acme::abc " +
    "gpt-7.1-astra gpt-8-mini openai/gpt-6.3-sol gpt-6-nano gpt-5.7 o6-pro gpt-6.2-astra-pro",
  azure: "my-gpt-6-2 prod-gpt62 gpt-6.2-sol-eu chat gpt-7 GPT-6.2-Sol",
  anthropic:
    "claude-opus-6 claude-sonnet-5-6 claude-sonnet-6-20270115 claude-haiku-6 claude-fable-5-3 claude-mythos-5-1 claude-mythos-6 " +
    "claude-opus-5-5@20261101 claude-sonnet-5-5-20261001 claude-opus-5-6-preview claude-7-opus claude-next " +
    "claude-haiku-5-5 claude-mythos-preview claude-4.8-opus CLAUDE-OPUS-6 anthropic/claude-opus-6 claude-mythos-5-3 claude-fable-6 claude-opus-5-5-fast claude-opus-6@20270101",
  "amazon-bedrock":
    "us.anthropic.claude-opus-6-v1:0 global.anthropic.claude-sonnet-5-6 eu.anthropic.claude-haiku-6-20270101-v1:0 " +
    "jp.anthropic.claude-fable-6 us.amazon.nova-3-pro-v1:0 deepseek.v5-v1:0 moonshot.kimi-k4 zai.glm-6 mistral.mistral-large-4-v1:0 " +
    "apac.anthropic.claude-haiku-5-5-v1:0 qwen.qwen4-max-v1:0 minimax.minimax-m4 openai.gpt-oss-2-120b-1:0 " +
    "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-6-v1:0",
  google:
    "gemini-4.5-pro gemini-4.5-argon gemini-4-hydrogen-preview gemini-4-neon-11-2026 gemini-5 gemini-5-carbon gemini-3.9-flash " +
    "gemini-4-flash-lite gemini-flash-latest gemini-4-argon-001 gemini-pro-latest " +
    "models/gemini-5 models/gemini-4.5-argon gemini-5-flash-lite gemma-5-27b gemini-3.9-pro GEMINI-5-PRO",
  "google-vertex": "gemini-4.5-pro gemini-4-argon@001 gemini-5 publishers/google/models/gemini-5",
  xai: "grok-6 grok-4.4 GROK-6-FAST grok-5.5 grok-5-fast grok-5-0101 grok-4.8 grok-code-fast-3 grok-5-latest grok-6-non-reasoning x-ai/grok-6",
  moonshotai:
    "kimi-k4 kimi-k3.2 kimi-k3.1-pro kimi-k4-thinking kimi-k3-turbo-preview kimi-latest kimi-k4-0101 kimi-k5-0203",
  "kimi-coding": "kimi-k4 k4 kimi-for-coding-2",
  zai: "zai-org/GLM-6 glm-5.2-air glm-6 glm-5.4 glm-6-air glm-6v glm-5.5-flash glm-7-turbo",
  "qwen-token-plan": "qwen4-max qwen4-plus-2026-12-01 qwen4-coder qwen5-max qwen3.9-plus qwen4-vl-plus qwq-2",
  deepseek: "deepseek-v5 deepseek-v4-nano deepseek-v4.5-pro deepseek-chat deepseek-v5-flash deepseek-r3",
  mistral:
    "mistral-large-4 mistral-medium-4 mistral-small-5-2701 magistral-large-2 codestral-3 ministral-4-8b devstral-3",
  minimax: "MiniMax-M4 MiniMax-M3.5 minimax-m4-lightning MiniMax-M3-highspeed",
  openrouter:
    "openai/gpt-6.3-sol anthropic/claude-opus-6 anthropic/claude-sonnet-5.6 google/gemini-4.5-argon x-ai/grok-6:free openai/gpt-7:batch " +
    "moonshotai/kimi-k4:free z-ai/glm-6 deepseek/deepseek-v5:free mistralai/mistral-large-4 minimax/minimax-m4 meta/llama-6",
  groq: "openai/gpt-oss-2-120b moonshotai/kimi-k4 qwen/qwen4-32b groq/compound-3 llama-5-70b",
  fireworks: "accounts/fireworks/models/kimi-k4 accounts/fireworks/models/glm-6 accounts/me/deployedModels/x-1",
  together: "moonshotai/Kimi-K4 zai-org/GLM-6 deepseek-ai/DeepSeek-V5",
  cerebras: "zai-glm-6 gpt-oss-2-120b",
};

const LEVELS = [undefined, "minimal", "low", "medium", "high", "xhigh", "max"] as const;
/** Names that say nothing of a family, and families that take the level or whose words nobody has written down. */
const TAKES_MINIMAL =
  /^(azure chat|google (gemma|gemini-flash)|deepseek deepseek-r3|openrouter meta|groq (groq|llama)|fireworks accounts\/me|qwen-token-plan qwq)/;

/** Each plain option by itself; a choice of a tool comes with the tool. */
const OPTIONS: readonly SimpleStreamOptions[] = [
  { stopSequences: ["END"] },
  { stopSequences: ["a", "b", "c", "d"] },
  { topP: 0.5 },
  { seed: 7 },
  { parallelToolCalls: false, toolChoice: "auto" },
  { verbosity: "low" },
  { serviceTier: "flex" },
  { serviceTier: "priority" },
  { serviceTier: "standard" },
  { temperature: 0 },
  { temperature: 1, topP: 0.9 },
  { maxTokens: 100 },
  { toolChoice: "required" },
  { toolChoice: "none" },
];
const TOOL = { name: "read", description: "Reads", parameters: { type: "object", properties: {} } } as const;

async function send(provider: string, id: string, options: SimpleStreamOptions) {
  const host = HOSTS[provider];
  if (!host) throw new Error(`No host of ${provider}`);
  const [api, baseUrl] = host;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model: Model = {
    ...{ id, name: id, api, provider, baseUrl, reasoning: true, input: ["text"], cost },
    ...{ contextWindow: 400_000, maxTokens: 64_000 },
  };
  const vendor = vendorOf(model);
  if (!vendor) throw new Error(`No double of ${provider}`);
  const { fixtures } = testsOf(api);
  const double = createDouble(vendor, fixtures);
  const messages = [{ role: "user" as const, content: "Hi", timestamp: 1 }];
  const context = { messages, ...(options.toolChoice ? { tools: [TOOL] } : {}) } as Context; // A schema as a server sends it.
  const sending = { apiKey: "test-key", maxRetries: 0, ...fixtures.options, ...options, fetch: double.fetch };
  const message = await completeSimple(model, context, sending);
  return { message, request: double.requests[0] };
}

describe.each(Object.entries(IDS).map(([provider, ids]) => [provider, ids.split(" ")] as const))(
  "%s",
  (provider, ids) => {
    it.each(ids)("takes each level of %s, or gets another and the message says so", async (id) => {
      for (const level of LEVELS) {
        const { message, request } = await send(provider, id, { reasoning: level, temperature: 0.2, topP: 0.5 });
        expect(request?.refusal, level).toBeUndefined();
        expect(message.stopReason, `${level}: ${message.errorMessage}`).not.toBe("error");
        if (level === "minimal" && !TAKES_MINIMAL.test(`${provider} ${id}`))
          expect(JSON.stringify(request?.body)).not.toMatch(/"minimal"/i);
      }
    });

    it.each(ids)("takes each plain option of %s", async (id) => {
      for (const reasoning of sample([undefined, "high", "max"] as const, 1))
        for (const options of OPTIONS) {
          const { message, request } = await send(provider, id, { ...options, reasoning });
          const given = JSON.stringify({ ...options, reasoning });
          expect(request?.refusal, given).toBeUndefined();
          expect(message.stopReason, `${given}: ${message.errorMessage}`).not.toBe("error");
        }
    });
  },
);
