/**
 * What the Responses API behind ChatGPT accepts: OpenAI's rules and further ones. Source, read 2026-11: the request
 * type of github.com/openai/codex, and the service's error texts.
 */
import type { Model } from "pi-ai";
import { type Faults, type Fields, listOf } from "../../validators/faults.js";
import { checkOpenAIResponses } from "../openai-responses/validator.js";

export function checkOpenAICodexResponses(body: Fields, model: Model, faults: Faults): void {
  checkOpenAIResponses(body, model, faults);
  // pi-ai 1.6.0: no cache holds `instructions` from GPT-6.2 on, and the server no longer requires them.
  faults.check(!("instructions" in body), "instructions", "never cached");
  // Errors "Store must be set to false", "Stream must be set to true".
  faults.check(body["store"] === false, "store", "must be false");
  faults.check(body["stream"] !== false, "stream", "must be true");
  // Error "System messages are not allowed".
  const system = listOf(body["input"]).some((item) => item["role"] === "system");
  faults.check(!system, "input", "system messages are not allowed");
}
