/** Options of the Mistral API, and simple options in its terms. */
import { resolveMistralFlags } from "../../compat/mistral.js";
import { clampThinkingLevel } from "../../compat/thinking.js";
import type { MistralConversationsCompat } from "../../types/compat.js";
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

/** One row for each way to ask for thinking: whether to think, and the model's own word for the level. */
const CONTROLS: Readonly<
  Record<
    NonNullable<MistralConversationsCompat["reasoningControl"]>,
    (on: boolean, word: string | null | undefined) => MistralOptions
  >
> = {
  // A model that thinks unless it is asked not to has a word for off.
  effort: (on, word) => (on ? { reasoningEffort: word ?? "high" } : word ? { reasoningEffort: word } : {}),
  mode: (on) => (on ? { promptMode: "reasoning" } : {}),
};

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
  // A flag of the model's own may hold any word.
  const control = CONTROLS[resolveMistralFlags(model).reasoningControl] ?? CONTROLS.mode;
  return control(level !== "off", word);
}
