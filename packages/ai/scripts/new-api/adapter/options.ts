/** The options of the Example API, and the conversion of simple options. */
import { clampThinkingLevel } from "../../../src/catalogue/index.js";
import { commonOptions } from "../../../src/providers/simple-options.js";
import type { Model } from "../../../src/types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../../src/types/options.js";

/** Options of the Example API. */
export interface ExampleApiOptions extends StreamOptions {
  /** Whether the model may, must or must not use a tool. Default: that of the server. */
  toolChoice?: "auto" | "none" | "required" | (object & {}) | (string & {});
  /** How much the model thinks. Default: that of the server. */
  effort?: string;
}

export function simpleExampleApiOptions(model: Model, options: SimpleStreamOptions): ExampleApiOptions {
  const { reasoning, toolChoice } = options;
  const level = reasoning && model.reasoning ? clampThinkingLevel(model, reasoning) : "off";
  const effort = model.thinkingLevelMap?.[level] ?? level;
  return {
    ...commonOptions(model, options),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(level === "off" ? {} : { effort }),
  };
}
