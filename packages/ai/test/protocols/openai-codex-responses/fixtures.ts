/** Hand-written responses of the Responses API, from ChatGPT. */
import type { HttpFixtures } from "../../conformance/http-target.js";
import { createResponsesFixtures } from "../openai-responses/fixtures.js";

/** Without a header that names the account, the key would have to be a token that names it. */
export const openAICodexResponses: HttpFixtures = {
  ...createResponsesFixtures("openai-codex-responses", { "chatgpt-account-id": "account-1" }),
  options: { transport: "sse" },
};
