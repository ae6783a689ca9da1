/**
 * What the Responses API behind ChatGPT accepts: OpenAI's rules and further ones. Source, read 2026-11: the request
 * type of github.com/openai/codex, and the service's error texts.
 */
import type { Model } from "pi-ai";
import { type Faults, type Fields, isSaid, listOf } from "../../validators/faults.js";
import { checkOpenAIResponses } from "../openai-responses/validator.js";

export function checkOpenAICodexResponses(body: Fields, model: Model, faults: Faults): void {
  checkOpenAIResponses(body, model, faults);
  // Errors "Instructions are required", "Store must be set to false", "Stream must be set to true".
  faults.check(isSaid(body["instructions"]), "instructions", "required");
  faults.check(body["store"] === false, "store", "must be false");
  faults.check(body["stream"] !== false, "stream", "must be true");
  // Error "Unsupported parameter: max_output_tokens", and the same for the other.
  faults.check(!("max_output_tokens" in body), "max_output_tokens", "unsupported parameter");
  // Error "System messages are not allowed".
  const system = listOf(body["input"]).some((item) => item["role"] === "system");
  faults.check(!system, "input", "system messages are not allowed");
}
