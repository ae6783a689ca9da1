/** Compatibility flags of the model families on Amazon Bedrock. */
import type { Model } from "../../types/model.js";
import {
  ADAPTIVE_CLAUDE,
  ADAPTIVE_ONLY_CLAUDE,
  ALWAYS_THINKING_CLAUDE,
  BOUND_THINKING_CLAUDE,
  claudeId,
} from "./claude-families.js";
import { type CompatRow, resolveFlags } from "./match.js";

export interface BedrockFlags {
  /** The form of the model's thinking settings; undefined for a model without them. */
  thinking: "budget" | "adaptive" | "effort" | undefined;
  /** The model signs its thinking; unsigned thinking must not be sent back. */
  signsThinking: boolean;
  supportsCachePoints: boolean;
  /** Send `temperature`. */
  supportsTemperature: boolean;
  /** The model supports the effort `xhigh`. */
  hasXhighEffort: boolean;
  /** Send whether thinking is shown; AWS GovCloud rejects the field. */
  sendsThinkingDisplay: boolean;
  /** The model rejects disabled thinking and forced tool calls. */
  alwaysThinks: boolean;
  /** Ask to drop earlier thinking whose prefix has changed, instead of rejecting the request. */
  supportsBlockBinding: boolean;
}

const DEFAULTS: BedrockFlags = {
  thinking: undefined,
  signsThinking: false,
  supportsCachePoints: false,
  supportsTemperature: true,
  hasXhighEffort: false,
  sendsThinkingDisplay: true,
  alwaysThinks: false,
  supportsBlockBinding: false,
};

/**
 * Claude's families in order of age: docs.aws.amazon.com, Bedrock user guide, "Extended thinking", "Adaptive thinking"
 * and "Prompt caching", 2026-11.
 */
const ROWS: readonly CompatRow<Partial<BedrockFlags>>[] = [
  // The fields of Chat Completions: Bedrock user guide, "OpenAI models", 2026-11.
  { when: { ids: ["gpt-"] }, flags: { thinking: "effort" } },
  { when: { ids: ["claude"] }, flags: { thinking: "budget", signsThinking: true, supportsCachePoints: true } },
  {
    when: {
      ids: ["claude-v2", "claude-instant", "claude-3-haiku", "claude-3-sonnet", "claude-3-opus", "claude-3-5-sonnet"],
    },
    flags: { supportsCachePoints: false },
  },
  { when: { ids: ADAPTIVE_CLAUDE }, flags: { thinking: "adaptive" } },
  {
    when: { ids: ADAPTIVE_ONLY_CLAUDE },
    flags: { thinking: "adaptive", hasXhighEffort: true, supportsTemperature: false },
  },
  { when: { ids: ALWAYS_THINKING_CLAUDE }, flags: { alwaysThinks: true } },
  // Bedrock user guide, "Preserved thinking", 2026-11.
  { when: { ids: BOUND_THINKING_CLAUDE }, flags: { supportsBlockBinding: true } },
  { when: { ids: ["us-gov"] }, flags: { sendsThinkingDisplay: false, supportsBlockBinding: false } },
];

/** @param region the region of the request, if it is already known */
export function resolveBedrockFlags(model: Model, region?: string): BedrockFlags {
  // The id of an inference profile may not name the model, but its name does. Their spelling varies.
  const id = claudeId([model.id, model.name, region ?? ""].join(" "));
  return resolveFlags({ ...model, id }, DEFAULTS, ROWS);
}
