/** Compatibility flags of Responses API servers: defaults, and one row for each group of servers. */
import type { OpenAIResponsesCompat } from "../types/compat.js";
import type { Model } from "../types/model.js";
import { MARKED_GPT } from "./gpt-families.js";
import { type CompatRow, resolveFlags } from "./match.js";

export interface ResponsesFlags extends OpenAIResponsesCompat {
  /** Send `reasoning.effort`. */
  supportsReasoningEffort?: boolean;
  /** Which header carries the key. */
  auth?: "bearer" | "cloudflare-gateway";
  /** GitHub Copilot's headers that depend on the conversation. */
  sendCopilotHeaders?: boolean;
  /** Omit the thinking fields while thinking is off. */
  omitsThinkingOff?: boolean;
  /** The server requires a tool call's item id to begin with `fc`; tool calls of other models get such an id. */
  pairedCallIds?: boolean;
  /** The price factor of each service tier (openai.com/api/pricing, "Flex" and "Priority", 2026-11). */
  tierFactors?: Readonly<Record<string, number>>;
  /** The model accepts `prompt_cache_breakpoint` in blocks of messages and tool results. */
  supportsCacheBreakpoints?: boolean;
  /** The response reports the tier `default` even if the request was served at another tier. */
  reportsDefaultTier?: boolean;
}

const DEFAULTS: ResponsesFlags = {
  sendSessionIdHeader: true,
  supportsLongCacheRetention: true,
  supportsDeveloperRole: true,
  supportsStrictMode: true,
  supportsMaxOutputTokens: true,
  supportsReasoningEffort: true,
  auth: "bearer",
  tierFactors: { flex: 0.5, priority: 2 },
};

const ROWS: readonly CompatRow<ResponsesFlags>[] = [
  {
    when: { providers: ["openai", "openai-codex", "opencode", "azure", "azure-openai-responses"] },
    flags: { pairedCallIds: true },
  },
  { when: { providers: ["openai-codex"], hosts: ["chatgpt.com"] }, flags: { reportsDefaultTier: true } },
  { when: { hosts: ["api.openai.com"], ids: MARKED_GPT }, flags: { supportsCacheBreakpoints: true } },
  { when: { ids: ["gpt-5.5"] }, flags: { tierFactors: { flex: 0.5, priority: 2.5 } } },
  {
    when: { providers: ["github-copilot"], hosts: ["githubcopilot.com"] },
    flags: { sendCopilotHeaders: true, omitsThinkingOff: true },
  },
  {
    when: { providers: ["cloudflare-ai-gateway"], hosts: ["gateway.ai.cloudflare.com"] },
    flags: { auth: "cloudflare-gateway" },
  },
];

export function resolveResponsesFlags(model: Model): ResponsesFlags {
  return resolveFlags(model, DEFAULTS, ROWS);
}
