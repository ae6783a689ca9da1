/** What servers of the Responses API differ in: defaults, and one row for each group of servers. */
import type { OpenAIResponsesCompat } from "../types/compat.js";
import type { Model } from "../types/model.js";
import { type CompatRow, resolveFlags } from "./match.js";

export interface ResponsesFlags extends OpenAIResponsesCompat {
  /** Send `reasoning.effort`. */
  supportsReasoningEffort?: boolean;
  /** Which header carries the key. */
  auth?: "bearer" | "cloudflare-gateway";
  /** GitHub Copilot's headers that depend on the conversation. */
  sendCopilotHeaders?: boolean;
  /** Say nothing about thinking where it is off. */
  omitsThinkingOff?: boolean;
  /** The server checks that the id of a call's item begins with `fc`; calls of other models are given such an id. */
  pairedCallIds?: boolean;
  /** What a service tier multiplies the price by (openai.com/api/pricing, "Flex" and "Priority", 2026-11). */
  tierFactors?: Readonly<Record<string, number>>;
  /** The answer names the tier `default` even where a request for another one was served. */
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
