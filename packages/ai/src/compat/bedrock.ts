/** What the model families behind Amazon Bedrock differ in. */
import type { Model } from "../types/model.js";
import { ADAPTIVE_CLAUDE, ADAPTIVE_ONLY_CLAUDE, ALWAYS_THINKING_CLAUDE, claudeId } from "./claude-families.js";
import { type CompatRow, resolveFlags } from "./match.js";

export interface BedrockFlags {
  /** How the model is told to think; undefined where it cannot be told. */
  thinking: "budget" | "adaptive" | undefined;
  /** Thinking is signed, and goes back with its signature or not at all. */
  signsThinking: boolean;
  supportsCachePoints: boolean;
  /** Send `temperature`. */
  supportsTemperature: boolean;
  /** The effort `xhigh` exists. */
  hasXhighEffort: boolean;
  /** Say whether thinking is to be shown; AWS GovCloud refuses the field. */
  sendsThinkingDisplay: boolean;
  /** The model refuses to be told not to think, and to be forced to call a tool. */
  alwaysThinks: boolean;
}

const DEFAULTS: BedrockFlags = {
  thinking: undefined,
  signsThinking: false,
  supportsCachePoints: false,
  supportsTemperature: true,
  hasXhighEffort: false,
  sendsThinkingDisplay: true,
  alwaysThinks: false,
};

/**
 * Claude's families in order of age: docs.aws.amazon.com, Bedrock user guide, "Extended thinking", "Adaptive thinking"
 * and "Prompt caching", 2026-11.
 */
const ROWS: readonly CompatRow<Partial<BedrockFlags>>[] = [
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
  { when: { ids: ["us-gov"] }, flags: { sendsThinkingDisplay: false } },
];

/** @param region where the request goes, if it is known before */
export function resolveBedrockFlags(model: Model, region?: string): BedrockFlags {
  // The id of an inference profile may say nothing; its name does. Ids and names are spelled in many ways.
  const id = claudeId([model.id, model.name, region ?? ""].join(" "));
  return resolveFlags({ ...model, id }, DEFAULTS, ROWS);
}
