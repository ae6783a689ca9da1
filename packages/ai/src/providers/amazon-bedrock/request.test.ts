import { Type } from "@sinclair/typebox";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type CapturedRequest, captureRequest } from "../../../test/support/capture-request.js";
import { CALL_ENVIRONMENT } from "../../../test/support/credentials.js";
import { serverTool } from "../../request/server-tools/create-server-tools.js";
import { streamSimple } from "../../stream.js";
import type { Context } from "../../types/context.js";
import type { AssistantMessage, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import "../../index.js";
import { breaksRules } from "../../../test/vendors/check-requests.js";
import type { BedrockOptions } from "./options.js";

breaksRules(/picture-(data|format)$/, "A few bytes stand in for its pictures.");

const MODEL: Model<"bedrock-converse-stream"> = {
  id: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  name: "Claude Sonnet 4.5",
  api: "bedrock-converse-stream",
  provider: "amazon-bedrock",
  baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 200_000,
  maxTokens: 64_000,
};
const PLAIN = { id: "amazon.nova-lite-v1:0", name: "Nova Lite" };
const ADAPTIVE = { id: "global.anthropic.claude-opus-4-7", name: "Claude Opus 4.7" };
const HELLO: Context = { messages: [{ role: "user", content: "Hello", timestamp: 1 }] };
const TOOL = { name: "look", description: "Looks.", parameters: Type.Object({ x: Type.String() }) };
const TOOL_SPEC = {
  toolSpec: {
    name: "look",
    description: "Looks.",
    inputSchema: { json: { type: "object", properties: { x: { type: "string" } }, required: ["x"] } },
  },
};
const CACHE_POINT = { cachePoint: { type: "default" } };
const PIXEL = {
  type: "image" as const,
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=",
  mimeType: "image/png",
};

beforeEach(() => {
  for (const [name, value] of Object.entries(CALL_ENVIRONMENT)) vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());

function ask(context: Context, options: BedrockOptions = {}, model: Partial<Model> = {}): Promise<CapturedRequest> {
  return captureRequest({ ...MODEL, ...model }, context, { ...options });
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

function call(id: string): AssistantMessage["content"][number] {
  return { type: "toolCall", id, name: "look", arguments: { x: id } };
}

function result(toolCallId: string, fields: object = {}): Message {
  return { role: "toolResult", toolCallId, toolName: "look", content: [], isError: false, timestamp: 3, ...fields };
}

test("a minimal request goes to the region's endpoint with the model's id in the path", async () => {
  const { url, headers, body, message } = await ask(HELLO, { cacheRetention: "none" });
  expect(url).toBe(
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
  );
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": expect.stringMatching(/^pi-ai\//),
  });
  expect(body).toEqual({
    messages: [{ role: "user", content: [{ text: "Hello" }] }],
    inferenceConfig: { maxTokens: 64_000 },
  });
  expect(message.stopReason).toBe("stop");
});

test("a configured region overrides the one in the catalogue's base URL", async () => {
  vi.stubEnv("AWS_REGION", "us-west-2");
  expect(new URL((await ask(HELLO)).url).host).toBe("bedrock-runtime.us-west-2.amazonaws.com");
  expect(new URL((await ask(HELLO, { region: "cn-north-1" })).url).host).toBe(
    "bedrock-runtime.cn-north-1.amazonaws.com.cn",
  );
});

test("a base URL that is not Amazon's is used, with its path", async () => {
  const { url } = await ask(HELLO, { region: "eu-west-1" }, { baseUrl: "https://proxy.example.com/aws" });
  expect(url).toMatch(/^https:\/\/proxy\.example\.com\/aws\/model\//);
});

test("an ARN is one segment of the path", async () => {
  const id = "arn:aws:bedrock:eu-west-3:123456789012:application-inference-profile/abc";
  const { url } = await ask(HELLO, {}, { id });
  expect(url).toContain("//bedrock-runtime.eu-west-3.amazonaws.com/model/arn%3Aaws%3Abedrock");
  expect(url).toContain("%2Fabc/converse-stream");
});

test("system prompt, images, limits, tools and metadata", async () => {
  const content = [{ type: "text" as const, text: "See \ud800" }, PIXEL, { type: "text" as const, text: " " }];
  const context: Context = {
    systemPrompt: "Be brief.",
    messages: [{ role: "user", content, timestamp: 1 }],
    tools: [TOOL],
  };
  const options = { maxTokens: 5, temperature: 0, requestMetadata: { team: "a" }, cacheRetention: "none" as const };
  const { body } = await ask(context, options);
  expect(body).toEqual({
    messages: [
      { role: "user", content: [{ text: "See " }, { image: { format: "png", source: { bytes: PIXEL.data } } }] },
    ],
    system: [{ text: "Be brief." }],
    inferenceConfig: { maxTokens: 5, temperature: 0 },
    toolConfig: { tools: [TOOL_SPEC] },
    requestMetadata: { team: "a" },
  });
});

test("an image of a type that Bedrock does not accept fails before anything is sent", async () => {
  const content = [{ ...PIXEL, data: "SUkqAAgAAAA=" }];
  await expect(ask({ messages: [{ role: "user", content, timestamp: 1 }] })).rejects.toThrow(/image\/tiff/);
});

test.each<[BedrockOptions["toolChoice"], object | undefined]>([
  ["auto", { auto: {} }],
  ["any", { any: {} }],
  [{ type: "tool", name: "look" }, { tool: { name: "look" } }],
  [{ tool: { name: "look" } }, { tool: { name: "look" } }],
])("the tool choice %j", async (toolChoice, expected) => {
  const { body } = await ask({ ...HELLO, tools: [TOOL] }, toolChoice === undefined ? {} : { toolChoice });
  expect(body.toolConfig).toEqual({ tools: [TOOL_SPEC], toolChoice: expected });
});

test("without tools there is no tool choice, and `none` omits the tools", async () => {
  expect((await ask(HELLO, { toolChoice: "any" })).body).not.toHaveProperty("toolConfig");
  expect((await ask({ ...HELLO, tools: [TOOL] }, { toolChoice: "none" })).body).not.toHaveProperty("toolConfig");
});

test("a history with tool calls sends tools, regardless of the options", async () => {
  const messages = [...HELLO.messages, response([call("t1")]), result("t1")];
  const { body } = await ask({ messages, tools: [TOOL] }, { toolChoice: "none" });
  expect(body.toolConfig).toEqual({ tools: [TOOL_SPEC] });
  const bare = await ask({ messages });
  expect(bare.body.toolConfig.tools).toMatchObject([
    { toolSpec: { name: "look", inputSchema: { json: { type: "object" } } } },
  ]);
});

test("results of one turn form one message with the next user message", async () => {
  const messages: Message[] = [
    ...HELLO.messages,
    response([{ type: "text", text: "a" }, { type: "text", text: " " }, call("t1"), call("t2"), call("t3")]),
    result("t1", { content: [{ type: "text", text: "bad" }, PIXEL], isError: true }),
    result("t2", { content: [{ type: "text", text: "see" }, PIXEL] }),
    { role: "user", content: "Go on", timestamp: 4 },
  ];
  const { body } = await ask({ messages, tools: [TOOL] }, { cacheRetention: "none" });
  const image = { image: { format: "png", source: { bytes: PIXEL.data } } };
  const use = (toolUseId: string): object => ({ toolUse: { toolUseId, name: "look", input: { x: toolUseId } } });
  expect(body.messages).toEqual([
    { role: "user", content: [{ text: "Hello" }] },
    { role: "assistant", content: [{ text: "a" }, use("t1"), use("t2"), use("t3")] },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "t1", content: [{ text: "bad" }], status: "error" } },
        { toolResult: { toolUseId: "t2", content: [{ text: "see" }, image], status: "success" } },
        { toolResult: { toolUseId: "t3", content: [{ text: "No result provided" }], status: "error" } },
        // A failed result accepts only text.
        image,
        { text: "Go on" },
      ],
    },
  ]);
});

test("failed messages and blank texts are omitted, and empty results get a note", async () => {
  const messages: Message[] = [
    { role: "user", content: " ", timestamp: 1 },
    response([call("t1")], { stopReason: "toolUse" }),
    result("t1"),
    response([{ type: "text", text: "half" }], { stopReason: "error" }),
    response([{ type: "text", text: "" }]),
  ];
  const { body } = await ask({ messages }, { cacheRetention: "none" });
  expect(body.messages).toEqual([
    { role: "user", content: [{ text: expect.stringMatching(/./) }] },
    { role: "assistant", content: [{ toolUse: expect.anything() }] },
    {
      role: "user",
      content: [{ toolResult: { toolUseId: "t1", content: [{ text: "(no tool output)" }], status: "success" } }],
    },
  ]);
});

test("tool call ids of other providers are rewritten, in their results too", async () => {
  const ids = ["call_1|fc_2", `call_1_fc_2`, "x".repeat(80)];
  const messages = [...HELLO.messages, response(ids.map(call), { provider: "openai" }), ...ids.map((id) => result(id))];
  const { body } = await ask({ messages });
  const sent: string[] = body.messages[1].content.map(
    (block: { toolUse: { toolUseId: string } }) => block.toolUse.toolUseId,
  );
  for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(new Set(sent).size).toBe(3);
  const answered = body.messages[2].content.slice(0, 3);
  expect(answered.map((block: { toolResult: { toolUseId: string } }) => block.toolResult.toolUseId)).toEqual(sent);
});

const THOUGHTS: AssistantMessage["content"] = [
  { type: "thinking", thinking: "signed", thinkingSignature: "c2ln" },
  { type: "thinking", thinking: "", thinkingSignature: "aGlkZGVu", redacted: true },
  { type: "thinking", thinking: "", thinkingSignature: "c2ln" },
  { type: "thinking", thinking: "unsigned" },
  { type: "thinking", thinking: "broken \ud800", thinkingSignature: "c2ln" },
  { type: "text", text: "so" },
  { type: "thinking", thinking: "cut off", thinkingSignature: "c2ln" },
];

test("Claude's thinking is sent back signed or, without a signature, as text", async () => {
  const { body } = await ask({ messages: [...HELLO.messages, response(THOUGHTS), ...HELLO.messages] });
  expect(body.messages[1].content).toEqual([
    { reasoningContent: { reasoningText: { text: "signed", signature: "c2ln" } } },
    { reasoningContent: { redactedContent: "aGlkZGVu" } },
    { reasoningContent: { reasoningText: { text: "", signature: "c2ln" } } },
    { text: "unsigned" },
    { text: "broken " },
    { text: "so" },
  ]);
});

test("signed thinking is sent back to an inference profile that does not name Claude", async () => {
  const profile = { id: "arn:aws:bedrock:us-east-1:1:application-inference-profile/x1", name: "Team profile" };
  const own = response(THOUGHTS, { model: profile.id });
  const { body } = await ask({ messages: [...HELLO.messages, own, ...HELLO.messages] }, {}, profile);
  const { body: claude } = await ask({ messages: [...HELLO.messages, response(THOUGHTS), ...HELLO.messages] });
  expect(body.messages[1].content).toEqual(claude.messages[1].content);
});

test("the thinking of other models is sent back without signatures", async () => {
  const own = response(
    [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "so" },
    ],
    { model: PLAIN.id },
  );
  const { body } = await ask({ messages: [...HELLO.messages, own, ...HELLO.messages] }, {}, PLAIN);
  expect(body.messages[1].content).toEqual([{ reasoningContent: { reasoningText: { text: "hm" } } }, { text: "so" }]);
});

test.each<[BedrockOptions, Partial<Model>, object | undefined]>([
  [{}, {}, CACHE_POINT],
  [{ cacheRetention: "short" }, {}, CACHE_POINT],
  [{ cacheRetention: "long" }, {}, { cachePoint: { type: "default", ttl: "1h" } }],
  [{ cacheRetention: "none" }, {}, undefined],
  [{}, PLAIN, undefined],
  [{}, { id: "anthropic.claude-3-haiku-20240307-v1:0", name: "Claude Haiku 3" }, undefined],
  [{}, { id: "anthropic.claude-3-5-haiku-20241022-v1:0", name: "Claude Haiku 3.5" }, CACHE_POINT],
  [{}, { id: "arn:aws:bedrock:us-east-1:1:application-inference-profile/x", name: "Claude Sonnet 4" }, CACHE_POINT],
])("cache points with %j on %j", async (options, model, point) => {
  const { body } = await ask({ ...HELLO, systemPrompt: "S" }, options, model);
  const points = point ? [point] : [];
  expect(body.system).toEqual([{ text: "S" }, ...points]);
  expect(body.messages.at(-1).content).toEqual([{ text: "Hello" }, ...points]);
});

test("cache points can be forced, and the environment can ask for the long ones", async () => {
  vi.stubEnv("AWS_BEDROCK_FORCE_CACHE", "1");
  vi.stubEnv("PI_CACHE_RETENTION", "long");
  const { body } = await ask(HELLO, {}, PLAIN);
  expect(body.messages[0].content[1]).toEqual({ cachePoint: { type: "default", ttl: "1h" } });
});

const BETA = { anthropic_beta: ["interleaved-thinking-2025-05-14"] };
const enabled = (budget_tokens: number): object => ({
  thinking: { type: "enabled", budget_tokens, display: "summarized" },
  ...BETA,
});
const adaptive = (effort: string): object => ({
  thinking: { type: "adaptive", display: "summarized" },
  output_config: { effort },
});

test.each<[SimpleStreamOptions, Partial<Model>, object | undefined]>([
  [{}, {}, undefined],
  [{ reasoning: "minimal" }, {}, enabled(1024)],
  [{ reasoning: "low" }, {}, enabled(2048)],
  [{ reasoning: "medium" }, {}, enabled(8192)],
  [{ reasoning: "high" }, {}, enabled(16_384)],
  [{ reasoning: "xhigh" }, {}, enabled(16_384)],
  [{ reasoning: "low", thinkingBudgets: { low: 3000 } }, {}, enabled(3000)],
  // The budget stays below the limit of the whole response.
  [{ reasoning: "high" }, { maxTokens: 8000 }, enabled(6976)],
  [{}, ADAPTIVE, undefined],
  [{ reasoning: "minimal" }, ADAPTIVE, adaptive("low")],
  [{ reasoning: "medium" }, ADAPTIVE, adaptive("medium")],
  [{ reasoning: "xhigh" }, { ...ADAPTIVE, thinkingLevelMap: { xhigh: "xhigh" } }, adaptive("xhigh")],
  [{ reasoning: "max" }, { ...ADAPTIVE, thinkingLevelMap: { max: "max" } }, adaptive("max")],
  [{ reasoning: "high" }, PLAIN, undefined],
  [{ reasoning: "high" }, { reasoning: false }, undefined],
  [
    { reasoning: "high" },
    { id: "us-gov.anthropic.claude-sonnet-4-5", name: "Gov" },
    { thinking: { type: "enabled", budget_tokens: 16_384 }, ...BETA },
  ],
])("thinking %j on %j", async (options, model, expected) => {
  expect((await askSimple(options, model)).body.additionalModelRequestFields).toEqual(expected);
});

test("a budget is added to the response's own length", async () => {
  expect((await askSimple({ reasoning: "low", maxTokens: 1000 })).body.inferenceConfig).toEqual({ maxTokens: 3048 });
  expect((await askSimple({})).body.inferenceConfig).toEqual({ maxTokens: 64_000 });
});

test("the api's own thinking options", async () => {
  const { body } = await ask(HELLO, { reasoning: "low", interleavedThinking: false, thinkingDisplay: "omitted" });
  expect(body.additionalModelRequestFields).toEqual({
    thinking: { type: "enabled", budget_tokens: 2048, display: "omitted" },
  });
  const effort = (await ask(HELLO, { reasoning: "xhigh" }, ADAPTIVE)).body.additionalModelRequestFields.output_config;
  expect(effort).toEqual({ effort: "xhigh" });
});

test("a GovCloud region is recognized without a GovCloud model id", async () => {
  const { body } = await ask(HELLO, { reasoning: "low", region: "us-gov-west-1" });
  expect(body.additionalModelRequestFields.thinking).toEqual({ type: "enabled", budget_tokens: 2048 });
});

test("temperature is omitted if thinking or the model forbids it", async () => {
  expect((await ask(HELLO, { temperature: 1 })).body.inferenceConfig).toMatchObject({ temperature: 1 });
  const limit = { maxTokens: 64_000 };
  expect((await ask(HELLO, { temperature: 1, reasoning: "low" })).body.inferenceConfig).toEqual(limit);
  expect((await ask(HELLO, { temperature: 1 }, ADAPTIVE)).body.inferenceConfig).toEqual(limit);
});

test("thinking is omitted in the middle of a turn that began without it", async () => {
  const turn = [...HELLO.messages, response([call("t1")], { provider: "openai" }), result("t1")];
  const fields = async (messages: Message[], model: Partial<Model>): Promise<unknown> =>
    (await ask({ messages, tools: [TOOL] }, { reasoning: "low" }, model)).body.additionalModelRequestFields;
  expect(await fields(turn, {})).toBeUndefined();
  expect(await fields(turn, ADAPTIVE)).toBeDefined();
  expect(await fields([...turn, response([{ type: "text", text: "x" }]), ...HELLO.messages], {})).toBeDefined();
  const thought = response([{ type: "thinking", thinking: "h", thinkingSignature: "c2ln" }, call("t1")]);
  expect(await fields([...HELLO.messages, thought, result("t1")], {})).toBeDefined();
});

test("a simple tool choice is converted to the API's form", async () => {
  const { body } = await captureRequest(MODEL, { ...HELLO, tools: [TOOL] }, { toolChoice: "required" }, streamSimple);
  expect(body.toolConfig.toolChoice).toEqual({ any: {} });
});

test("a key is sent as a bearer token, and nothing is signed", async () => {
  const { headers } = await ask(HELLO, { apiKey: "bedrock-key" });
  expect(headers.authorization).toBe("Bearer bedrock-key");
  expect(headers["x-amz-date"]).toBeUndefined();
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "token-of-env");
  expect((await ask(HELLO, { apiKey: "" })).headers.authorization).toBe("Bearer token-of-env");
});

test("a key pair signs for Bedrock in the region", async () => {
  const credentials = {
    accessKeyId: "AKIAOPTION0000000001",
    secretAccessKey: "secret-key",
    sessionToken: "session-token",
  };
  const { headers } = await ask(HELLO, { apiKey: "", credentials, region: "eu-west-1" });
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIAOPTION0000000001\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=.*host.*, Signature=[0-9a-f]{64}$/,
  );
  expect(headers["x-amz-security-token"]).toBe("session-token");
  const given = await ask(HELLO, { apiKey: "", credentials: async () => credentials });
  expect(given.headers.authorization).toContain("AKIAOPTION0000000001");
});

test("the SDK finds the key pair of the environment", async () => {
  const { headers } = await ask(HELLO, { apiKey: "" });
  expect(headers.authorization).toContain(`Credential=${CALL_ENVIRONMENT["AWS_ACCESS_KEY_ID"]}/`);
});

test("a proxy that signs requests receives placeholders, or the caller's own header", async () => {
  vi.stubEnv("AWS_BEDROCK_SKIP_AUTH", "1");
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "token-of-env");
  expect((await ask(HELLO)).headers.authorization).toContain("Credential=placeholder/");
  const { headers } = await ask(HELLO, { headers: { Authorization: "Bearer proxy", "x-team": "a" } });
  expect(headers).toMatchObject({ authorization: "Bearer proxy", "x-team": "a" });
});

test("the caller's headers do not replace the signature or the key", async () => {
  const given = { Authorization: "Bearer caller", "X-Amz-Date": "then", "x-amz-security-token": "t", "x-team": "a" };
  const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
  const signed = await ask(HELLO, { headers: given, apiKey: "", credentials }, { headers: { "x-amz-target": "b" } });
  expect(signed.headers).toMatchObject({ authorization: expect.stringContaining("AWS4-HMAC-SHA256"), "x-team": "a" });
  expect(signed.headers["x-amz-date"]).toMatch(/^\d{8}T\d{6}Z$/);
  for (const name of ["x-amz-security-token", "x-amz-target"]) expect(signed.headers).not.toHaveProperty(name);
  const keyed = await ask(HELLO, { headers: given, bearerToken: "key" });
  expect(keyed.headers).toMatchObject({ authorization: "Bearer key" });
});

test.each([
  ["openai.gpt-oss-120b-1:0", "GPT OSS 120B", "minimal", "low"],
  ["openai.gpt-oss-120b-1:0", "GPT OSS 120B", "xhigh", "high"],
  ["global.openai.gpt-6-sol", "GPT-6 Sol", "xhigh", "xhigh"],
  ["arn:aws:bedrock:us-east-1:1:application-inference-profile/x", "GPT-5.6 Luna", "medium", "medium"],
] as const)("OpenAI's models get the level as an effort: %s, %s, %s", async (id, name, reasoning, effort) => {
  const model = { id, name, thinkingLevelMap: id.includes("oss") ? {} : { xhigh: "xhigh" } };
  const { body } = await askSimple({ reasoning, temperature: 0.5 }, model);
  expect(body.additionalModelRequestFields).toEqual({ reasoning_effort: effort });
  const takesTemperature = id.includes("oss");
  expect(body.inferenceConfig).toEqual({ maxTokens: 64_000, ...(takesTemperature ? { temperature: 0.5 } : {}) });
  expect((await askSimple({}, model)).body).not.toHaveProperty("additionalModelRequestFields");
});

test.each([
  ["minimax.minimax-m3", "MiniMax M3"],
  ["minimax.minimax-m4-v1:0", "MiniMax M4"],
])("%s gets no fields of Claude, which it takes on Claude's own wire alone", async (id, name) => {
  const { body } = await askSimple({ reasoning: "high" }, { id, name, thinkingLevelMap: {} });
  expect(body).not.toHaveProperty("additionalModelRequestFields");
});

test("OpenAI's models take a forced tool with an effort", async () => {
  const model = { ...MODEL, id: "openai.gpt-6-sol", name: "GPT-6 Sol" };
  const options = { toolChoice: "required", reasoning: "low" } as const;
  const { body } = await captureRequest(model, { ...HELLO, tools: [TOOL] }, options, streamSimple);
  expect(body).toMatchObject({
    toolConfig: { toolChoice: { any: {} } },
    additionalModelRequestFields: { reasoning_effort: "low" },
  });
});

test("missing credentials fail with the names of the settings", async () => {
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, undefined);
  const message = await streamSimple(MODEL, HELLO).result();
  expect(message).toMatchObject({ stopReason: "error", error: { kind: "auth_missing" } });
  expect(message.errorMessage).toContain("AWS_BEARER_TOKEN_BEDROCK");
});

test("a profile without a region fails with the names of the settings", async () => {
  vi.stubEnv("AWS_REGION", undefined);
  vi.stubEnv("AWS_PROFILE", "work");
  const message = await streamSimple(MODEL, HELLO).result();
  expect(message).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining("AWS_REGION") });
});

test.each([MODEL, ADAPTIVE])("thinking is omitted if a tool is forced: $id", async (model) => {
  const context = { ...HELLO, tools: [TOOL] };
  const { body } = await ask(context, { reasoning: "high", toolChoice: "any" }, model);
  expect(body.toolConfig.toolChoice).toEqual({ any: {} });
  expect(body).not.toHaveProperty("additionalModelRequestFields");
});

test("the tool choice is omitted for a model that always thinks", async () => {
  const model = { id: "global.anthropic.claude-fable-5-1", name: "Claude Fable 5.1" };
  const { body } = await ask({ ...HELLO, tools: [TOOL] }, { reasoning: "high", toolChoice: "any" }, model);
  expect(body.toolConfig.toolChoice).toEqual({ auto: {} });
  expect(body.additionalModelRequestFields).toMatchObject({ thinking: { type: "adaptive" } });
});

const FILE = { type: "file" as const, data: "YWJj", mimeType: "application/pdf" };

test("files become documents and videos, with accepted names and a text", async () => {
  const model = { input: ["text", "image", "audio", "video", "pdf"] as Model["input"] };
  const content = [
    { ...FILE, name: "a_b: c.pdf" },
    { ...FILE, name: "a b c pdf" },
    { ...FILE, mimeType: "text/x-log" },
    { type: "file" as const, url: "s3://bucket/a.mp4", mimeType: "video/mp4" },
    { ...FILE, mimeType: "audio/mpeg" },
    { ...FILE, mimeType: "image/png" },
  ];
  const { body } = await ask(
    { messages: [{ role: "user", content, timestamp: 1 }] },
    { cacheRetention: "none" },
    model,
  );
  expect(body.messages[0].content).toEqual([
    { document: { format: "pdf", name: "a b c pdf", source: { bytes: "YWJj" } } },
    { document: { format: "pdf", name: "a b c pdf 2", source: { bytes: "YWJj" } } },
    { document: { format: "txt", name: "Document", source: { bytes: "YWJj" } } },
    { video: { format: "mp4", source: { s3Location: { uri: "s3://bucket/a.mp4" } } } },
    { audio: { format: "mp3", source: { bytes: "YWJj" } } },
    { image: { format: "png", source: { bytes: "YWJj" } } },
    { text: "(see attached file)" },
  ]);
});

test("a tool result contains files, and audio follows it", async () => {
  const model = { input: ["text", "image", "audio", "pdf"] as Model["input"] };
  const content = [FILE, { ...FILE, mimeType: "audio/wav" }];
  const messages = [...HELLO.messages, response([call("a")]), result("a", { content })];
  const { body } = await ask({ messages }, { cacheRetention: "none" }, model);
  expect(body.messages.at(-1).content).toMatchObject([
    { toolResult: { content: [{ document: { format: "pdf" } }] } },
    { audio: { format: "wav" } },
  ]);
});

test.each([
  ["too many documents", Array(6).fill(FILE), /at most 5 documents/],
  ["a document that is too large", [{ ...FILE, mimeType: "text/csv", data: "A".repeat(6_400_000) }], /at most 4\.5 MB/],
  ["an address outside of S3", [{ type: "file", url: "https://a.test/a.pdf", mimeType: "application/pdf" }], /s3:\/\//],
])("%s: fails before anything is sent", async (_name, content, text) => {
  const messages: Message[] = [{ role: "user", content, timestamp: 1 }];
  const message = await streamSimple(
    { ...MODEL, baseUrl: "http://127.0.0.1:1" },
    { messages },
    { maxRetries: 0 },
  ).result();
  expect(message).toMatchObject({ stopReason: "error", error: { kind: "config" } });
  expect(message.errorMessage).toMatch(text);
});

test("a file stored with another provider becomes a note", async () => {
  const content = [{ type: "file" as const, fileId: "file_1", mimeType: "application/pdf" }];
  const { body } = await ask({ messages: [{ role: "user", content, timestamp: 1 }] }, { cacheRetention: "none" });
  expect(body.messages[0].content).toEqual([{ text: "[file: application/pdf]" }]);
});

test("a server tool use is sent back with its result, and not without one", async () => {
  const use = { toolUse: { toolUseId: "s1", name: "n", type: "server_tool_use", input: {} } };
  const found = { toolResult: { toolUseId: "s1", type: "r", status: "success", content: [] } };
  const tool = (items: object[]): AssistantMessage["content"][number] => ({
    type: "serverTool",
    id: "s1",
    name: "n",
    status: "done",
    signature: JSON.stringify(items),
  });
  const late = [tool([{ item: use }, { at: 2, item: found }]), { type: "text" as const, text: "Hm." }];
  const again: Message = { role: "user", content: "Go on.", timestamp: 4 };
  const { body } = await ask({ messages: [...HELLO.messages, response(late), again] });
  expect(body.messages[1].content).toEqual([use, { text: "Hm." }, found]);
  const alone = [tool([{ item: use }]), { type: "text" as const, text: "Hm." }];
  const other = await ask({ messages: [...HELLO.messages, response(alone), again] });
  expect(other.body.messages[1].content).toEqual([{ text: "Hm." }]);
});

describe("a history with uses of the provider's own tools", () => {
  const use = { toolUse: { toolUseId: "s1", name: "nova_grounding", type: "server_tool_use", input: {} } };
  const found = { toolResult: { toolUseId: "s1", type: "nova_grounding_result", status: "success", content: [] } };
  const searched: AssistantMessage["content"] = [
    {
      type: "serverTool",
      id: "s1",
      name: "nova_grounding",
      status: "done",
      signature: JSON.stringify([{ item: use }, { item: found }]),
    },
    { type: "text", text: "Found." },
  ];
  const messages: Message[] = [
    ...HELLO.messages,
    response(searched),
    { role: "user", content: "Go on.", timestamp: 4 },
  ];
  const declared = { tools: [{ systemTool: { name: "nova_grounding" } }] };

  test("declares them, because Bedrock rejects such a history without tools", async () => {
    expect((await ask({ messages })).body.toolConfig).toEqual(declared);
    expect((await ask({ messages }, { toolChoice: "none" })).body.toolConfig).toEqual(declared);
    expect((await ask({ messages, tools: [TOOL] }, { toolChoice: "none" })).body.toolConfig).toEqual(declared);
  });

  test("needs no declaration beside the tools of the application", async () => {
    expect((await ask({ messages, tools: [TOOL] })).body.toolConfig).toEqual({ tools: [TOOL_SPEC] });
  });

  test("declares a tool once that the request declares, too", async () => {
    const tools = [serverTool("bedrock-converse-stream", { systemTool: { name: "nova_grounding" } })];
    expect((await ask({ messages, tools })).body.toolConfig).toEqual(declared);
  });

  test("declares nothing for another model, which gets them as text", async () => {
    const foreign = [{ ...response(searched), model: "another" }];
    const { body } = await ask({ messages: [...HELLO.messages, ...foreign, ...messages.slice(-1)] });
    expect(body).not.toHaveProperty("toolConfig");
    expect(JSON.stringify(body.messages)).toContain("nova_grounding");
  });
});
