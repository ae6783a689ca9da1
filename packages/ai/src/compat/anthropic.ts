/** What servers of the Anthropic protocol differ in, and which model families think how. */
import type { AnthropicMessagesCompat } from "../types/compat.js";
import type { Model } from "../types/model.js";
import { type CompatRow, resolveFlags } from "./match.js";

export interface AnthropicFlags
  extends Required<Omit<AnthropicMessagesCompat, "sessionAffinityFormat">>,
    Pick<AnthropicMessagesCompat, "sessionAffinityFormat"> {
  /** Which header carries the key. */
  auth: "x-api-key" | "bearer" | "cloudflare-gateway";
  /** Where eager tool input is not understood: ask for it by the older beta header. */
  sendToolStreamingBeta: boolean;
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
  allowEmptySignature: false,
  auth: "x-api-key",
  sendToolStreamingBeta: true,
  sendCopilotHeaders: false,
};

const ROWS: readonly CompatRow<Partial<AnthropicFlags>>[] = [
  {
    when: { ids: ["opus-4-6", "opus-4.6", "opus-4-7", "opus-4.7", "sonnet-4-6", "sonnet-4.6"] },
    flags: { forceAdaptiveThinking: true },
  },
  {
    when: { providers: ["fireworks"], hosts: ["fireworks.ai"] },
    flags: {
      supportsEagerToolInputStreaming: false,
      supportsLongCacheRetention: false,
      supportsCacheControlOnTools: false,
      sendSessionAffinityHeaders: true,
    },
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

export function resolveAnthropicFlags(model: Model): AnthropicFlags {
  return resolveFlags(model, DEFAULTS, ROWS);
}
