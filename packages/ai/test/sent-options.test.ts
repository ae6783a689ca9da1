import { describe, expect, it } from "vitest";
import { BUILT_IN_APIS } from "../src/providers/built-in-apis.generated.js";
import type { Context } from "../src/types/context.js";
import type { KnownApi, Model } from "../src/types/model.js";
import type { SimpleStreamOptions } from "../src/types/options.js";
import { createResponse } from "./messages.js";
import { type RequestOption, SENT_OPTIONS } from "./sent-options.js";

/** Keys for the apis that parse their key. */
const KEYS: Readonly<Partial<Record<KnownApi, string>>> = {
  "openai-codex-responses": `h.${btoa(JSON.stringify({ "https://api.openai.com/auth": { chatgpt_account_id: "a" } }))}.s`,
  "google-gemini-cli": JSON.stringify({ token: "t", projectId: "p" }),
};

/** Two values of each option. A request that sends the option must differ between them. */
const SETTINGS: Readonly<Record<RequestOption, [SimpleStreamOptions, SimpleStreamOptions]>> = {
  temperature: [{}, { temperature: 0.5 }],
  maxTokens: [{ maxTokens: 1000 }, { maxTokens: 2000 }],
  cacheRetention: [
    { sessionId: "a", cacheRetention: "none" },
    { sessionId: "a", cacheRetention: "long" },
  ],
  sessionId: [
    { sessionId: "a", cacheRetention: "long" },
    { sessionId: "b", cacheRetention: "long" },
  ],
  headers: [{}, { headers: { "x-test": "1" } }],
  metadata: [{}, { metadata: { user_id: "u" } }],
  foreignThinking: [{ foreignThinking: "text" }, { foreignThinking: "drop" }],
  reasoning: [{}, { reasoning: "high" }],
  thinkingBudgets: [{ reasoning: "low" }, { reasoning: "low", thinkingBudgets: { low: 3000 } }],
  toolChoice: [{}, { toolChoice: "required" }],
};

const MODEL: Model = {
  id: "model",
  name: "Model",
  api: "",
  provider: "example",
  baseUrl: "https://example.com",
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 64_000,
};

/** A model of each api with the abilities that the options need. */
const MODELS: Readonly<Record<KnownApi, Partial<Model>>> = {
  "anthropic-messages": { compat: { sendSessionAffinityHeaders: true } },
  "openai-completions": {
    compat: {
      thinkingTokenBudgetField: "thinking_budget",
      supportsThinkingTokenBudget: true,
      sendSessionAffinityHeaders: true,
    },
  },
  "openai-responses": {},
  "azure-openai-responses": {},
  "openai-codex-responses": {},
  "google-generative-ai": { id: "gemini-2.5-flash" },
  "google-vertex": { id: "gemini-2.5-flash" },
  "google-gemini-cli": { id: "gemini-2.5-flash" },
  "bedrock-converse-stream": { id: "anthropic.claude-sonnet-4-5-20250929-v1:0" },
  "mistral-conversations": {},
};

const CONTEXT: Context = {
  messages: [
    { role: "user", content: "Hi", timestamp: 0 },
    createResponse({
      api: "other",
      model: "other",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Hello" },
      ],
    }),
    { role: "user", content: "Go on", timestamp: 0 },
  ],
  tools: [{ name: "read", description: "Reads a file.", parameters: { type: "object", properties: {} } }],
};

describe("each common option", () => {
  it.each(Object.entries(SENT_OPTIONS))("changes the request of %s as the table says", async (api, sent) => {
    const options = Object.keys(SETTINGS) as RequestOption[]; // the record names exactly these keys
    const changes = await Promise.all(options.map(async (option) => [option, await changesRequest(api, option)]));
    expect(Object.fromEntries(changes)).toEqual(sent);
  });
});

async function changesRequest(api: string, option: RequestOption): Promise<boolean> {
  const [before, after] = SETTINGS[option];
  return (await buildRequest(api, before)) !== (await buildRequest(api, after));
}

async function buildRequest(api: string, simple: SimpleStreamOptions): Promise<string> {
  const name = api as KnownApi; // a key of the table
  const adapter = await BUILT_IN_APIS[name]();
  const model: Model = { ...MODEL, ...MODELS[name], api };
  const options = adapter.simpleOptions(model, { cacheRetention: "short", ...simple });
  return JSON.stringify(
    adapter.buildRequest({ model, context: CONTEXT, options, apiKey: KEYS[name] ?? "key", keyIsBearer: false }),
  );
}
