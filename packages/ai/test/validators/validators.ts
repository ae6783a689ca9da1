/** The validator of each protocol. */
import type { KnownApi, Model } from "../../src/types/model.js";
import { checkAnthropicMessages } from "./anthropic-messages.js";
import { checkAzureOpenAIResponses } from "./azure-openai-responses.js";
import { checkBedrockConverseStream } from "./bedrock-converse-stream.js";
import { Faults, type Fields, fieldsOf } from "./faults.js";
import { checkGoogleGeminiCli } from "./google-gemini-cli.js";
import { checkGoogleGenerativeAi } from "./google-generative-ai.js";
import { checkGoogleVertex } from "./google-vertex.js";
import { checkMistralConversations } from "./mistral-conversations.js";
import { checkOpenAICodexResponses } from "./openai-codex-responses.js";
import { checkOpenAICompletions } from "./openai-completions.js";
import { checkOpenAIResponses } from "./openai-responses.js";

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
