/** The rules of the output of every model. A request reads those of its api from the adapter. */
import type { Api, Model } from "../../types/model.js";
import { ANTHROPIC_OUTPUT } from "./output/anthropic.js";
import { BEDROCK_OUTPUT } from "./output/bedrock.js";
import { GOOGLE_OUTPUT } from "./output/google.js";
import { MISTRAL_OUTPUT } from "./output/mistral.js";
import { AZURE_OUTPUT, COMPLETIONS_OUTPUT, RESPONSES_OUTPUT } from "./output/openai.js";
import { type OutputRow, type OutputRules, rulesOf } from "./output/rules.js";

/** The rows of each api: the same as in its adapter, which is not loaded when the output of a request is planned. */
export const OUTPUT_ROWS: ReadonlyMap<Api, readonly OutputRow[]> = new Map([
  ["anthropic-messages", ANTHROPIC_OUTPUT],
  ["azure-openai-responses", AZURE_OUTPUT],
  ["bedrock-converse-stream", BEDROCK_OUTPUT],
  ["google-gemini-cli", GOOGLE_OUTPUT],
  ["google-generative-ai", GOOGLE_OUTPUT],
  ["google-vertex", GOOGLE_OUTPUT],
  ["mistral-conversations", MISTRAL_OUTPUT],
  ["openai-codex-responses", RESPONSES_OUTPUT],
  ["openai-completions", COMPLETIONS_OUTPUT],
  ["openai-responses", RESPONSES_OUTPUT],
]);

/** The rules of a model, for the plan of an output. */
export function resolveOutputRules(model: Model): OutputRules {
  return rulesOf(model, OUTPUT_ROWS.get(model.api));
}
