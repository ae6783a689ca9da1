/** Compatibility flags of Chat Completions servers: defaults, and one row for each group of servers. */
import type { OpenAICompletionsCompat } from "../types/compat.js";
import type { Model } from "../types/model.js";
import { MARKED_GPT } from "./gpt-families.js";
import { type CompatRow, type ModelMatch, resolveFlags } from "./match.js";

export interface CompletionsFlags extends OpenAICompletionsCompat {
  /** The base URL is OpenAI's own. */
  isOpenAI?: boolean;
  /** Which header carries the key. */
  auth?: "bearer" | "cloudflare-gateway";
  /** GitHub Copilot's headers that depend on the conversation. */
  sendCopilotHeaders?: boolean;
  /** The maximum bytes of all inline files and images in a request; undefined: unknown. */
  inlineBytes?: number;
  /** A file may be sent as a URL instead of its data. */
  takesFileUrls?: boolean;
  /** The field that marks a block for the cache. Servers with this field otherwise place their own marks. */
  cacheMarks?: "cache_control" | "prompt_cache_breakpoint" | undefined;
  /** The field in which the server takes earlier reasoning. Default: the one in which it came. */
  replaysReasoningAs?: "reasoning_content";
  /** Omit the thinking fields while thinking is off. */
  omitsThinkingOff?: boolean;
  /** The effort that turns thinking off, for models without a `thinkingLevelMap`. */
  effortOff?: string;
}

const DEFAULTS: CompletionsFlags = {
  supportsStore: true,
  supportsDeveloperRole: true,
  supportsUsageInStreaming: true,
  supportsFinishReason: true,
  maxTokensField: "max_completion_tokens",
  requiresToolsWithToolHistory: true,
  thinkingFormat: "openai",
  supportsStrictMode: true,
  supportsLongCacheRetention: true,
  sessionAffinityFormat: "openai",
  promptCacheKeyMode: "auto",
  auth: "bearer",
};

const CEREBRAS: ModelMatch = { providers: ["cerebras"], hosts: ["cerebras.ai"] };
const XAI: ModelMatch = { providers: ["xai"], hosts: ["api.x.ai"] };
const TOGETHER: ModelMatch = { providers: ["together"], hosts: ["api.together.ai", "api.together.xyz"] };
const CHUTES: ModelMatch = { hosts: ["chutes.ai"] };
const DEEPSEEK: ModelMatch = { providers: ["deepseek"], hosts: ["deepseek.com"] };
const ZAI: ModelMatch = { providers: ["zai", "zai-coding-cn"], hosts: ["api.z.ai", "open.bigmodel.cn"] };
const MOONSHOT: ModelMatch = { providers: ["moonshotai", "moonshotai-cn"], hosts: ["api.moonshot."] };
const OPENCODE: ModelMatch = { providers: ["opencode", "opencode-go"], hosts: ["opencode.ai"] };
const CLOUDFLARE_WORKERS: ModelMatch = { providers: ["cloudflare-workers-ai"], hosts: ["api.cloudflare.com"] };
const CLOUDFLARE_GATEWAY: ModelMatch = { providers: ["cloudflare-ai-gateway"], hosts: ["gateway.ai.cloudflare.com"] };
const OPENROUTER: ModelMatch = { providers: ["openrouter"], hosts: ["openrouter.ai"] };
const OPENAI: ModelMatch = { hosts: ["api.openai.com"] };
const COPILOT: ModelMatch = { providers: ["github-copilot"], hosts: ["githubcopilot.com"] };

const ROWS: readonly CompatRow<CompletionsFlags>[] = [
  ...each(
    [CEREBRAS, XAI, TOGETHER, CHUTES, DEEPSEEK, ZAI, MOONSHOT, OPENCODE, CLOUDFLARE_WORKERS, CLOUDFLARE_GATEWAY],
    { supportsStore: false, supportsDeveloperRole: false },
  ),
  ...each([CHUTES, MOONSHOT, CLOUDFLARE_GATEWAY, TOGETHER], { maxTokensField: "max_tokens" }),
  ...each([XAI, ZAI, MOONSHOT, TOGETHER, CLOUDFLARE_GATEWAY], { supportsReasoningEffort: false }),
  ...each([MOONSHOT, TOGETHER, CLOUDFLARE_GATEWAY], { supportsStrictMode: false }),
  ...each([TOGETHER, CLOUDFLARE_WORKERS, CLOUDFLARE_GATEWAY], { supportsLongCacheRetention: false }),
  { when: DEEPSEEK, flags: { thinkingFormat: "deepseek", requiresReasoningContentOnAssistantMessages: true } },
  { when: ZAI, flags: { thinkingFormat: "zai" } },
  { when: TOGETHER, flags: { thinkingFormat: "together" } },
  {
    when: OPENROUTER,
    flags: { thinkingFormat: "openrouter", sessionAffinityFormat: "openrouter", takesFileUrls: true },
  },
  { when: { providers: ["openrouter"], ids: ["anthropic/"] }, flags: { cacheControlFormat: "anthropic" } },
  // openrouter.ai/docs, "Prompt caching", 2026-11: Gemini, and the models of OpenAI that accept marks.
  { when: { ...OPENROUTER, ids: ["google/gemini", ...MARKED_GPT] }, flags: { cacheMarks: "cache_control" } },
  // It rejects `reasoning`, in which it streams (github.com/anomalyco/opencode/issues/27852, 2026-05).
  {
    when: { providers: ["opencode-go"], hosts: ["opencode.ai/inference/go/", "opencode.ai/zen/go/"] },
    flags: { replaysReasoningAs: "reasoning_content" },
  },
  { when: { providers: ["huggingface"] }, flags: { supportsDeveloperRole: false } },
  // developers.openai.com, "File inputs", 2026-11: 50 MB together.
  { when: OPENAI, flags: { isOpenAI: true, inlineBytes: 50 * 1024 * 1024 } },
  { when: { ...OPENAI, ids: MARKED_GPT }, flags: { cacheMarks: "prompt_cache_breakpoint" } },
  { when: CLOUDFLARE_GATEWAY, flags: { auth: "cloudflare-gateway" } },
  // llama.cpp, vLLM and SGLang pass the variables on to the chat template, and Ollama and LM Studio ignore them (their
  // documentation, 2026-11).
  {
    when: { loopback: true },
    flags: {
      thinkingFormat: "local",
      supportsThinkingOnlyMessages: true,
      supportsParallelToolCalls: true,
    },
  },
  // docs.ollama.com, "OpenAI compatibility": `none` turns thinking off, 2026-11.
  { when: { loopback: true, ports: [11434] }, flags: { effortOff: "none" } },
  { when: COPILOT, flags: { sendCopilotHeaders: true, omitsThinkingOff: true } },
];

export function resolveCompletionsFlags(model: Model): CompletionsFlags {
  return resolveFlags(model, DEFAULTS, ROWS);
}

function each(matches: readonly ModelMatch[], flags: CompletionsFlags): CompatRow<CompletionsFlags>[] {
  return matches.map((when) => ({ when, flags }));
}
