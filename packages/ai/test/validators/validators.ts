/** The validator of each protocol. */
import type { KnownApi, Model } from "../../src/types/model.js";
import { checkAnthropicMessages } from "../protocols/anthropic-messages/validator.js";
import { checkAzureOpenAIResponses } from "../protocols/azure-openai-responses/validator.js";
import { checkBedrockConverseStream } from "../protocols/bedrock-converse-stream/validator.js";
import { checkGoogleGeminiCli } from "../protocols/google-gemini-cli/validator.js";
import { checkGoogleGenerativeAi } from "../protocols/google-generative-ai/validator.js";
import { checkGoogleVertex } from "../protocols/google-vertex/validator.js";
import { checkMistralConversations } from "../protocols/mistral-conversations/validator.js";
import { checkOpenAICodexResponses } from "../protocols/openai-codex-responses/validator.js";
import { checkOpenAICompletions } from "../protocols/openai-completions/validator.js";
import { checkOpenAIResponses } from "../protocols/openai-responses/validator.js";
import { Faults, type Fields, fieldsOf } from "./faults.js";

const VALIDATORS: Readonly<Record<KnownApi, (body: Fields, model: Model, faults: Faults) => void>> = {
  "anthropic-messages": checkAnthropicMessages,
  "azure-openai-responses": checkAzureOpenAIResponses,
  "bedrock-converse-stream": checkBedrockConverseStream,
  "google-gemini-cli": checkGoogleGeminiCli,
  "google-generative-ai": checkGoogleGenerativeAi,
  "google-vertex": checkGoogleVertex,
  "mistral-conversations": checkMistralConversations,
  "openai-codex-responses": checkOpenAICodexResponses,
  "openai-completions": checkOpenAICompletions,
  "openai-responses": checkOpenAIResponses,
};

/** The rules of the target protocol that a request's body breaks; none for a good one. */
export function findFaults(api: KnownApi, body: unknown, model: Model): string[] {
  const faults = new Faults();
  // As it goes over the wire: fields without a value are gone.
  VALIDATORS[api](fieldsOf(JSON.parse(JSON.stringify(body))), model, faults);
  return faults.list;
}
