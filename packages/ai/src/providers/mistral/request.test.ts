import { Type } from "@sinclair/typebox";
import {
  type AssistantMessage,
  type Context,
  type Message,
  type MistralOptions,
  type Model,
  type SimpleStreamOptions,
  stream,
  streamSimple,
} from "pi-ai";
import { afterEach, expect, test, vi } from "vitest";
import { createModel } from "../../../test/models.js";
import { type CapturedRequest, captureRequest } from "../../../test/support/capture-request.js";
import { TestServer } from "../../../test/support/test-server.js";
import { breaksRules } from "../../../test/vendors/check-requests.js";

breaksRules(/picture-(data|format)$/, "A few bytes stand in for its pictures.");

const MODEL = createModel("mistral-conversations", { input: ["text", "image"] });
const HELLO: Context = { messages: [{ role: "user", content: "Hello", timestamp: 1 }] };
const TOOL = { name: "look", description: "Looks.", parameters: Type.Object({ x: Type.String() }) };

afterEach(() => vi.unstubAllEnvs());

function ask(context: Context, options: MistralOptions = {}, model: Partial<Model> = {}): Promise<CapturedRequest> {
  return captureRequest({ ...MODEL, ...model }, context, { apiKey: "key-1", ...options });
}

function askSimple(options: SimpleStreamOptions, model: Partial<Model> = {}): Promise<CapturedRequest> {
  return captureRequest({ ...MODEL, ...model }, HELLO, { ...options }, streamSimple);
}

function response(content: AssistantMessage["content"], fields: Partial<AssistantMessage> = {}): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const { api, provider, id } = MODEL;
  return { role: "assistant", content, api, provider, model: id, usage, stopReason: "stop", timestamp: 2, ...fields };
}

function result(toolCallId: string, fields: object = {}): Message {
  return { role: "toolResult", toolCallId, toolName: "look", content: [], isError: false, timestamp: 3, ...fields };
}

test("a minimal request", async () => {
  const request = await ask(HELLO);
  expect(request).toMatchObject({ method: "POST", path: "/v1/chat/completions" });
  expect(request.headers).toMatchObject({
    authorization: "Bearer key-1",
    accept: "text/event-stream",
    "content-type": "application/json",
    "user-agent": expect.stringMatching(/^pi-ai\//),
  });
  expect(request.headers["x-affinity"]).toBeUndefined();
  expect(request.body).toEqual({
    model: "mistral-small-latest",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
  });
});

test("system prompt, images, limits and tools", async () => {
  const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
  const content = [{ type: "text" as const, text: "See \ud800" }, image];
  const context = {
    systemPrompt: "Be brief.",
    messages: [{ role: "user" as const, content, timestamp: 1 }],
    tools: [TOOL],
  };
  const { body } = await ask(context, { maxTokens: 5, temperature: 0, toolChoice: "any" });
  expect(body).toEqual({
    model: "mistral-small-latest",
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "See " },
          { type: "image_url", image_url: "data:image/png;base64,AAAA" },
        ],
      },
    ],
    stream: true,
    max_tokens: 5,
    temperature: 0,
    tools: [
      {
        type: "function",
        function: {
          name: "look",
          description: "Looks.",
          parameters: { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
          strict: false,
        },
      },
    ],
    tool_choice: "any",
  });
});

test("earlier messages keep thinking, text and tool calls; results have a name and report failures", async () => {
  const call = (id: string): AssistantMessage["content"][number] => ({
    type: "toolCall",
    id,
    name: "look",
    arguments: { x: id },
  });
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const messages: Message[] = [
    { role: "user", content: "Go", timestamp: 1 },
    response([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "a" },
      { type: "text", text: " " },
      call("aaaaaaaaa"),
      call("bbbbbbbbb"),
      call("ccccccccc"),
    ]),
    result("aaaaaaaaa", { content: [{ type: "text", text: "bad" }], isError: true }),
    result("bbbbbbbbb"),
    result("ccccccccc", { content: [image] }),
    response([{ type: "text", text: "half" }], { stopReason: "aborted" }),
    response([{ type: "text", text: "done" }]),
    ...HELLO.messages,
  ];
  const { body } = await ask({ messages });
  const wireCall = (id: string): object => ({
    id,
    type: "function",
    function: { name: "look", arguments: `{"x":"${id}"}` },
  });
  const tool = { role: "tool", name: "look" };
  expect(body.messages).toEqual([
    { role: "user", content: "Go" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
        { type: "text", text: "a" },
      ],
      tool_calls: [wireCall("aaaaaaaaa"), wireCall("bbbbbbbbb"), wireCall("ccccccccc")],
    },
    { ...tool, tool_call_id: "aaaaaaaaa", content: "[tool error] bad" },
    { ...tool, tool_call_id: "bbbbbbbbb", content: "(no tool output)" },
    {
      ...tool,
      tool_call_id: "ccccccccc",
      content: [
        { type: "text", text: "(see attached image)" },
        { type: "image_url", image_url: "data:image/png;base64,AAAA" },
      ],
    },
    { role: "assistant", content: "done" },
    { role: "user", content: "Hello" },
  ]);
});

test("tool call ids become unique ids of nine letters and digits, in their results too", async () => {
  const ids = ["toolu_01ABCDEFGHIJ", "toolu_01ABCDEFGHIK", "call_1|fc_2", "nine00id9", "short", ""];
  const content = ids.map((id) => ({ type: "toolCall" as const, id, name: "look", arguments: {} }));
  const messages = [
    response(content, { provider: "anthropic", stopReason: "toolUse" }),
    ...ids.slice(0, 5).map((id) => result(id)),
  ];
  const { body } = await ask({ messages });
  const sent: string[] = body.messages[0].tool_calls.map((call: { id: string }) => call.id);
  for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(new Set(sent).size).toBe(ids.length);
  expect(sent[3]).toBe("nine00id9");
  expect(body.messages.slice(1).map((message: { tool_call_id: string }) => message.tool_call_id)).toEqual(sent);
  expect(body.messages.at(-1).content).toBe("[tool error] No result provided");
});

test("thinking of another model becomes text", async () => {
  const foreign = response([{ type: "thinking", thinking: "hm" }], { model: "magistral" });
  const { body } = await ask({ messages: [foreign, ...HELLO.messages] });
  expect(body.messages).toEqual([
    { role: "assistant", content: "hm" },
    { role: "user", content: "Hello" },
  ]);
});

test("a message of the user follows a response at the end", async () => {
  const { body } = await ask({ messages: [...HELLO.messages, response([{ type: "text", text: "Well," }])] });
  expect(body.messages.slice(1)).toEqual([
    { role: "assistant", content: "Well," },
    { role: "user", content: "(go on)" },
  ]);
});

test.each<[SimpleStreamOptions, Partial<Model>, object]>([
  [{}, {}, {}],
  [{}, { thinkingLevelMap: { off: "none", high: "high" } }, { reasoning_effort: "none" }],
  [{ reasoning: "low" }, {}, { reasoning_effort: "high" }],
  [{ reasoning: "low" }, { thinkingLevelMap: { low: "low" }, id: "mistral-large-4" }, { reasoning_effort: "low" }],
  [
    { reasoning: "low" },
    { thinkingLevelMap: { low: null, medium: null, high: "high" }, id: "x" },
    { reasoning_effort: "high" },
  ],
  [{ reasoning: "low" }, { id: "magistral-small" }, { prompt_mode: "reasoning" }],
  [{}, { id: "magistral-small" }, {}],
  [{ reasoning: "high" }, { id: "mistral-medium-9" }, { reasoning_effort: "high" }],
  [{ reasoning: "high" }, { id: "ft:x" }, { reasoning_effort: "high" }],
  [{ reasoning: "high" }, { id: "magistral-x", compat: { reasoningControl: "effort" } }, { reasoning_effort: "high" }],
  [{ reasoning: "high" }, { id: "x", compat: { reasoningControl: "mode" } }, { prompt_mode: "reasoning" }],
  [{ reasoning: "high" }, { reasoning: false }, {}],
])("thinking %j on a model with %j", async (options, model, expected) => {
  const { reasoning_effort, prompt_mode } = (await askSimple(options, model)).body;
  expect({ reasoning_effort, prompt_mode }).toEqual({
    reasoning_effort: undefined,
    prompt_mode: undefined,
    ...expected,
  });
});

test("simple options limit the response only as the caller says", async () => {
  expect((await askSimple({})).body).not.toHaveProperty("max_tokens");
  expect((await askSimple({ maxTokens: 9 })).body).toMatchObject({ max_tokens: 9 });
  expect((await askSimple({ toolChoice: "required" })).body).not.toHaveProperty("tool_choice");
});

test("every kind of tool choice is sent", async () => {
  const named = { type: "function", function: { name: "look" } };
  for (const toolChoice of ["auto", "none", "required", named]) {
    const { body } = await captureRequest(MODEL, { ...HELLO, tools: [TOOL] }, { toolChoice }, streamSimple);
    expect(body.tool_choice).toEqual(toolChoice);
  }
});

test("the session id is the cache key, unless caching is off or the caller sets a key", async () => {
  const named = await ask(HELLO, { sessionId: "s1" });
  expect(named.headers["x-affinity"]).toBe("s1");
  expect(named.body.prompt_cache_key).toBe("s1");
  const uncached = await ask(HELLO, { sessionId: "s1", cacheRetention: "none" });
  expect(uncached.headers["x-affinity"]).toBeUndefined();
  expect(uncached.body).not.toHaveProperty("prompt_cache_key");
  const other = await ask(HELLO, { sessionId: "s1", headers: { "X-Affinity": "mine" } });
  expect(other.headers["x-affinity"]).toBe("mine");
});

test("a user message does not directly follow a tool result", async () => {
  const messages = [
    response([{ type: "toolCall", id: "aaaaaaaaa", name: "look", arguments: {} }]),
    result("aaaaaaaaa"),
  ];
  const { body } = await ask({ messages: [...HELLO.messages, ...messages, ...HELLO.messages] });
  expect(body.messages.map((message: { role: string }) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
});

test("the caller's headers override the model's, which override ours", async () => {
  const model = { headers: { "User-Agent": "model", "x-model": "1" } };
  const { headers } = await ask(HELLO, { headers: { Authorization: "Bearer other" } }, model);
  expect(headers).toMatchObject({ "user-agent": "model", "x-model": "1", authorization: "Bearer other" });
});

test("the key comes from the options, else from MISTRAL_API_KEY", async () => {
  vi.stubEnv("MISTRAL_API_KEY", "env-key");
  expect((await ask(HELLO)).headers.authorization).toBe("Bearer key-1");
  expect((await ask(HELLO, { apiKey: "" })).headers.authorization).toBe("Bearer env-key");
});

test("a base URL may end in a slash", async () => {
  const { url } = await ask(HELLO, {}, { baseUrl: "https://api.example.com/" });
  expect(url).toBe("https://api.example.com/v1/chat/completions");
});

test.each([
  [
    401,
    '{"detail":"Invalid API Key"}',
    expect.stringMatching(
      /^Mistral API error \(401\): {"detail":"Invalid API Key"} \(provider mistral, model [^;]+; asked: http:[^;]+\)$/,
    ),
    "auth",
  ],
  [
    400,
    `{"message":"${"x".repeat(9000)}"}`,
    expect.stringMatching(/^Mistral API error \(400\): .{1900,2048}…/),
    "invalid_request",
  ],
  [422, "", expect.stringMatching(/^Mistral API error \(422\): ./), "invalid_request"],
])("the error for status %i names the provider and quotes the body", async (status, body, errorMessage, kind) => {
  await using server = await TestServer.start();
  const headers = { "mistral-correlation-id": "c1" };
  const { url } = server.expect({ status, headers, pieces: [Buffer.from(body)] });
  const message = await stream({ ...MODEL, baseUrl: url }, HELLO, { apiKey: "key-1" }).result();
  expect(message).toMatchObject({ stopReason: "error", errorMessage, error: { kind, status, requestId: "c1" } });
  expect(message.errorMessage?.length).toBeLessThan(2100);
});
