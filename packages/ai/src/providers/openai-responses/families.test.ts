/** What the families of models demand in the Responses APIs of all hosts. */
import { describe, expect, it } from "vitest";
import { plainModel } from "../../../test/support/plain-adapter.js";
import { allAccounts } from "../../catalogue/compat/host-rows.js";
import type { Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { openAIResponsesAdapter } from "./adapter.js";

const HELLO: Message = { role: "user", content: "Hi", timestamp: 0 };

/** The body of a request to a model that the catalogue does not know. */
function send(fields: Partial<Model>, options: SimpleStreamOptions = {}): Record<string, unknown> {
  const model: Model = { ...plainModel, api: "openai-responses", provider: "custom", reasoning: true, ...fields };
  const { body } = openAIResponsesAdapter.buildRequest({
    model,
    context: { messages: [HELLO] },
    options: openAIResponsesAdapter.simpleOptions(model, options),
    apiKey: "key",
    keyIsBearer: false,
  });
  return body as Record<string, unknown>; // the adapter builds an object
}

describe("xAI", () => {
  const grok = (id: string, options: SimpleStreamOptions = {}): unknown =>
    send({ provider: "xai", id }, options)["reasoning"];

  it.each(["grok-3-mini", "grok-4.3", "grok-4.20-multi-agent-0309", "grok-4.5", "grok-4.7", "grok-5", "grok-latest"])(
    "%s gets an effort and no summary",
    (id) => {
      expect(grok(id, { reasoning: "high" })).toEqual({ effort: "high" });
    },
  );

  it.each([
    "grok-3",
    "grok-4",
    "grok-4-0709",
    "grok-4-fast-reasoning",
    "grok-4-1-fast-reasoning",
    "grok-4.20-0309-reasoning",
    "grok-code-fast-1",
  ])("%s, which refuses an effort, gets none, whether it should think or not", (id) => {
    for (const options of [{}, { reasoning: "high" }] as const) {
      expect(grok(id, options)).toBeUndefined();
      expect(send({ provider: "xai", id }, options)).toMatchObject({ include: ["reasoning.encrypted_content"] });
    }
  });

  it.each([
    ["grok-4.3", { effort: "none" }],
    ["grok-4.5", undefined],
    ["grok-4.6", undefined],
    ["grok-5", undefined],
  ])("%s without thinking", (id, reasoning) => {
    expect(grok(id)).toEqual(reasoning);
  });

  it("is the only host without summaries; the model's refusals go with it", () => {
    const fields = { provider: "opencode", baseUrl: "https://opencode.ai/inference/openai/v1" };
    expect(send({ ...fields, id: "grok-4.6" }, { reasoning: "high" })["reasoning"]).toEqual({
      effort: "high",
      summary: "auto",
    });
    expect(send({ ...fields, id: "grok-code-fast-1" }, { reasoning: "high" })["reasoning"]).toEqual({
      summary: "auto",
    });
    expect(send({ ...fields, id: "grok-4.6" })).not.toHaveProperty("reasoning");
  });

  it("is known by its address, too", () => {
    const fields = { provider: "mine", baseUrl: "https://api.x.ai/v1", id: "grok-4.6" };
    expect(send(fields, { reasoning: "low" })["reasoning"]).toEqual({ effort: "low" });
  });
});

describe("the lifetime of OpenAI's cache", () => {
  const fieldsOf = (fields: Partial<Model>, cacheRetention: "none" | "short" | "long"): unknown => {
    const body = send(fields, { cacheRetention, sessionId: "s" });
    return Object.fromEntries(
      Object.entries(body).filter(([name]) => /^prompt_cache_(?:options|retention)$/.test(name)),
    );
  };

  it.each([
    ["gpt-4o", { prompt_cache_retention: "24h" }],
    ["gpt-5.5", { prompt_cache_retention: "24h" }],
    ["gpt-5.6-sol", { prompt_cache_options: { ttl: "12h" } }],
    ["gpt-6.1-terra", { prompt_cache_options: { ttl: "12h" } }],
    ["gpt-7", { prompt_cache_options: { ttl: "12h" } }],
    ["gpt-daybreak-blue-latest", { prompt_cache_options: { ttl: "12h" } }],
  ])("is asked of %s by %j, at every host", (id, long) => {
    for (const host of [{ provider: "openai" }, { provider: "opencode" }, { provider: "github-copilot" }, {}]) {
      expect(fieldsOf({ ...host, id }, "long")).toEqual(long);
      expect(fieldsOf({ ...host, id }, "short")).toEqual({});
    }
    expect(fieldsOf({ provider: "openai", id, compat: { supportsLongCacheRetention: false } }, "long")).toEqual({});
  });

  it("is nothing at all where OpenAI can be told so", () => {
    const openai = { provider: "openai", baseUrl: "https://api.openai.com/v1" };
    expect(fieldsOf({ ...openai, id: "gpt-6-sol" }, "none")).toEqual({ prompt_cache_options: { mode: "explicit" } });
    expect(fieldsOf({ ...openai, id: "gpt-5.5" }, "none")).toEqual({});
    expect(fieldsOf({ provider: "opencode", id: "gpt-6-sol" }, "none")).toEqual({});
  });
});

describe("the headers that lead to the same cache", () => {
  const OWN = "https://proxy.example/v1";
  const namesOf = (fields: Partial<Model>, options: SimpleStreamOptions = {}): string[] => {
    const model: Model = { ...plainModel, api: "openai-responses", provider: "custom", baseUrl: OWN, ...fields };
    const { headers } = openAIResponsesAdapter.buildRequest({
      model,
      context: { messages: [HELLO] },
      options: { sessionId: "s", ...openAIResponsesAdapter.simpleOptions(model, options) },
      apiKey: "key",
      keyIsBearer: false,
    });
    return Object.keys(headers).filter((name) => name !== "user-agent" && headers[name] === "s");
  };
  const BOTH = ["session_id", "x-client-request-id"];

  it.each([...allAccounts().keys()])("are sent to a model of %s with an address of its own", (provider) => {
    expect(namesOf({ provider })).toEqual(BOTH);
    expect(namesOf({ provider, compat: { sendSessionIdHeader: false } })).toEqual(["x-client-request-id"]);
    expect(namesOf({ provider }, { cacheRetention: "none" })).toEqual([]);
  });

  it("are those that a host takes, unless the model says otherwise", () => {
    for (const path of ["inference/openai/v1", "inference/go/openai/v1"]) {
      const at = { provider: "opencode", baseUrl: `https://opencode.ai/${path}` };
      expect(namesOf(at)).toEqual(["x-client-request-id"]);
      expect(namesOf({ ...at, compat: { sendSessionIdHeader: true } })).toEqual(BOTH);
      expect(namesOf({ ...at, compat: { sessionAffinityFormat: "openai" } })).toEqual(BOTH);
    }
  });
});
