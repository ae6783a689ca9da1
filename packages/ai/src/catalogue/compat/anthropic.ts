/** Compatibility flags of the Anthropic Messages API: defaults, and rows for servers and model families. */
import type { AnthropicMessagesCompat } from "../../types/compat.js";
import type { Model } from "../../types/model.js";
import { factsOf } from "./families.js";
import { type CompatRow, type ModelMatch, resolveFlags } from "./match.js";

export interface AnthropicFlags
  extends Required<Omit<AnthropicMessagesCompat, "sessionAffinityFormat" | "requiresAlternatingRoles">>,
    Pick<AnthropicMessagesCompat, "sessionAffinityFormat"> {
  /** Which header carries the key. */
  auth: "x-api-key" | "bearer" | "cloudflare-gateway";
  /** Request eager tool input with the older beta header, for servers that do not support the field. */
  sendToolStreamingBeta: boolean;
  /** The model rejects disabled thinking and forced tool calls. */
  alwaysThinks: boolean;
  /** The server takes `fallbacks`. */
  takesFallbacks: boolean;
  /** The server keeps conversations. */
  keepsThreads: boolean;
  /** The server signs its thinking, and rejects thinking without a signature. */
  signsThinking: boolean;
  /** US dollars for one web search that the server makes. */
  webSearchPrice: number;
  /** GitHub Copilot's headers that depend on the conversation. */
  sendCopilotHeaders: boolean;
}

const DEFAULTS: AnthropicFlags = {
  supportsEagerToolInputStreaming: true,
  supportsLongCacheRetention: true,
  sendSessionAffinityHeaders: false,
  supportsCacheControlOnTools: true,
  supportsTemperature: true,
  forceAdaptiveThinking: false,
  supportsBlockBinding: false,
  allowEmptySignature: false,
  auth: "x-api-key",
  sendToolStreamingBeta: true,
  sendCopilotHeaders: false,
  alwaysThinks: false,
  takesFallbacks: false,
  keepsThreads: false,
  signsThinking: false,
  webSearchPrice: 0,
};

/** Anthropic itself, and a gateway that passes bodies and headers on. Other hosts are not documented to take its newest fields. */
const OWN_SERVERS: Pick<ModelMatch, "providers" | "hosts"> = {
  providers: ["anthropic", "cloudflare-ai-gateway"],
  hosts: ["api.anthropic.com", "gateway.ai.cloudflare.com"],
};

/** Flags of servers of the Messages API. */
export const ANTHROPIC_ROWS: readonly CompatRow<Partial<AnthropicFlags>>[] = [
  { when: { loopback: true }, flags: { signsThinking: false } },
  // platform.claude.com, "Refusals and fallback", 2026-11.
  { when: OWN_SERVERS, flags: { takesFallbacks: true } },
  {
    when: { ...OWN_SERVERS, facts: { bindsThinking: true, signsThinking: true } },
    flags: { supportsBlockBinding: true },
  },
  // Where others pass the fields on is not known, and one that does not answers half a conversation.
  { when: { hosts: ["api.anthropic.com"] }, flags: { keepsThreads: true } },
  // 10 dollars for 1,000 searches (platform.claude.com, "Pricing": web search tool, 2026-11); other hosts set their own.
  { when: { hosts: ["api.anthropic.com"] }, flags: { webSearchPrice: 0.01 } },
  {
    // The catalogue of earendil-works/pi: every model has the first two, 2026-11.
    when: { providers: ["fireworks"], hosts: ["fireworks.ai"] },
    flags: {
      forceAdaptiveThinking: true,
      allowEmptySignature: true,
      supportsEagerToolInputStreaming: false,
      supportsLongCacheRetention: false,
      supportsCacheControlOnTools: false,
      sendSessionAffinityHeaders: true,
    },
  },
  // The catalogue of earendil-works/pi: every model has it, 2026-11.
  {
    when: { providers: ["vercel-ai-gateway"], hosts: ["ai-gateway.vercel.sh"] },
    flags: { allowEmptySignature: true },
  },
  {
    when: { providers: ["cloudflare-ai-gateway"], hosts: ["gateway.ai.cloudflare.com"] },
    flags: { sendSessionAffinityHeaders: true, auth: "cloudflare-gateway" },
  },
  {
    when: { providers: ["github-copilot"], hosts: ["githubcopilot.com"] },
    flags: {
      supportsEagerToolInputStreaming: false,
      sendToolStreamingBeta: false,
      auth: "bearer",
      sendCopilotHeaders: true,
    },
  },
];

/** The facts of a model's family, as flags of this api. */
export function anthropicFacts(model: Model): Partial<AnthropicFlags> {
  const { thinking, temperature, alwaysThinks = false, signsThinking = false } = factsOf(model);
  return {
    forceAdaptiveThinking: thinking === "adaptive",
    supportsTemperature: temperature !== "refused",
    alwaysThinks,
    signsThinking,
  };
}

export function resolveAnthropicFlags(model: Model): AnthropicFlags {
  const flags = resolveFlags(model, { ...DEFAULTS, ...anthropicFacts(model) }, ANTHROPIC_ROWS);
  const { off } = model.thinkingLevelMap ?? factsOf(model).levels ?? {};
  const mustThink = off === null ? model.reasoning : flags.alwaysThinks && typeof off !== "string";
  return { ...flags, alwaysThinks: mustThink };
}
