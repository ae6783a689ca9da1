/** What Azure's Responses API accepts: OpenAI's rules (learn.microsoft.com, "Azure OpenAI Responses API", 2026-11). */
import type { Model } from "pi-ai";
import type { Faults, Fields } from "../../validators/faults.js";
import { checkOpenAIResponses } from "../openai-responses/validator.js";

export function checkAzureOpenAIResponses(body: Fields, model: Model, faults: Faults): void {
  checkOpenAIResponses(body, model, faults);
  faults.check(typeof body["model"] === "string" && body["model"] !== "", "model", "the deployment's name is required");
}
