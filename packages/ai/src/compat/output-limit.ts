/** Which models accept a limit on what they generate. */
import type { Api, Model } from "../types/model.js";
import { resolveResponsesFlags } from "./openai-responses.js";

/** Apis without a field for the limit: ChatGPT refuses requests with `max_output_tokens` (kortix-ai/suna #5124, 2026-07). */
const UNLIMITED_APIS: ReadonlySet<Api> = new Set(["openai-codex-responses"]);

/** False where a request cannot bound its output. */
export function supportsOutputLimit(model: Model): boolean {
  return !UNLIMITED_APIS.has(model.api) && resolveResponsesFlags(model).supportsMaxOutputTokens === true;
}
