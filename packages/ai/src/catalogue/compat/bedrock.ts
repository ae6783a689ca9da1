/** Compatibility flags of the model families on Amazon Bedrock. */
import type { Model } from "../../types/model.js";
import { factsOf } from "./families.js";
import type { ModelFacts } from "./family.js";
import { type CompatRow, resolveFlags } from "./match.js";

export interface BedrockFlags {
  /** The form of the model's thinking settings; undefined for a model without them. */
  thinking: "budget" | "adaptive" | "effort" | undefined;
  /** The model signs its thinking; unsigned thinking must not be sent back. */
  signsThinking: boolean;
  supportsCachePoints: boolean;
  /** When the model refuses `temperature`; undefined: never. */
  temperature: ModelFacts["temperature"];
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
  temperature: undefined,
  hasXhighEffort: false,
  sendsThinkingDisplay: true,
  alwaysThinks: false,
  supportsBlockBinding: false,
};

/** Flags of Bedrock itself. */
export const BEDROCK_ROWS: readonly CompatRow<Partial<BedrockFlags>>[] = [
  // The fields of Chat Completions: Bedrock user guide, "OpenAI models", 2026-11.
  { when: { ids: ["gpt-"] }, flags: { thinking: "effort" } },
  { when: { ids: ["us-gov"] }, flags: { sendsThinkingDisplay: false, supportsBlockBinding: false } },
];

/** The facts of a model's family, as flags of this api. */
export function bedrockFacts(model: Model): Partial<BedrockFlags> {
  const facts = factsOf(model);
  const isClaude = facts.signsThinking === true;
  return {
    // Other models that share Claude's fields on its own wire are not known to take them on Converse.
    thinking: isClaude ? facts.thinking : undefined,
    signsThinking: isClaude,
    supportsCachePoints: isClaude && facts.takesCacheMarks === true,
    temperature: facts.temperature,
    hasXhighEffort: facts.hasXhighEffort ?? false,
    alwaysThinks: isClaude && facts.alwaysThinks === true,
    supportsBlockBinding: isClaude && facts.bindsThinking === true,
  };
}

/** @param region the region of the request, if it is already known */
export function resolveBedrockFlags(model: Model, region?: string): BedrockFlags {
  // The id of an inference profile may not name the region of a request.
  const id = [model.id, model.name, region ?? ""].join(" ");
  return resolveFlags({ ...model, id }, { ...DEFAULTS, ...bedrockFacts(model) }, BEDROCK_ROWS);
}
