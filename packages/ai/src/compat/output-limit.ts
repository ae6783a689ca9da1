/** Decides which models accept a limit on their output. */
import type { Api, Model } from "../types/model.js";
import { resolveResponsesFlags } from "./openai-responses.js";

/** Apis without a field for the limit: ChatGPT rejects `max_output_tokens` (kortix-ai/suna #5124, 2026-07). */
const UNLIMITED_APIS: ReadonlySet<Api> = new Set(["openai-codex-responses"]);

/** Whether a request can limit its output. */
export function supportsOutputLimit(model: Model): boolean {
  return !UNLIMITED_APIS.has(model.api) && resolveResponsesFlags(model).supportsMaxOutputTokens === true;
}
