// biome-ignore-all lint/style/noExcessiveLinesPerFile: one table. A second file would be a second place to look.
/**
 * The facts about each provider and host: one row for each. Only roles (`server-traits.ts`), and the tools and
 * files that a host takes (`vendor-features.ts` of its api), stand elsewhere. What a model itself demands
 * or refuses at every host stands in the row of its family (`families/`). `npm run task new:provider`
 * writes a row. From the table come the variables of the keys (`env/key-variables.generated.ts`), the addresses of the
 * models of the catalogue, and the flags of OpenAI's two apis.
 *
 * A comment names the source and the date of the row below it. "The catalogue" is what all models of the host had in
 * common in the catalogue of pi-ai 1.5.2, and its detection of servers.
 */

import { isRecord } from "../../utils/is-object.js";
import type { Host, ThinkingRequest } from "./host.js";

/** Servers that take the common fields of Chat Completions only, not those that came later. */
const PLAIN = { supportsStore: false } as const;

/** Kimi from K3 on at the vendor's hosts: it has settings of its own, and no named tool can be forced. */
const KIMI_3 = { temperature: "refused", refuses: ["top_p"], forcedToolCalls: "refusedByName" } as const;

/** Thinking of Kimi K2.6 at Moonshot, which sees its earlier thinking only if the request says so. */
const KEPT_THINKING: ThinkingRequest = {
  build: ({ on }) => ({ thinking: on ? { type: "enabled", keep: "all" } : { type: "disabled" } }),
  effort: "never",
};

export const HOSTS: readonly Host[] = [
  // docs.aws.amazon.com, "Use an Amazon Bedrock API key", 2026-11. The regions differ in their addresses.
  { accounts: { "amazon-bedrock": { keys: ["AWS_BEARER_TOKEN_BEDROCK"] } } },
  // The catalogue, 2026-11.
  {
    accounts: { "ant-ling": { keys: ["ANT_LING_API_KEY"], url: "https://api.ant-ling.com/v1" } },
    hosts: ["api.ant-ling.com"],
    chat: {
      ...PLAIN,
      supportsReasoningEffort: false,
      maxTokensField: "max_tokens",
      thinkingFormat: "ant-ling",
      supportsLongCacheRetention: false,
    },
  },
  // docs.anthropic.com, "Claude Code settings", 2026-11.
  {
    accounts: {
      anthropic: {
        keys: ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
        url: { "anthropic-messages": "https://api.anthropic.com" },
      },
    },
  },
  // The catalogue, 2026-11. Each resource has its own address.
  {
    accounts: {
      azure: { keys: ["AZURE_OPENAI_API_KEY"], url: { "azure-openai-responses": "", "openai-completions": "" } },
      "azure-openai-responses": { keys: ["AZURE_OPENAI_API_KEY"] },
    },
    // learn.microsoft.com, "Azure OpenAI reasoning models": developer messages are taken, 2026-11.
    chat: { supportsDeveloperRole: true },
    responses: { pairedCallIds: true },
    only: [
      {
        ids: ["deepseek"],
        chat: { supportsDeveloperRole: false, supportsLongCacheRetention: false },
      },
    ],
  },
  // The catalogue, 2026-11.
  {
    accounts: { baseten: { keys: ["BASETEN_API_KEY"], url: "https://inference.baseten.co/v1" } },
    hosts: ["inference.baseten.co"],
    chat: {
      ...PLAIN,
      maxTokensField: "max_tokens",
      sendSessionAffinityHeaders: true,
      supportsLongCacheRetention: false,
    },
    only: [
      { ids: ["kimi-k3.1"], chat: { supportsReasoningEffort: false } },
      {
        ids: ["glm-5.2"],
        chat: {
          thinkingFormat: "baseten",
          chatTemplateArgs: { enable_thinking: { $var: "thinking.enabled" } },
        },
      },
    ],
  },
  // The catalogue, 2026-11. It refuses `reasoning_content` and takes `reasoning` (QwenLM/qwen-code#11045 and
  // proxysoul/Empryo#209, tried live, 2026-09). Calls without a content: "'NoneType' object is not iterable"
  // (livekit/agents#2403, 2025-05).
  {
    accounts: { cerebras: { keys: ["CEREBRAS_API_KEY"], url: "https://api.cerebras.ai/v1" } },
    hosts: ["cerebras.ai"],
    chat: {
      ...PLAIN,
      thinkingBackIn: "reasoning",
      requiresReasoningContentOnAssistantMessages: false,
      requiresNonNullAssistantContent: true,
    },
  },
  // The catalogue, 2026-11.
  { hosts: ["chutes.ai"], chat: { ...PLAIN, maxTokensField: "max_tokens" } },
  // developers.cloudflare.com, "AI Gateway: Provider native", and the catalogue, 2026-11.
  {
    accounts: {
      "cloudflare-ai-gateway": {
        keys: ["CLOUDFLARE_API_KEY"],
        url: {
          "anthropic-messages":
            "https://gateway.ai.cloudflare.com/v1/{CLOUDFLARE_ACCOUNT_ID}/{CLOUDFLARE_GATEWAY_ID}/anthropic",
          "openai-completions":
            "https://gateway.ai.cloudflare.com/v1/{CLOUDFLARE_ACCOUNT_ID}/{CLOUDFLARE_GATEWAY_ID}/compat",
          "openai-responses":
            "https://gateway.ai.cloudflare.com/v1/{CLOUDFLARE_ACCOUNT_ID}/{CLOUDFLARE_GATEWAY_ID}/openai",
        },
      },
    },
    hosts: ["gateway.ai.cloudflare.com"],
    chat: {
      auth: "cloudflare-gateway",
      ...PLAIN,
      supportsReasoningEffort: false,
      supportsStrictMode: false,
      maxTokensField: "max_tokens",
      sendSessionAffinityHeaders: true,
      supportsLongCacheRetention: false,
    },
    responses: { auth: "cloudflare-gateway" },
    only: [{ ids: ["deepseek"], chat: { thinkingFormat: "deepseek" } }],
  },
  // developers.cloudflare.com, "Workers AI: REST API", and the catalogue, 2026-11.
  {
    accounts: {
      "cloudflare-workers-ai": {
        keys: ["CLOUDFLARE_API_KEY"],
        url: "https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1",
      },
    },
    hosts: ["api.cloudflare.com"],
    chat: { ...PLAIN, sendSessionAffinityHeaders: true, supportsLongCacheRetention: false },
    only: [{ ids: ["deepseek"], chat: { thinkingFormat: "deepseek" } }],
  },
  // api-docs.deepseek.com, "Create chat completion", and the catalogue, 2026-11.
  {
    accounts: { deepseek: { keys: ["DEEPSEEK_API_KEY"], url: "https://api.deepseek.com" } },
    hosts: ["deepseek.com"],
    chat: {
      ...PLAIN,
      maxTokensField: "max_tokens",
      thinkingFormat: "deepseek",
    },
  },
  // The catalogue, 2026-11.
  {
    accounts: {
      fireworks: {
        keys: ["FIREWORKS_API_KEY"],
        url: {
          "anthropic-messages": "https://api.fireworks.ai/inference",
          "openai-completions": "https://api.fireworks.ai/inference/v1",
        },
        listing: "fireworks-ai",
      },
    },
    hosts: ["fireworks.ai"],
    chat: { ...PLAIN, sendSessionAffinityHeaders: true, supportsLongCacheRetention: false },
  },
  // The catalogue, 2026-11.
  {
    accounts: {
      "github-copilot": {
        keys: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
        url: {
          "anthropic-messages": "https://api.individual.githubcopilot.com",
          "openai-completions": "https://api.individual.githubcopilot.com",
          "openai-responses": "https://api.individual.githubcopilot.com",
        },
      },
    },
    hosts: ["githubcopilot.com"],
    chat: { sendCopilotHeaders: true, omitsThinkingOff: true, ...PLAIN },
    responses: { sendCopilotHeaders: true, omitsThinkingOff: true },
  },
  // ai.google.dev, "Using Gemini API keys", and cloud.google.com, "API keys for Vertex AI", 2026-11.
  {
    accounts: {
      google: {
        keys: ["GEMINI_API_KEY"],
        url: { "google-generative-ai": "https://generativelanguage.googleapis.com/v1beta" },
      },
      "google-vertex": {
        keys: ["GOOGLE_CLOUD_API_KEY"],
        url: { "google-vertex": "https://{location}-aiplatform.googleapis.com" },
      },
    },
  },
  // console.groq.com/docs, "API reference", 2026-11. It refuses `reasoning_content` (janhq/jan#8136, 2026-05), and streams in
  // `reasoning`.
  {
    accounts: { groq: { keys: ["GROQ_API_KEY"], url: "https://api.groq.com/openai/v1" } },
    hosts: ["api.groq.com"],
    chat: {
      usageOf: (chunk) => fieldAt(chunk, "x_groq", "usage"),
      maxStopSequences: 4,
      // console.groq.com/docs, "Service Tiers", 2026-11.
      serviceTiers: {
        words: { standard: "on_demand", priority: "performance" },
        own: ["auto", "on_demand", "flex", "performance"],
      },
      thinkingBackIn: "reasoning",
      requiresReasoningContentOnAssistantMessages: false,
    },
  },
  // The catalogue, 2026-11.
  {
    accounts: { huggingface: { keys: ["HF_TOKEN"], url: "https://router.huggingface.co/v1" } },
    hosts: ["router.huggingface.co"],
  },
  // The catalogue, 2026-11. The fast model is K2.7 Code (platform.kimi.ai, "Kimi Code", 2026-06).
  {
    accounts: {
      "kimi-coding": { keys: ["KIMI_API_KEY"], url: "https://api.kimi.com/coding/v1", listing: "kimi-for-coding" },
    },
    hosts: ["api.kimi.com"],
    chat: {
      ...PLAIN,
      supportsStrictMode: false,
      maxTokensField: "max_tokens",
    },
    only: [
      {
        ids: ["kimi-for-coding-highspeed"],
        chat: { thinkingFormat: "deepseek", supportsReasoningEffort: false, missingThinking: " " },
      },
      // can1357/oh-my-pi#5994, tried live, 2026-07.
      { facts: { hasEfforts: true }, chat: KIMI_3 },
    ],
  },
  // The catalogue, 2026-11.
  { accounts: { meta: { keys: ["META_API_KEY"], url: { "openai-responses": "https://api.meta.ai/v1" } } } },
  // The catalogue, 2026-11.
  {
    accounts: {
      minimax: { keys: ["MINIMAX_API_KEY"], url: { "anthropic-messages": "https://api.minimax.io/anthropic" } },
      "minimax-cn": {
        keys: ["MINIMAX_CN_API_KEY"],
        url: { "anthropic-messages": "https://api.minimaxi.com/anthropic" },
      },
    },
  },
  // docs.mistral.ai, "API specification", 2026-11.
  { accounts: { mistral: { keys: ["MISTRAL_API_KEY"], url: { "mistral-conversations": "https://api.mistral.ai" } } } },
  // platform.moonshot.ai, "Chat" (counts in the last choice), and the catalogue, 2026-11. From K2.5 on another temperature
  // than the model's own is refused (platform.kimi.ai, "Migrating from OpenAI to Kimi"; K3: Devin-AXIS/AINO#223, tried
  // live; 2026-08), `top_p` likewise (enricoros/big-AGI#1161, tried live, 2026-07), in K2 a forced tool call while it thinks
  // (can1357/oh-my-pi#1077, 2026-05), from K3 on that of a named tool (UKGovernmentBEIS/inspect_ai#5152, tried live, 2026-08).
  // K2.6 ignores earlier thinking without `keep` (can1357/oh-my-pi#1839, 2026-06).
  {
    accounts: {
      moonshotai: { keys: ["MOONSHOT_API_KEY"], url: "https://api.moonshot.ai/v1" },
      "moonshotai-cn": { keys: ["MOONSHOT_API_KEY"], url: "https://api.moonshot.cn/v1" },
    },
    hosts: ["api.moonshot."],
    chat: {
      ...PLAIN,
      supportsReasoningEffort: false,
      supportsStrictMode: false,
      maxTokensField: "max_tokens",
      usageOf: (_chunk, choice) => fieldAt(choice, "usage"),
    },
    only: [
      {
        ids: ["kimi-k2.5", "kimi-k2.6", "kimi-k2.7"],
        chat: {
          thinkingFormat: "deepseek",
          temperature: "refused",
          refuses: ["top_p"],
          forcedToolCalls: "refusedWhileThinking",
        },
      },
      { ids: ["kimi-k2.6"], chat: { thinkingFormat: KEPT_THINKING } },
      { facts: { hasEfforts: true }, chat: { supportsReasoningEffort: true, ...KIMI_3 } },
    ],
  },
  // The catalogue, 2026-11.
  {
    accounts: { nvidia: { keys: ["NVIDIA_API_KEY"], url: "https://integrate.api.nvidia.com/v1" } },
    hosts: ["integrate.api.nvidia.com"],
    chat: {
      ...PLAIN,
      supportsReasoningEffort: false,
      supportsStrictMode: false,
      maxTokensField: "max_tokens",
      supportsLongCacheRetention: false,
    },
    only: [{ ids: ["deepseek"], chat: { thinkingFormat: "deepseek" } }],
  },
  // platform.openai.com, API reference, 2026-11; developers.openai.com, "File inputs", 2026-11: 50 MB together.
  {
    accounts: { openai: { keys: ["OPENAI_API_KEY"], url: { "openai-responses": "https://api.openai.com/v1" } } },
    hosts: ["api.openai.com"],
    chat: { supportsDeveloperRole: true },
    responses: { pairedCallIds: true },
    only: [
      { atOwnAddress: true, chat: { isOpenAI: true, inlineBytes: 50 * 1024 * 1024 } },
      {
        atOwnAddress: true,
        facts: { takesCacheMarks: true },
        chat: { cacheMarks: "prompt_cache_breakpoint" },
        responses: { supportsCacheBreakpoints: true },
      },
    ],
  },
  // openai/codex, `codex-rs`, 2026-11.
  {
    accounts: {
      "openai-codex": { keys: [], url: { "openai-codex-responses": "https://chatgpt.com/backend-api" } },
    },
    hosts: ["chatgpt.com"],
    responses: { pairedCallIds: true, reportsDefaultTier: true },
  },
  // The catalogue, 2026-11.
  {
    accounts: {
      opencode: {
        keys: ["OPENCODE_API_KEY"],
        url: {
          "anthropic-messages": "https://opencode.ai/inference/anthropic",
          "google-generative-ai": "https://opencode.ai/inference/google/v1beta",
          "openai-completions": "https://opencode.ai/inference/openai/v1",
          "openai-responses": "https://opencode.ai/inference/openai/v1",
        },
      },
    },
    hosts: ["opencode.ai"],
    chat: { ...PLAIN, maxTokensField: "max_tokens" },
    responses: { pairedCallIds: true },
    only: [{ atOwnAddress: true, responses: { sessionAffinityFormat: "openai-nosession" } }],
  },
  // The catalogue, 2026-11. It rejects `reasoning`, in which it streams (github.com/anomalyco/opencode/issues/27852, 2026-05).
  {
    accounts: {
      "opencode-go": {
        keys: ["OPENCODE_API_KEY"],
        url: {
          "anthropic-messages": "https://opencode.ai/inference/go/anthropic",
          "google-generative-ai": "https://opencode.ai/inference/go/google/v1beta",
          "openai-completions": "https://opencode.ai/inference/go/openai/v1",
          "openai-responses": "https://opencode.ai/inference/go/openai/v1",
        },
      },
    },
    hosts: ["opencode.ai/inference/go/", "opencode.ai/zen/go/"],
    chat: { ...PLAIN, maxTokensField: "max_tokens", thinkingBackIn: "reasoning_content" },
    only: [
      { atOwnAddress: true, responses: { sessionAffinityFormat: "openai-nosession" } },
      { ids: ["deepseek"], chat: { thinkingFormat: "deepseek" } },
    ],
  },
  // openrouter.ai/docs, "Prompt caching" (Gemini, and the models of OpenAI that accept marks), and the catalogue, 2026-11.
  // What it passes on to Z.ai is refused as there (vectorize-io/hindsight#4246, tried live, 2026-09).
  {
    accounts: {
      openrouter: {
        keys: ["OPENROUTER_API_KEY"],
        url: {
          "anthropic-messages": "https://openrouter.ai/api",
          "openai-completions": "https://openrouter.ai/api/v1",
        },
      },
    },
    hosts: ["openrouter.ai"],
    chat: {
      thinkingFormat: "openrouter",
      sessionAffinityFormat: "openrouter",
      sendSessionAffinityHeaders: true,
      takesFileUrls: true,
    },
    only: [
      { ids: ["anthropic/"], chat: { cacheControlFormat: "anthropic" } },
      { ids: ["google/gemini"], chat: { cacheMarks: "cache_control" } },
      { ids: ["z-ai/"], chat: { forcedToolCalls: "refused", requiresUserMessage: true } },
      { ids: ["openai/"], facts: { takesCacheMarks: true }, chat: { cacheMarks: "cache_control" } },
    ],
  },
  // The catalogue of pi-ai 1.6.0, 2026-11: addresses, and a key for each plan. The team and the individual plan have other
  // models (earendil-works/pi#7631, 2026-08). "The tool_choice parameter does not support being set to required or object in thinking mode"
  // (cloudwego/eino#994, tried live, 2026-04).
  {
    accounts: {
      "qwen-token-plan": {
        keys: ["QWEN_TOKEN_PLAN_TEAM_API_KEY", "QWEN_TOKEN_PLAN_API_KEY"],
        url: "https://token-plan.maas.qwencloudapi.com/compatible-mode/v1",
        listing: "alibaba-token-plan",
      },
      "qwen-token-plan-cn": {
        keys: ["QWEN_TOKEN_PLAN_TEAM_CN_API_KEY", "QWEN_TOKEN_PLAN_CN_API_KEY"],
        url: "https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1",
        listing: "alibaba-token-plan-cn",
      },
      "qwen-token-plan-individual": {
        keys: ["QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY", "QWEN_TOKEN_PLAN_API_KEY"],
        url: "https://token-plan.maas.qwencloudapi.com/compatible-mode/v1",
      },
      "qwen-token-plan-individual-cn": {
        keys: ["QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY", "QWEN_TOKEN_PLAN_CN_API_KEY"],
        url: "https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1",
      },
    },
    hosts: [
      "token-plan.maas.qwencloudapi.com",
      "token-plan.maas.qianwenaiapi.com",
      // The addresses before, which still answer.
      "token-plan.ap-southeast-1.maas.aliyuncs.com",
      "token-plan.cn-beijing.maas.aliyuncs.com",
    ],
    chat: { thinkingFormat: "qwen", ...PLAIN, forcedToolCalls: "refusedWhileThinking", requiresUserMessage: true },
  },
  // The catalogue, 2026-11.
  { accounts: { radius: { keys: ["RADIUS_API_KEY"] } } },
  // The catalogue, 2026-11.
  {
    accounts: { together: { keys: ["TOGETHER_API_KEY"], url: "https://api.together.ai/v1", listing: "togetherai" } },
    hosts: ["api.together.ai", "api.together.xyz"],
    chat: {
      ...PLAIN,
      supportsReasoningEffort: false,
      supportsStrictMode: false,
      maxTokensField: "max_tokens",
      thinkingFormat: "together",
      supportsLongCacheRetention: false,
    },
    only: [
      { ids: ["deepseek-v4-pro"], chat: { supportsReasoningEffort: true } },
      { ids: ["gpt-oss"], chat: { supportsReasoningEffort: true, thinkingFormat: "openai" } },
    ],
  },
  // The catalogue, 2026-11.
  { accounts: { typesafe: { keys: ["TYPESAFE_API_KEY"] } } },
  // vercel.com/docs, "AI Gateway", 2026-11.
  {
    accounts: {
      "vercel-ai-gateway": {
        keys: ["AI_GATEWAY_API_KEY"],
        url: { "anthropic-messages": "https://ai-gateway.vercel.sh" },
        listing: "vercel",
      },
    },
  },
  // The catalogue, 2026-11. It refuses `reasoning.summary` (can1357/oh-my-pi#7454, 2026).
  {
    accounts: { xai: { keys: ["XAI_API_KEY"], url: { "openai-responses": "https://api.x.ai/v1" } } },
    hosts: ["api.x.ai"],
    chat: { ...PLAIN, supportsReasoningEffort: false },
    responses: { supportsLongCacheRetention: false, supportsReasoningSummary: false },
  },
  // The catalogue, 2026-11.
  {
    accounts: {
      xiaomi: { keys: ["XIAOMI_API_KEY"], url: "https://api.xiaomimimo.com/v1" },
      "xiaomi-token-plan-ams": {
        keys: ["XIAOMI_TOKEN_PLAN_AMS_API_KEY"],
        url: "https://token-plan-ams.xiaomimimo.com/v1",
      },
      "xiaomi-token-plan-cn": {
        keys: ["XIAOMI_TOKEN_PLAN_CN_API_KEY"],
        url: "https://token-plan-cn.xiaomimimo.com/v1",
      },
      "xiaomi-token-plan-sgp": {
        keys: ["XIAOMI_TOKEN_PLAN_SGP_API_KEY"],
        url: "https://token-plan-sgp.xiaomimimo.com/v1",
      },
    },
    hosts: ["xiaomimimo.com"],
    chat: { thinkingFormat: "deepseek", supportsReasoningEffort: false },
  },
  // docs.z.ai, "Thinking mode" and "Tool streaming", and the catalogue, 2026-11. "Tool choice must be auto"
  // (vectorize-io/hindsight#4246, tried live, 2026-09). "The messages parameter is illegal" without a user's
  // (anomalyco/opencode#2557, tried live, 2025-09).
  {
    accounts: {
      zai: { keys: ["ZAI_API_KEY"], url: "https://api.z.ai/api/coding/paas/v4", listing: "zai-coding-plan" },
      "zai-coding-cn": {
        keys: ["ZAI_CODING_CN_API_KEY"],
        url: "https://open.bigmodel.cn/api/coding/paas/v4",
        listing: "zhipuai-coding-plan",
      },
    },
    hosts: ["api.z.ai", "open.bigmodel.cn"],
    chat: {
      ...PLAIN,
      supportsReasoningEffort: false,
      maxTokensField: "max_tokens",
      thinkingFormat: "zai",
      forcedToolCalls: "refused",
      requiresUserMessage: true,
    },
    only: [
      { facts: { streamsToolArguments: true }, chat: { zaiToolStream: true } },
      { facts: { hasEfforts: true }, chat: { supportsReasoningEffort: true } },
    ],
  },
  // Servers on this machine: llama.cpp, vLLM and SGLang pass the variables on to the chat template, and Ollama and LM
  // Studio ignore them (their documentation, 2026-11).
  {
    loopback: true,
    chat: { thinkingFormat: "local", supportsThinkingOnlyMessages: true, supportsParallelToolCalls: true },
  },
  // LiteLLM at its own port or under its name: "Anthropic doesn't support tool calling without `tools=` param specified"
  // (earendil-works/pi#149, 2025-12; BerriAI/litellm#24712, 2026-03).
  { loopback: true, ports: [4000], only: [{ ids: ["claude"], chat: { requiresToolsWithToolHistory: true } }] },
  // The same by its name (BerriAI/litellm#24712, 2026-03).
  { hosts: ["litellm"], only: [{ ids: ["claude"], chat: { requiresToolsWithToolHistory: true } }] },
  // docs.ollama.com, "OpenAI compatibility": `none` turns thinking off, 2026-11.
  { loopback: true, ports: [11434], chat: { effortOff: "none" } },
];

/** The value at a path of fields. */
function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) inner = isRecord(inner) ? inner[name] : undefined;
  return inner;
}
