/** What works without settings for a server on this machine: keys, addresses, time, thinking, counting, typed output. */
import { Type } from "@sinclair/typebox";
import { afterEach, describe, expect, it, test, vi } from "vitest";
import { stream, streamSimple } from "../../src/index.js";
import { completeObject } from "../../src/object/complete-object.js";
import { countTokens } from "../../src/tokens/count-tokens.js";
import type { Model } from "../../src/types/model.js";
import { isLoopback } from "../../src/utils/loopback.js";
import { type Script, scriptFetch } from "../support/scripted-fetch.js";
import { sseEvent } from "../support/sse.js";
import { LOCAL_APIS, localModel } from "./local-model.js";

afterEach(() => void vi.useRealTimers());

const ANSWER: Script = {
  pieces: [
    sseEvent({ choices: [{ index: 0, delta: { content: "Yes." }, finish_reason: "stop" }] }),
    sseEvent("[DONE]"),
  ],
};
const NOT_FOUND: Script = {
  status: 404,
  pieces: [JSON.stringify({ error: { message: "File Not Found", code: 404 } })],
};

async function ask(model: Model, options = {}): Promise<Record<string, unknown>> {
  const { fetch, requests } = scriptFetch(ANSWER);
  await streamSimple(model, "Hi", { fetch, maxRetries: 0, ...options }).result();
  return JSON.parse(requests[0]?.body ?? "");
}

test.each([
  ["http://localhost:8080/v1", true],
  ["http://127.0.0.1/v1", true],
  ["https://127.1.2.3:8443", true],
  ["http://[::1]:1234/v1", true],
  ["http://0.0.0.0:8000", true],
  ["http://llm.localhost:8080", true],
  ["http://localhost.example.com/v1", false],
  ["http://127.0.0.1.example.com", false],
  ["https://example.com/?to=http://localhost/", false],
  ["http://localhost@example.com/", false],
  ["http://192.168.1.5:8080", false],
  ["", false],
])("the address %s is one of this machine: %s", (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});

describe("the key", () => {
  it.each(LOCAL_APIS)("may be absent on %s, and nothing is sent in its place", async (api) => {
    const { fetch, requests } = scriptFetch(NOT_FOUND);
    const message = await streamSimple(localModel(api), "Hi", { fetch }).result();
    expect(message.error?.kind).toBe("not_found");
    expect(requests[0]?.headers.has("authorization")).toBe(false);
    expect(requests[0]?.headers.has("x-api-key")).toBe(false);
  });

  it.each(LOCAL_APIS)("is sent on %s if there is one", async (api) => {
    const { fetch, requests } = scriptFetch(NOT_FOUND);
    await streamSimple(localModel(api), "Hi", { fetch, apiKey: "secret" }).result();
    const { headers } = requests[0] ?? {};
    expect(headers?.get("authorization") ?? headers?.get("x-api-key")).toContain("secret");
  });

  it("is needed by every other server", async () => {
    const { fetch, requests } = scriptFetch();
    const message = await streamSimple(localModel("openai-completions", "http://llm.example.com"), "Hi", {
      fetch,
    }).result();
    expect(message.error?.kind).toBe("auth_missing");
    expect(requests).toEqual([]);
  });
});

describe("an address without an API", () => {
  const root = "http://127.0.0.1:8080";
  it.each([
    ["openai-completions", root, `asked: ${root}/chat/completions; the baseUrl is probably ${root}/v1`],
    ["openai-responses", root, `asked: ${root}/responses; the baseUrl is probably ${root}/v1`],
    ["anthropic-messages", `${root}/v1`, `asked: ${root}/v1/v1/messages; the baseUrl is probably ${root}`],
    ["openai-completions", `${root}/v1/chat/completions`, `the baseUrl is probably ${root}/v1`],
    ["openai-completions", `${root}/llm`, `the baseUrl is probably ${root}/llm/v1`],
    ["openai-completions", `${root}/v1`, `asked: ${root}/v1/chat/completions; check the model's baseUrl`],
    ["anthropic-messages", root, `asked: ${root}/v1/messages; check the model's baseUrl`],
  ] as const)("of %s at %s is named with the likely right one", async (api, baseUrl, words) => {
    const { fetch } = scriptFetch(NOT_FOUND);
    const message = await streamSimple(localModel(api, root, { baseUrl }), "Hi", { fetch }).result();
    expect(message.errorMessage).toContain("404 File Not Found (");
    expect(message.errorMessage).toContain(words);
  });

  it.each([
    ["https://llm.example.com", "/chat/completions; the baseUrl is probably https://llm.example.com/v1"],
    ["https://llm.example.com/gate/way", "/chat/completions; check the model's baseUrl"],
  ])("of a gateway at %s gets a guess only at its root", async (baseUrl, end) => {
    const { fetch } = scriptFetch(NOT_FOUND);
    const model = localModel("openai-completions", "https://llm.example.com", { baseUrl });
    expect((await streamSimple(model, "Hi", { apiKey: "k", fetch }).result()).errorMessage).toBe(
      `404 File Not Found (provider ${model.provider}, model ${model.id}; asked: ${baseUrl}${end})`,
    );
  });

  it("is not blamed for an unknown model", async () => {
    const { fetch } = scriptFetch({ status: 404, pieces: ['{"error":{"message":"model \\"x\\" not found"}}'] });
    const message = await streamSimple(localModel("openai-completions"), "Hi", { fetch }).result();
    expect(message.errorMessage).toMatch(/^404 model "x" not found \(provider [^;]+; asked: [^;]+\)$/);
  });
});

describe("a server that needs time", () => {
  /** Runs a request whose server sends the pieces, and reports its outcome after the given time. */
  async function after(ms: number, url: string, pieces: Script, options = {}): Promise<string | undefined> {
    vi.useFakeTimers();
    const { fetch } = scriptFetch(pieces);
    let outcome: string | undefined;
    const running = streamSimple(localModel("openai-completions", url), "Hi", {
      apiKey: "k",
      fetch,
      maxRetries: 0,
      ...options,
    });
    void running.result().then((message) => {
      outcome = message.errorMessage ?? message.stopReason;
    });
    // The SDK loads in real time.
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(0);
    });
    await vi.advanceTimersByTimeAsync(ms);
    return outcome;
  }
  const HOME = "http://localhost:8080";
  const AWAY = "http://llm.example.com";
  const pings = (count: number): (string | number)[] =>
    Array.from({ length: count }, () => [": keepalive\n\n", 60_000]).flat();

  it("gets half an hour on this machine, and two minutes elsewhere", async () => {
    expect(await after(1_700_000, HOME, "silence")).toBeUndefined();
    expect(await after(1_900_000, HOME, "silence")).toMatch(/Nothing arrived for 1800000 ms.*longer time.*or 0/);
    expect(await after(130_000, AWAY, "silence")).toContain("Nothing arrived for 120000 ms (idleTimeoutMs)");
  });

  it("is alive on this machine while it sends comments", async () => {
    const slow: Script = { pieces: [...pings(5), ...(ANSWER.pieces ?? [])] };
    const options = { idleTimeoutMs: 100_000 };
    expect(await after(310_000, HOME, slow, options)).toBe("stop");
    expect(await after(310_000, AWAY, slow, options)).toContain("Nothing arrived");
  });

  it("is not alive because of empty deltas", async () => {
    const empty = sseEvent({ choices: [{ index: 0, delta: {} }] });
    const pieces = Array.from({ length: 5 }, () => [empty, 60_000]).flat();
    expect(await after(310_000, HOME, { pieces }, { idleTimeoutMs: 100_000 })).toContain("Nothing arrived");
  });
});

describe("thinking", () => {
  const chat = (fields: Parameters<typeof localModel>[2] = {}, url?: string): Model =>
    localModel("openai-completions", url, fields);

  it("is off without a level", async () => {
    expect(await ask(chat())).toMatchObject({ chat_template_kwargs: { enable_thinking: false } });
    expect(await ask(chat())).not.toHaveProperty("reasoning_effort");
    const native = scriptFetch(ANSWER);
    await stream(chat(), "Hi", { fetch: native.fetch }).result();
    expect(JSON.parse(native.requests[0]?.body ?? "")).toMatchObject({
      chat_template_kwargs: { enable_thinking: false },
    });
  });

  it("is on with a level", async () => {
    const body = await ask(chat(), { reasoning: "low" });
    expect(body).toMatchObject({ reasoning_effort: "low" });
    expect(body).not.toHaveProperty("chat_template_kwargs");
  });

  it("is switched off for Ollama by an effort", async () => {
    expect(await ask(chat({}, "http://localhost:11434"))).toMatchObject({ reasoning_effort: "none" });
  });

  it("follows the levels of the model where it has some, as behind a relay on this machine", async () => {
    const body = await ask(chat({ thinkingLevelMap: { off: "minimal", high: "high" } }));
    expect(body).toMatchObject({ reasoning_effort: "minimal" });
    expect(body).not.toHaveProperty("chat_template_kwargs");
  });

  it("is not mentioned to a model that cannot think, and the flags of the model win", async () => {
    expect(await ask(chat({ reasoning: false }))).not.toHaveProperty("chat_template_kwargs");
    expect(await ask(chat({ compat: { thinkingFormat: "qwen" } }))).toMatchObject({ enable_thinking: false });
  });
});

describe("countTokens on Chat Completions", () => {
  const json = (value: object, status = 200): Script => ({ status, pieces: [JSON.stringify(value)] });

  it("asks llama.cpp's endpoint", async () => {
    const { fetch, requests } = scriptFetch(json({ input_tokens: 9 }));
    expect(await countTokens(localModel("openai-completions"), "Hi", { fetch })).toEqual({
      tokens: 9,
      source: "provider",
    });
    expect(requests.map(({ url }) => url)).toEqual(["http://127.0.0.1:8080/v1/chat/completions/input_tokens"]);
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ messages: [{ role: "user", content: "Hi" }] });
  });

  it("asks vLLM's endpoint where the first is unknown", async () => {
    const { fetch, requests } = scriptFetch(NOT_FOUND, json({ count: 7, max_model_len: 4096, tokens: [] }));
    expect(await countTokens(localModel("openai-completions"), "Hi", { fetch })).toEqual({
      tokens: 7,
      source: "provider",
    });
    expect(requests.map(({ url }) => url).at(-1)).toBe("http://127.0.0.1:8080/tokenize");
  });

  it("estimates where no endpoint counts, and asks no other server", async () => {
    const { fetch, requests } = scriptFetch(NOT_FOUND, NOT_FOUND);
    expect(await countTokens(localModel("openai-completions"), "Hi", { fetch })).toMatchObject({ source: "estimate" });
    expect(requests).toHaveLength(2);
    const away = localModel("openai-completions", "http://llm.example.com");
    expect(await countTokens(away, "Hi", { apiKey: "k", fetch })).toMatchObject({ source: "estimate" });
    expect(requests).toHaveLength(2);
    const asked = scriptFetch(json({ input_tokens: 3 }));
    const told = { ...away, compat: { supportsTokenCounting: true } };
    expect(await countTokens(told, "Hi", { apiKey: "k", fetch: asked.fetch })).toMatchObject({ source: "provider" });
  });
});

describe("typed output on Chat Completions", () => {
  const schema = Type.Object({ city: Type.String(), people: Type.Optional(Type.Integer({ minimum: 0 })) });
  const say = (text: string): Script => ({
    pieces: [
      sseEvent({ choices: [{ index: 0, delta: { content: text }, finish_reason: "stop" }] }),
      sseEvent("[DONE]"),
    ],
  });

  it("uses the grammar of the server", async () => {
    const { fetch, requests } = scriptFetch(say('{"city":"Rome"}'));
    const { object, mode } = await completeObject(localModel("openai-completions"), "Where?", { schema, fetch });
    expect([object, mode]).toEqual([{ city: "Rome" }, "native"]);
    const body = JSON.parse(requests[0]?.body ?? "");
    expect(body.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { schema: { required: ["city"] } },
    });
    expect(body).not.toHaveProperty("tools");
  });

  it("asks for one call at a time where it needs a tool", async () => {
    const call = { index: 0, id: "c", function: { name: "output", arguments: '{"city":"Rome"}' } };
    const answer = sseEvent({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] });
    const { fetch, requests } = scriptFetch({ pieces: [answer, sseEvent("[DONE]")] });
    const options = { schema, fetch, mode: "tool" } as const;
    expect((await completeObject(localModel("openai-completions"), "Where?", options)).object).toEqual({
      city: "Rome",
    });
    const body = JSON.parse(requests[0]?.body ?? "");
    expect(body).toMatchObject({ tool_choice: "required", parallel_tool_calls: false });
    expect(body.tools[0].function).not.toHaveProperty("once");
  });

  it("needs a tool on Responses, where llama.cpp ignores the schema", async () => {
    const { fetch, requests } = scriptFetch(NOT_FOUND);
    await expect(completeObject(localModel("openai-responses"), "Where?", { schema, fetch })).rejects.toThrow();
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ tool_choice: "required", tools: [{ name: "output" }] });
  });
});
