import { Type } from "@sinclair/typebox";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createResponse } from "../../../test/messages.js";
import { createModel } from "../../../test/models.js";
import { type LocalServer, type SeenRequest, serveResponse } from "../../../test/support/local-response.js";
import { breaksRules } from "../../../test/vendors/check-requests.js";
import { createApiProvider } from "../../driver/create-api-provider.js";
import type { Context } from "../../types/context.js";
import type { AssistantMessage, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { openAIResponsesAdapter } from "./adapter.js";
import type { OpenAIResponsesOptions } from "./options.js";

breaksRules(/picture-(data|format)$/, "A few bytes stand in for its pictures.");

const { stream, streamSimple } = createApiProvider(openAIResponsesAdapter);

const MODEL = createModel("openai-responses", { baseUrl: "", reasoning: false, input: ["text", "image"] });
const GOOD = 'data: {"type":"response.completed","response":{"status":"completed"}}\n\n';
const HELLO: Context = { messages: [{ role: "user", content: "Hello", timestamp: 1 }] };
const TOOL = { name: "look", description: "Looks.", parameters: Type.Object({ x: Type.String() }) };
const IMAGE = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
const WIRE_IMAGE = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" };

let server: LocalServer;
beforeEach(async () => {
  server = await serveResponse({ headers: { "content-type": "text/event-stream" }, body: GOOD });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server[Symbol.asyncDispose]();
});

async function ask(
  context: Context,
  options: OpenAIResponsesOptions = {},
  model: Partial<Model> = {},
): Promise<SeenRequest> {
  const target = { ...MODEL, baseUrl: `${server.url}/v1`, ...model };
  const message = await stream(target, context, { apiKey: "key-1", ...options }).result();
  expect(message.errorMessage).toBeUndefined();
  return server.requests.at(-1) as SeenRequest; // a response without an error had a request
}

async function askSimple(options: SimpleStreamOptions, model: Partial<Model> = {}): Promise<SeenRequest["body"]> {
  const target = { ...MODEL, baseUrl: `${server.url}/v1`, ...model };
  const message = await streamSimple(target, HELLO, { apiKey: "key-1", ...options }).result();
  expect(message.errorMessage).toBeUndefined();
  return server.requests.at(-1)?.body;
}

/** The input items of a conversation. */
async function inputOf(messages: Message[], model: Partial<Model> = {}): Promise<unknown[]> {
  return (await ask({ messages }, {}, model)).body.input;
}

function response(content: AssistantMessage["content"], fields: Partial<AssistantMessage> = {}): AssistantMessage {
  return createResponse({ content, api: "openai-responses", provider: "openai", model: "gpt-x", ...fields });
}

function result(toolCallId: string, fields: object = {}): Message {
  return { role: "toolResult", toolCallId, toolName: "look", content: [], isError: false, timestamp: 3, ...fields };
}

const toolCall = (id: string) => ({ type: "toolCall" as const, id, name: "look", arguments: { x: "1" } });

test("a minimal request", async () => {
  const request = await ask(HELLO);
  expect(request).toMatchObject({ method: "POST", path: "/v1/responses" });
  expect(request.headers).toMatchObject({
    authorization: "Bearer key-1",
    "content-type": "application/json",
    "user-agent": expect.stringMatching(/^pi-ai\//),
  });
  for (const name of ["session_id", "x-client-request-id", "openai-organization"]) {
    expect(request.headers[name]).toBeUndefined();
  }
  expect(request.body).toEqual({
    model: "gpt-x",
    input: [{ role: "user", content: [{ type: "input_text", text: "Hello" }] }],
    stream: true,
    store: false,
  });
});

test("system prompt, images, limits and tools", async () => {
  const context = {
    systemPrompt: "Be brief\ud800.",
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "See" }, IMAGE], timestamp: 1 }],
    tools: [TOOL],
  };
  const toolChoice = { type: "function" as const, name: "look" };
  const { body } = await ask(context, { maxTokens: 50, temperature: 0, serviceTier: "flex", toolChoice });
  expect(body).toEqual({
    model: "gpt-x",
    input: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "See" }, WIRE_IMAGE] },
    ],
    stream: true,
    store: false,
    max_output_tokens: 50,
    temperature: 0,
    service_tier: "flex",
    tools: [
      {
        type: "function",
        name: "look",
        description: "Looks.",
        parameters: { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
        strict: false,
      },
    ],
    tool_choice: toolChoice,
  });
});

test("compatibility flags of the model", async () => {
  const context = { ...HELLO, systemPrompt: "Hi", tools: [TOOL] };
  const reasoning = await ask(context, { maxTokens: 1 }, { reasoning: true });
  expect(reasoning.body).toMatchObject({ input: [{ role: "developer" }, {}], max_output_tokens: 16 });
  const compat = { supportsDeveloperRole: false, supportsStrictMode: false, supportsMaxOutputTokens: false };
  const { body } = await ask(context, { maxTokens: 50 }, { reasoning: true, compat });
  expect(body.input[0].role).toBe("system");
  expect(body.tools[0]).not.toHaveProperty("strict");
  expect(body).not.toHaveProperty("max_output_tokens");
});

test.each([
  [{}, { prompt_cache_key: "s-1" }, "s-1"],
  [{ cacheRetention: "none" as const }, {}, undefined],
  [{ cacheRetention: "long" as const }, { prompt_cache_key: "s-1", prompt_cache_options: { ttl: "12h" } }, "s-1"],
])("the session fields with %j", async (options, fields, header) => {
  const { body, headers } = await ask(HELLO, { sessionId: "s-1", ...options });
  const { prompt_cache_key, prompt_cache_options, prompt_cache_retention } = body;
  const sent = JSON.stringify({ prompt_cache_key, prompt_cache_options, prompt_cache_retention });
  expect(JSON.parse(sent)).toEqual(fields);
  expect([headers["session_id"], headers["x-client-request-id"]]).toEqual([header, header]);
  expect(headers["x-session-affinity"]).toBeUndefined();
});

test("the session fields depend on the server", async () => {
  const options = { sessionId: "😀".repeat(70), headers: { "x-client-request-id": "mine" } };
  const compat = { sendSessionIdHeader: false, supportsLongCacheRetention: false };
  const { body, headers } = await ask(HELLO, { ...options, sessionId: "s-1", cacheRetention: "long" }, { compat });
  expect(body).not.toHaveProperty("prompt_cache_retention");
  expect(headers["session_id"]).toBeUndefined();
  expect(headers["x-client-request-id"]).toBe("mine");
  const long = await askSimple({
    sessionId: options.sessionId,
    headers: { session_id: "a", "x-client-request-id": "b" },
  });
  expect(long.prompt_cache_key).toBe("😀".repeat(64));
});

test("a gateway and Copilot receive their own headers", async () => {
  const gateway = await ask(HELLO, {}, { provider: "cloudflare-ai-gateway" });
  expect(gateway.headers["cf-aig-authorization"]).toBe("Bearer key-1");
  expect(gateway.headers.authorization).toBeUndefined();
  const messages: Message[] = [{ role: "user", content: [IMAGE], timestamp: 1 }];
  const copilot = await ask({ messages }, {}, { provider: "github-copilot" });
  expect(copilot.headers).toMatchObject({ "x-initiator": "user", "copilot-vision-request": "true" });
});

test("the key comes from the environment if the options have none", async () => {
  vi.stubEnv("OPENAI_API_KEY", "key-env");
  vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1");
  vi.stubEnv("OPENAI_ORG_ID", "org-1");
  const target = { ...MODEL, baseUrl: server.url };
  await stream(target, HELLO, {}).result();
  await stream(target, HELLO, { apiKey: "key-2" }).result();
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer key-env", "Bearer key-2"]);
  expect(server.requests[0]?.headers["openai-organization"]).toBeUndefined();
});

const ENCRYPTED = ["reasoning.encrypted_content"];

test.each([
  ["off", undefined, {}, { reasoning: { effort: "none" } }],
  ["off, by its own word", undefined, { off: "minimal" }, { reasoning: { effort: "minimal" }, include: ENCRYPTED }],
  ["never off", undefined, { off: null }, { include: ENCRYPTED }],
  ["minimal", "minimal", {}, { reasoning: { effort: "minimal", summary: "auto" }, include: ENCRYPTED }],
  ["low", "low", {}, { reasoning: { effort: "low", summary: "auto" }, include: ENCRYPTED }],
  ["medium", "medium", {}, { reasoning: { effort: "medium", summary: "auto" }, include: ENCRYPTED }],
  ["high", "high", {}, { reasoning: { effort: "high", summary: "auto" }, include: ENCRYPTED }],
  ["too high", "xhigh", {}, { reasoning: { effort: "high", summary: "auto" }, include: ENCRYPTED }],
  ["xhigh", "xhigh", { xhigh: "xhigh" }, { reasoning: { effort: "xhigh", summary: "auto" }, include: ENCRYPTED }],
  ["renamed", "minimal", { minimal: "low" }, { reasoning: { effort: "low", summary: "auto" }, include: ENCRYPTED }],
] as const)("thinking %s", async (_name, reasoning, thinkingLevelMap, fields) => {
  const body = await askSimple(reasoning ? { reasoning } : {}, { reasoning: true, thinkingLevelMap });
  expect({ reasoning: body.reasoning, include: body.include }).toEqual({
    include: undefined,
    reasoning: undefined,
    ...fields,
  });
  expect(body).not.toHaveProperty("max_output_tokens");
});

test("thinking with fewer features of the server or the model", async () => {
  const native = await ask(HELLO, { reasoningSummary: "detailed" }, { reasoning: true });
  expect(native.body.reasoning).toEqual({ effort: "medium", summary: "detailed" });
  const silent = await ask(HELLO, { reasoningEffort: "low", reasoningSummary: null }, { reasoning: true });
  expect(silent.body.reasoning).toEqual({ effort: "low" });
  const compat = { supportsReasoningEffort: false };
  expect((await askSimple({ reasoning: "low" }, { reasoning: true, compat })).reasoning).toEqual({ summary: "auto" });
  expect(await askSimple({}, { reasoning: true, provider: "github-copilot" })).not.toHaveProperty("reasoning");
  expect(await askSimple({ reasoning: "high" })).not.toHaveProperty("reasoning");
});

test("a simple tool choice is sent unchanged, and only with tools", async () => {
  expect(await askSimple({ toolChoice: "required" })).not.toHaveProperty("tool_choice");
  const { body } = await ask({ ...HELLO, tools: [TOOL] }, { toolChoice: "none" });
  expect(body.tool_choice).toBe("none");
});

test("the model's own responses are sent back unchanged", async () => {
  const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "gAAA", summary: [] };
  const commentary = JSON.stringify({ v: 1, id: "msg_1", phase: "commentary" });
  const input = await inputOf([
    response([
      { type: "thinking", thinking: "", thinkingSignature: JSON.stringify(reasoning) },
      { type: "text", text: "One", textSignature: commentary },
      { type: "text", text: "Two", textSignature: "msg_bare" },
      { type: "text", text: "Three", textSignature: `msg_${"x".repeat(64)}` },
      { type: "text", text: "Four" },
      { type: "text", text: "Five" },
      { type: "text", text: "" },
      toolCall("call_1|fc_1"),
      toolCall("call_2|ctc_2"),
    ]),
    result("call_2|ctc_2", { content: [{ type: "text", text: "b" }] }),
    result("call_1|fc_1", { content: [{ type: "text", text: "a" }, IMAGE] }),
  ]);
  const text = (id: unknown, words: string, more: object = {}) => ({
    type: "message",
    role: "assistant",
    status: "completed",
    id,
    content: [{ type: "output_text", text: words, annotations: [] }],
    ...more,
  });
  expect(input).toEqual([
    reasoning,
    text("msg_1", "One", { phase: "commentary" }),
    text("msg_bare", "Two"),
    text(expect.stringMatching(/^msg_[a-z0-9]{14}$/), "Three"),
    text("msg_0_4", "Four"),
    text("msg_0_5", "Five"),
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: '{"x":"1"}' },
    { type: "function_call", call_id: "call_2", name: "look", arguments: '{"x":"1"}' },
    { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text", text: "a" }, WIRE_IMAGE] },
    { type: "function_call_output", call_id: "call_2", output: "b" },
  ]);
});

test("reasoning without usable content, or at the end, is omitted", async () => {
  const signed = (item: unknown) => ({ type: "thinking" as const, thinking: "t", thinkingSignature: String(item) });
  const good = JSON.stringify({ type: "reasoning", encrypted_content: "g" });
  const input = await inputOf([
    response([
      signed("no JSON"),
      signed("null"),
      signed('{"type":"reasoning","id":"rs_1","summary":[]}'),
      { type: "text", text: "Hi" },
    ]),
    response([signed(good)], { stopReason: "length" }),
    { role: "user", content: " ", timestamp: 1 },
  ]);
  expect(input).toEqual([
    expect.objectContaining({ type: "message" }),
    { role: "user", content: [{ type: "input_text", text: "(blank message)" }] },
  ]);
});

test("ids of other models' tool calls are rewritten, in their results too", async () => {
  const long = "x".repeat(80);
  const ids = ["call.1|item+1/2==", "toolu_1", `${long}a`, `${long}b`, "end__", "|odd"];
  const foreign = { provider: "github-copilot", model: "other" };
  const input = await inputOf([response(ids.map(toolCall), foreign), ...ids.map((id) => result(id))]);
  const calls = input.slice(0, 6) as { call_id: string; id?: string }[]; // six tool calls, then their results
  const outputs = input.slice(6) as { call_id: string }[]; // as above
  expect(calls[0]).toMatchObject({ call_id: "call_1", id: expect.stringMatching(/^fc_[a-z0-9]{14}$/) });
  expect(calls[1]).toEqual({ type: "function_call", call_id: "toolu_1", name: "look", arguments: '{"x":"1"}' });
  expect(calls[4]?.call_id).toBe("end");
  expect(new Set(calls.map((call) => call.call_id)).size).toBe(6);
  for (const call of calls) expect(`${call.call_id}${call.id ?? ""}`).toMatch(/^[\w-]{1,90}$/);
  for (const call of calls) expect(call.call_id).toMatch(/^[\w-]{1,64}$/);
  expect(outputs.map((output) => output.call_id)).toEqual(calls.map((call) => call.call_id));
});

test("another model on the same server drops item ids; other servers receive one id", async () => {
  const [own] = await inputOf([response([toolCall("call_1|fc_1")], { model: "gpt-y" })]);
  expect(own).not.toHaveProperty("id");
  const [foreign] = await inputOf([response([toolCall("call_1|fc_1")])], { provider: "xai" });
  expect(foreign).toMatchObject({ call_id: "call_1_fc_1" });
});

test("failed responses are omitted, missing results are added, foreign thinking is text", async () => {
  const messages: Message[] = [
    response([{ type: "text", text: "gone" }], { stopReason: "error" }),
    response([{ type: "thinking", thinking: "Hm", thinkingSignature: "s" }, toolCall("call_1")], { model: "other" }),
    { role: "user", content: "Go on", timestamp: 1 },
  ];
  const input = await inputOf(messages);
  expect(input).toEqual([
    expect.objectContaining({ type: "message", content: [expect.objectContaining({ text: "Hm" })] }),
    expect.objectContaining({ type: "function_call", call_id: "call_1" }),
    { type: "function_call_output", call_id: "call_1", output: "No result provided" },
    { role: "user", content: [{ type: "input_text", text: "Go on" }] },
  ]);
  const dropped = await ask({ messages }, { foreignThinking: "drop" });
  expect(JSON.stringify(dropped.body)).not.toContain("Hm");
});

test("a result without text gets a note; only models with image input receive images", async () => {
  const messages = [response([toolCall("call_1")]), result("call_1")];
  expect(await inputOf(messages)).toMatchObject([{}, { output: "(no tool output)" }]);
  const seen = [response([toolCall("call_1")]), result("call_1", { content: [IMAGE] })];
  expect(await inputOf(seen)).toMatchObject([{}, { output: [WIRE_IMAGE] }]);
  expect(await inputOf(seen, { input: ["text"] })).toMatchObject([
    {},
    { output: expect.stringContaining("image omitted") },
  ]);
});

test("an injected client sends the request", async () => {
  const posted: unknown[] = [];
  const client = {
    post: (path: string, options: { body: unknown }) => {
      posted.push(path, options.body);
      return { asResponse: async () => new Response(GOOD, { headers: { "content-type": "text/event-stream" } }) };
    },
  };
  const message = await stream({ ...MODEL, baseUrl: server.url }, HELLO, { apiKey: "k", client }).result();
  expect(message.stopReason).toBe("stop");
  expect(posted).toEqual(["/responses", expect.objectContaining({ model: "gpt-x" })]);
  expect(server.requests).toEqual([]);
});
