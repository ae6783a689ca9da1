import type { Context, Model, SimpleStreamOptions } from "pi-ai";
import { describe, expect, it } from "vitest";
import { createResponse } from "./messages.js";
import { adapterOf } from "./protocols/adapters.internal.js";
import { API_TESTS } from "./protocols/all-apis.js";
import type { ApiTests } from "./protocols/api-tests.js";
import { OPTION_SETTINGS, type RequestOption } from "./sent-options.js";

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

describe("the table of common options that an api sends", () => {
  it.each(API_TESTS.map((tests) => [tests.api, tests] as const))("is true for %s", async (_, tests) => {
    const options = Object.keys(OPTION_SETTINGS) as RequestOption[]; // the record names exactly these keys
    const changes = options.map((option) => [option, changesRequest(tests, option)]);
    expect(Object.fromEntries(changes)).toEqual(tests.sentOptions);
  });
});

function changesRequest(tests: ApiTests, option: RequestOption): boolean {
  const [before, after] = OPTION_SETTINGS[option];
  return buildRequest(tests, before) !== buildRequest(tests, after);
}

function buildRequest(tests: ApiTests, simple: SimpleStreamOptions): string {
  const { api, handoff, optionsModel } = tests;
  const adapter = adapterOf(api);
  const model: Model = { ...MODEL, ...optionsModel, api };
  const options = adapter.simpleOptions(model, { cacheRetention: "short", ...simple });
  const apiKey = handoff.apiKey ?? "key";
  // A note that says what was left out is no part of what is sent.
  const { notes: _, ...sent } = adapter.buildRequest({ model, context: CONTEXT, options, apiKey, keyIsBearer: false });
  return JSON.stringify(sent);
}
