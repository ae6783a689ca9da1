/** What the model families behind Amazon Bedrock differ in. */
import type { Model } from "../types/model.js";
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
}

const DEFAULTS: BedrockFlags = {
  thinking: undefined,
  signsThinking: false,
  supportsCachePoints: false,
  supportsTemperature: true,
  hasXhighEffort: false,
  sendsThinkingDisplay: true,
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
  { when: { ids: ["opus-4-6", "sonnet-4-6"] }, flags: { thinking: "adaptive" } },
  {
    when: { ids: ["opus-4-7", "opus-4-8", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5", "claude-fable"] },
    flags: { thinking: "adaptive", hasXhighEffort: true, supportsTemperature: false },
  },
  { when: { ids: ["us-gov"] }, flags: { sendsThinkingDisplay: false } },
];

/** @param region where the request goes, if it is known before */
export function resolveBedrockFlags(model: Model, region?: string): BedrockFlags {
  // The id of an inference profile may say nothing; its name does. Ids and names are spelled in many ways.
  const id = [model.id, model.name, region ?? ""]
    .join(" ")
    .toLowerCase()
    .replace(/[\s_.:]+/g, "-");
  return resolveFlags({ ...model, id }, DEFAULTS, ROWS);
}
