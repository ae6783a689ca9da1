/** The Responses API on its other hosts: the same answers, asked for in another way. */
import type { KnownApi } from "../../src/types/model.js";
import type { HttpFixtures } from "../conformance/http-dialect.js";
import { openAIResponses } from "./openai-responses.js";

export const azureOpenAIResponses: HttpFixtures = onHost("azure-openai-responses");

/** Without a header that names the account, the key would have to be a token that does. */
export const openAICodexResponses: HttpFixtures = {
  ...onHost("openai-codex-responses", { "chatgpt-account-id": "account-1" }),
  options: { transport: "sse" },
};

function onHost(api: KnownApi, headers: Record<string, string> = {}): HttpFixtures {
  return { ...openAIResponses, name: api, model: (baseUrl) => ({ ...openAIResponses.model(baseUrl), api, headers }) };
}
