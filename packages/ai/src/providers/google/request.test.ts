import { Type } from "@sinclair/typebox";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createResponse } from "../../../test/messages.js";
import { createModel } from "../../../test/models.js";
import { type LocalServer, type SeenRequest, serveResponse } from "../../../test/support/local-response.js";
import { breaksRules } from "../../../test/vendors/check-requests.js";
import { createApiProvider } from "../../driver/create-api-provider.js";
import type { Context } from "../../types/context.js";
import type { AssistantMessage, Message, ToolResultMessage } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { ProviderStreamOptions, SimpleStreamOptions } from "../../types/options.js";
import { USER_AGENT } from "../../version.js";
import { googleAdapter } from "./adapter.js";
import type { GoogleOptions } from "./options.js";

breaksRules(/picture-(data|format)$/, "A few bytes stand in for its pictures.");

const { stream, streamSimple } = createApiProvider(googleAdapter);

const MODEL = createModel("google-generative-ai", { input: ["text", "image"] });
const GOOD = 'data: {"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}\n\n';
const HELLO: Message = { role: "user", content: "Hello", timestamp: 1 };
const IMAGE = { type: "image" as const, data: "aW1n", mimeType: "image/png" };
const INLINE = { inlineData: { mimeType: "image/png", data: "aW1n" } };
const TOOL = { name: "look", description: "Looks.", parameters: Type.Object({ x: Type.Literal("a") }) };
const GEMINI_3_MAP = { off: null, minimal: null, low: "low", medium: "medium", high: "high", xhigh: null, max: null };

let server: LocalServer;
beforeEach(async () => {
  server = await serveResponse({ headers: { "content-type": "text/event-stream" }, body: GOOD });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server[Symbol.asyncDispose]();
});

async function ask(context: Context, options: GoogleOptions = {}, model: Partial<Model> = {}): Promise<SeenRequest> {
  const target = { ...MODEL, baseUrl: `${server.url}/v1beta`, ...model };
  const response = await stream(target, context, { apiKey: "key-1", ...options } as ProviderStreamOptions).result(); // an interface has no index signature
  expect(response.errorMessage).toBeUndefined();
  return server.requests.at(-1) as SeenRequest; // a response without an error had a request
}

async function askSimple(options: SimpleStreamOptions, model: Partial<Model> = {}): Promise<SeenRequest["body"]> {
  const target = { ...MODEL, baseUrl: `${server.url}/v1beta`, ...model };
  await streamSimple(target, { messages: [HELLO], tools: [TOOL] }, { apiKey: "key-1", ...options }).result();
  return server.requests.at(-1)?.body;
}

async function contentsOf(messages: Message[], model: Partial<Model> = {}): Promise<object[]> {
  return (await ask({ messages }, {}, model)).body.contents;
}

function response(content: AssistantMessage["content"], fields: Partial<AssistantMessage> = {}): AssistantMessage {
  return createResponse({ api: MODEL.api, provider: MODEL.provider, model: MODEL.id, content, ...fields });
}

function call(id: string, fields: object = {}): AssistantMessage["content"][number] {
  return { type: "toolCall", id, name: "look", arguments: { x: "a" }, ...fields };
}

function result(id: string, content: ToolResultMessage["content"], isError = false): Message {
  return { role: "toolResult", toolCallId: id, toolName: "look", content, isError, timestamp: 3 };
}

const text = (value: string): { type: "text"; text: string } => ({ type: "text", text: value });

describe("the request", () => {
  test("requests a stream at the model's URL, with the key in a header and our user agent", async () => {
    const { method, path, headers, body } = await ask({ messages: [HELLO] });
    expect(`${method} ${path}`).toBe("POST /v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    expect(headers).toMatchObject({ "x-goog-api-key": "key-1", "user-agent": USER_AGENT });
    expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] });
  });

  test("a model id that already has a `models/` prefix is kept", async () => {
    const { path } = await ask({ messages: [HELLO] }, {}, { id: "tunedModels/mine" });
    expect(path).toBe("/v1beta/tunedModels/mine:streamGenerateContent?alt=sse");
  });

  test("headers of the options override the model's, which override ours", async () => {
    const { headers } = await ask(
      { messages: [HELLO] },
      { headers: { "X-One": "options", "x-goog-api-key": "other" } },
      { headers: { "x-one": "model", "User-Agent": "mine" } },
    );
    expect(headers).toMatchObject({ "x-one": "options", "x-goog-api-key": "other", "user-agent": "mine" });
  });

  test("the key comes from the options, else only from GEMINI_API_KEY", async () => {
    vi.stubEnv("GEMINI_API_KEY", "key-env");
    vi.stubEnv("GOOGLE_API_KEY", "key-of-another");
    vi.stubEnv("GOOGLE_GENAI_USE_VERTEXAI", "true");
    vi.stubEnv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1");
    const warn = vi.spyOn(console, "warn");
    const target = { ...MODEL, baseUrl: `${server.url}/v1beta` };
    await stream(target, { messages: [HELLO] }, {}).result();
    await stream(target, { messages: [HELLO] }, { apiKey: "key-1" }).result();
    expect(server.requests.map(({ headers }) => headers["x-goog-api-key"])).toEqual(["key-env", "key-1"]);
    expect(warn).not.toHaveBeenCalled();
  });

  test("without a key the request fails and nothing is sent", async () => {
    vi.stubEnv("GEMINI_API_KEY", undefined);
    const { errorMessage, error } = await stream({ ...MODEL, baseUrl: server.url }, { messages: [HELLO] }, {}).result();
    expect(errorMessage).toMatch(/^No API key for provider: google\. .*GEMINI_API_KEY/);
    expect(error?.kind).toBe("auth_missing");
    expect(server.requests).toHaveLength(0);
  });

  test("system prompt, temperature, length, and the whole schema of a tool", async () => {
    const { body } = await ask(
      { systemPrompt: "Be brief.\ud800", messages: [HELLO], tools: [TOOL] },
      { temperature: 0, maxTokens: 7, cacheRetention: "long", sessionId: "s1" },
    );
    expect(body).toEqual({
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      systemInstruction: { parts: [{ text: "Be brief." }] },
      generationConfig: { temperature: 0, maxOutputTokens: 7 },
      tools: [
        {
          functionDeclarations: [
            { name: "look", description: "Looks.", parametersJsonSchema: JSON.parse(JSON.stringify(TOOL.parameters)) },
          ],
        },
      ],
    });
  });

  test("onPayload may replace the body, and exactly its result is sent", async () => {
    const replaced = { contents: [], extra: { deep: [1] } };
    const { body } = await ask({ messages: [HELLO] }, { onPayload: () => replaced });
    expect(body).toEqual(replaced);
  });

  test.each([
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [
      { mode: "ANY", allowedFunctionNames: ["look"] },
      { mode: "ANY", allowedFunctionNames: ["look"] },
    ],
  ])("tool choice %j", async (toolChoice, functionCallingConfig) => {
    expect((await askSimple({ toolChoice })).toolConfig).toEqual({ functionCallingConfig });
  });

  test("a tool choice without tools is not sent", async () => {
    expect((await ask({ messages: [HELLO] }, { toolChoice: "any" })).body).not.toHaveProperty("toolConfig");
  });

  test("Claude on Google receives an OpenAPI schema and tool call ids", async () => {
    const schema = {
      type: "object",
      $schema: "x",
      $defs: { a: {} },
      properties: { $id: { type: "string", $comment: "y" } },
    };
    const { body } = await ask(
      {
        messages: [HELLO, response([call("id|1")], { model: "other" }), result("id|1", [text("r")])],
        tools: [{ ...TOOL, parameters: schema as never }],
      },
      {},
      { id: "claude-sonnet-4-5" },
    );
    expect(body.tools[0].functionDeclarations[0].parameters).toEqual({
      type: "object",
      properties: { $id: { type: "string" } },
    });
    expect(body.contents[1].parts[0].functionCall.id).toBe("id_1");
    expect(body.contents[2].parts[0].functionResponse.id).toBe("id_1");
  });
});

describe("thinking", () => {
  const thinking = async (options: SimpleStreamOptions, model: Partial<Model>): Promise<unknown> =>
    (await askSimple(options, model)).generationConfig?.thinkingConfig;

  test.each([
    ["gemini-2.5-flash", undefined, { thinkingBudget: 0 }],
    ["gemini-2.5-flash", "minimal", { includeThoughts: true, thinkingBudget: 128 }],
    ["gemini-2.5-flash", "high", { includeThoughts: true, thinkingBudget: 24576 }],
    ["gemini-2.5-flash-lite", "minimal", { includeThoughts: true, thinkingBudget: 512 }],
    ["gemini-2.5-pro", undefined, { thinkingBudget: 128 }],
    ["gemini-2.5-pro", "high", { includeThoughts: true, thinkingBudget: 32768 }],
    ["gemini-2.5-pro", "xhigh", { includeThoughts: true, thinkingBudget: 32768 }],
    ["gemini-2.0-flash-thinking-exp", "medium", { includeThoughts: true, thinkingBudget: -1 }],
    ["gemini-something", "medium", { includeThoughts: true, thinkingLevel: "MEDIUM" }],
    ["gemini-3-pro-preview", undefined, { thinkingLevel: "LOW" }],
    ["gemini-3-pro-preview", "minimal", { includeThoughts: true, thinkingLevel: "LOW" }],
    ["gemini-3-pro-preview", "medium", { includeThoughts: true, thinkingLevel: "HIGH" }],
    ["gemini-3-flash-preview", undefined, { thinkingLevel: "MINIMAL" }],
    ["gemini-3-flash-preview", "medium", { includeThoughts: true, thinkingLevel: "MEDIUM" }],
    ["gemma-4-31b-it", "low", { includeThoughts: true, thinkingLevel: "MINIMAL" }],
  ] as const)("%s at %s", async (id, reasoning, expected) => {
    expect(await thinking(reasoning ? { reasoning } : {}, { id })).toEqual(expected);
  });

  test.each([
    [undefined, { thinkingLevel: "LOW" }],
    ["minimal", { includeThoughts: true, thinkingLevel: "LOW" }],
    ["medium", { includeThoughts: true, thinkingLevel: "MEDIUM" }],
    ["max", { includeThoughts: true, thinkingLevel: "HIGH" }],
  ] as const)("a model's own level map decides: %s", async (reasoning, expected) => {
    const model = { id: "gemini-4-argon", thinkingLevelMap: GEMINI_3_MAP };
    expect(await thinking(reasoning ? { reasoning } : {}, model)).toEqual(expected);
  });

  test("the caller's budget overrides the default", async () => {
    const options = { reasoning: "low", thinkingBudgets: { low: 99 } } as const;
    expect(await thinking(options, {})).toEqual({ includeThoughts: true, thinkingBudget: 99 });
  });

  test("a model without thinking gets no thinking fields", async () => {
    expect(await thinking({ reasoning: "high" }, { reasoning: false })).toBeUndefined();
  });

  test("the API's own options send no thinking fields by default", async () => {
    expect((await ask({ messages: [HELLO] })).body).not.toHaveProperty("generationConfig");
    const { body } = await ask({ messages: [HELLO] }, { thinking: { enabled: true, budgetTokens: 5 } });
    expect(body.generationConfig.thinkingConfig).toEqual({ includeThoughts: true, thinkingBudget: 5 });
  });
});

describe("the conversation", () => {
  test("user texts and images are sent, blank texts are not", async () => {
    const content = [text("a"), text(" "), IMAGE];
    expect(
      await contentsOf([
        { role: "user", content, timestamp: 1 },
        { role: "user", content: " ", timestamp: 1 },
      ]),
    ).toEqual([{ role: "user", parts: [{ text: "a" }, INLINE] }]);
  });

  test("a message is sent back with its signatures if they are base64", async () => {
    const own = response([
      { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
      { type: "thinking", thinking: "  " },
      { type: "text", text: "a", textSignature: "no base64!" },
      { type: "text", text: " " },
      call("c1", { thoughtSignature: "c2lnMQ==" }),
    ]);
    const contents = await contentsOf([HELLO, own, result("c1", [text("r")])]);
    expect(contents[1]).toEqual({
      role: "model",
      parts: [
        { thought: true, text: "hm", thoughtSignature: "c2ln" },
        { text: "a" },
        { functionCall: { name: "look", args: { x: "a" } }, thoughtSignature: "c2lnMQ==" },
      ],
    });
  });

  test("another model's message is sent without signatures, and its thinking as text", async () => {
    const foreign = response(
      [
        { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
        { type: "text", text: "a", textSignature: "c2ln" },
        call("c1", { thoughtSignature: "c2ln" }),
      ],
      { model: "gemini-2.0" },
    );
    const contents = await contentsOf([HELLO, foreign, result("c1", [text("r")])]);
    expect(contents[1]).toEqual({
      role: "model",
      parts: [{ text: "hm" }, { text: "a" }, { functionCall: { name: "look", args: { x: "a" } } }],
    });
  });

  test("parallel results form one turn, and a failed result is marked as an error", async () => {
    const contents = await contentsOf([
      HELLO,
      response([call("c1"), call("c2")]),
      result("c1", [text("one"), text("two")]),
      result("c2", [text("bad")], true),
      HELLO,
    ]);
    expect(contents.slice(2)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { name: "look", response: { output: "one\ntwo" } } },
          { functionResponse: { name: "look", response: { error: "bad" } } },
        ],
      },
      { role: "user", parts: [{ text: "Hello" }] },
    ]);
  });

  test("newer models accept images inside a result", async () => {
    const contents = await contentsOf([HELLO, response([call("c1")]), result("c1", [IMAGE])], {
      id: "gemini-3-flash-preview",
    });
    expect(contents.slice(2)).toEqual([
      {
        role: "user",
        parts: [{ functionResponse: { name: "look", response: { output: "(see attached image)" }, parts: [INLINE] } }],
      },
    ]);
  });

  test("older models get the images of all results in a turn after them", async () => {
    const contents = await contentsOf([
      HELLO,
      response([call("c1"), call("c2")]),
      result("c1", [text("see"), IMAGE]),
      result("c2", [IMAGE]),
    ]);
    expect(contents.slice(2)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { name: "look", response: { output: "see" } } },
          { functionResponse: { name: "look", response: { output: "(see attached image)" } } },
        ],
      },
      { role: "user", parts: [{ text: "Tool result image:" }, INLINE, INLINE] },
    ]);
  });

  test("an empty result does not mention an image", async () => {
    const contents = await contentsOf([HELLO, response([call("c1")]), result("c1", [])]);
    expect(contents[2]).toEqual({
      role: "user",
      parts: [{ functionResponse: { name: "look", response: { output: "" } } }],
    });
  });

  test("failed messages are omitted, and a tool call without a result gets one", async () => {
    const contents = await contentsOf([
      HELLO,
      response([text("half")], { stopReason: "error" }),
      response([call("c1")]),
      HELLO,
    ]);
    expect(contents.slice(1)).toEqual([
      { role: "model", parts: [{ functionCall: { name: "look", args: { x: "a" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { error: "No result provided" } } }] },
      { role: "user", parts: [{ text: "Hello" }] },
    ]);
  });
});

describe("failures", () => {
  test("an error response keeps the provider's text, without the key", async () => {
    await using refusing = await serveResponse({
      status: 400,
      body: JSON.stringify({
        error: {
          code: 400,
          message: "API key not valid: key-secret-1",
          status: "INVALID_ARGUMENT",
          details: [{ reason: "API_KEY_INVALID" }],
        },
      }),
    });
    const { errorMessage, error } = await stream(
      { ...MODEL, baseUrl: refusing.url },
      { messages: [HELLO] },
      {
        apiKey: "key-secret-1",
      },
    ).result();
    expect(errorMessage).toMatch(
      /^400 API key not valid: \[redacted\] \(provider google, model [^;]+; asked: http:[^?]+\)$/,
    );
    expect(error).toMatchObject({ kind: "auth", status: 400 });
  });

  test("with an aborted signal nothing is sent", async () => {
    const options = { apiKey: "key-1", signal: AbortSignal.abort() };
    const { stopReason } = await stream({ ...MODEL, baseUrl: server.url }, { messages: [HELLO] }, options).result();
    expect(stopReason).toBe("aborted");
    expect(server.requests).toHaveLength(0);
  });

  test("an injected fetch sends the request", async () => {
    const fetch = vi.fn(async () => new Response(GOOD, { headers: { "content-type": "text/event-stream" } }));
    const { content } = await stream(
      { ...MODEL, baseUrl: server.url },
      { messages: [HELLO] },
      {
        apiKey: "key-1",
        fetch,
      },
    ).result();
    expect(content).toEqual([text("ok")]);
    expect(fetch).toHaveBeenCalledOnce();
    expect(server.requests).toHaveLength(0);
  });
});
