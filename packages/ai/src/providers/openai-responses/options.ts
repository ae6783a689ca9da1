/** Options of the Responses API, and simple options in its terms. */
import { clampThinkingLevel } from "../../catalogue/index.js";
import type { PostingClient } from "../../transport/sdk/http-sdk.js";
import type { Model, ThinkingLevel } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../types/options.js";
import { sharedOptions } from "../simple-options.js";

/** Whether the model may, must or must not call a tool, or which. Other forms are sent unchanged. */
export type ResponsesToolChoice =
  | "auto"
  | "none"
  | "required"
  | { type: "function"; name: string }
  | (object & {})
  | (string & {});

/** Options of OpenAI's Responses. */
export interface OpenAIResponsesOptions extends StreamOptions {
  /** Whether the model may, must or must not call a tool, or which. Default: the API's own, `auto`. */
  toolChoice?: ResponsesToolChoice | undefined;
  /** Default: the request turns thinking off if the model supports that. */
  reasoningEffort?: ThinkingLevel | undefined;
  /** The detail of the thinking summary; `null` for none. Default `"auto"`. */
  reasoningSummary?: "auto" | "detailed" | "concise" | null | undefined;
  /** A client of the `openai` SDK (or a compatible one) that sends the requests with its own key and base URL. */
  client?: PostingClient | undefined;
}

/** The options that the Responses APIs of OpenAI, Azure and ChatGPT share. */
export interface SimpleResponsesOptions extends StreamOptions {
  toolChoice?: ResponsesToolChoice | undefined;
  reasoningEffort?: ThinkingLevel | undefined;
}

export function simpleResponsesOptions(model: Model, options: SimpleStreamOptions): SimpleResponsesOptions {
  const { toolChoice } = options;
  const level = options.reasoning && clampThinkingLevel(model, options.reasoning);
  return {
    ...sharedOptions(options),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(level && level !== "off" ? { reasoningEffort: level } : {}),
  };
}
