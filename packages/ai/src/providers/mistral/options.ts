/** Options of the Mistral API, and simple options in its terms. */
import { resolveMistralFlags } from "../../compat/mistral.js";
import { clampThinkingLevel } from "../../compat/thinking.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../types/options.js";
import { commonOptions } from "../simple-options.js";

/** Options of the Mistral API. */
export interface MistralOptions extends StreamOptions {
  /** Whether the model may, must or must not call a tool, or which. Default: the API's own, `auto`. */
  toolChoice?:
    | "auto"
    | "none"
    | "any"
    | "required"
    | { type: "function"; function: { name: string } }
    | (object & {})
    | (string & {});
  /** Makes models think that know no effort. Default: nothing is said about thinking. */
  promptMode?: "reasoning";
  /** For models with adjustable reasoning, in the model's own words. Default: nothing is said about thinking. */
  reasoningEffort?: "none" | "high" | (string & {});
}

export function simpleMistralOptions(model: Model, options: SimpleStreamOptions): MistralOptions {
  const { toolChoice } = options;
  return {
    ...commonOptions(model, options),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...thinkingOptions(model, options),
  };
}

function thinkingOptions(model: Model, { reasoning }: SimpleStreamOptions): MistralOptions {
  if (!model.reasoning) return {};
  const level = reasoning ? clampThinkingLevel(model, reasoning) : "off";
  const word = model.thinkingLevelMap?.[level];
  const { reasoningControl } = resolveMistralFlags(model);
  // Models that think by themselves have a word for off; the others need not be told.
  if (level === "off") return reasoningControl === "effort" && word ? { reasoningEffort: word } : {};
  return reasoningControl === "effort" ? { reasoningEffort: word ?? "high" } : { promptMode: "reasoning" };
}
