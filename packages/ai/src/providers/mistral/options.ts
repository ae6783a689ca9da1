/** Options of the Mistral API, and simple options in its terms. */
import { resolveMistralFlags } from "../../catalogue/compat/index.js";
import { clampThinkingLevel, levelMapOf } from "../../catalogue/index.js";
import type { MistralConversationsCompat } from "../../types/compat.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../types/options.js";
import { sharedOptions } from "../simple-options.js";

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
    | (string & {})
    | undefined;
  /** Turns on thinking for models without an effort. Default: the request has no thinking fields. */
  promptMode?: "reasoning" | undefined;
  /** For models with adjustable reasoning, in the model's own terms. Default: the request has no thinking fields. */
  reasoningEffort?: "none" | "high" | (string & {}) | undefined;
}

/** One row for each way to request thinking. `word` is the model's own name of the level. */
const CONTROLS: Readonly<
  Record<
    NonNullable<MistralConversationsCompat["reasoningControl"]>,
    (on: boolean, word: string | null | undefined) => MistralOptions
  >
> = {
  // A model that thinks by default has a level for off.
  effort: (on, word) => (on ? { reasoningEffort: word ?? "high" } : word ? { reasoningEffort: word } : {}),
  mode: (on) => (on ? { promptMode: "reasoning" } : {}),
};

export function simpleMistralOptions(model: Model, options: SimpleStreamOptions): MistralOptions {
  const { toolChoice } = options;
  return {
    ...sharedOptions(options),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...thinkingOptions(model, options),
  };
}

function thinkingOptions(model: Model, { reasoning }: SimpleStreamOptions): MistralOptions {
  if (!model.reasoning) return {};
  const level = reasoning ? clampThinkingLevel(model, reasoning) : "off";
  const word = levelMapOf(model)?.[level];
  // A flag set by the user can be any string.
  const control = CONTROLS[resolveMistralFlags(model).reasoningControl] ?? CONTROLS.mode;
  return control(level !== "off", word);
}
