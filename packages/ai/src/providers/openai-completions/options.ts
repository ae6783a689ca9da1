/** Options of the Chat Completions API, and simple options in its terms. */
import { clampThinkingLevel } from "../../catalogue/index.js";
import type { PostingClient } from "../../transport/sdk/http-sdk.js";
import type { Model, ThinkingBudgets, ThinkingLevel } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../types/options.js";
import { sharedOptions } from "../simple-options.js";

/** Options of OpenAI's chat completions. */
export interface OpenAICompletionsOptions extends StreamOptions {
  /** Whether the model may, must or must not call a tool, or which. Default: the API's own, `auto`. */
  toolChoice?:
    | "auto"
    | "none"
    | "required"
    | { type: "function"; function: { name: string } }
    | (object & {})
    | (string & {})
    | undefined;
  /** Default: the request turns thinking off if the server supports that. */
  reasoningEffort?: ThinkingLevel | undefined;
  /** Tokens for thinking, for servers with a field for it (`compat.thinkingTokenBudgetField`). */
  thinkingBudgets?: ThinkingBudgets | undefined;
  /** A client of the `openai` SDK (or a compatible one) that sends the requests with its own key and base URL. */
  client?: PostingClient | undefined;
}

export function simpleCompletionsOptions(model: Model, options: SimpleStreamOptions): OpenAICompletionsOptions {
  const { toolChoice, thinkingBudgets } = options;
  const level = options.reasoning && clampThinkingLevel(model, options.reasoning);
  return {
    // Servers limit a response to the free part of the context window; the catalogue's limit may exceed that.
    ...sharedOptions(options),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(level && level !== "off" ? { reasoningEffort: level } : {}),
    ...(thinkingBudgets === undefined ? {} : { thinkingBudgets }),
  };
}
