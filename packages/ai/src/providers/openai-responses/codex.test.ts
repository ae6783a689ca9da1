import { Type } from "@sinclair/typebox";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../../../test/support/patience.js";
import {
  type ServerSocket,
  type SocketScript,
  type SocketServer,
  serveSockets,
} from "../../../test/support/socket-server.js";
import { createApiProvider } from "../../driver/create-api-provider.js";
import type { Context } from "../../types/context.js";
import type { AssistantMessage, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { OpenAICodexResponsesOptions } from "./codex.js";
import { createCodexAdapter } from "./codex.js";
import { CodexTransport } from "./codex-transport.js";

const MODEL: Model<"openai-codex-responses"> = {
  id: "gpt-x",
  name: "X",
  api: "openai-codex-responses",
  provider: "openai-codex",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};
const claims = { "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" }, name: "Ünï>?" };
const TOKEN = `head.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sign`;
const HELLO: Message = { role: "user", content: "Hello", timestamp: 1 };
const GOOD_SSE = sse(responseEvents("sse", 0));

let server: SocketServer | undefined;
let transport: CodexTransport;
beforeEach(() => {
  transport = new CodexTransport();
});
afterEach(async () => {
  transport.close();
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});

/** A complete response of one text. */
function responseEvents(text: string, count: number): object[] {
  const item = { type: "message", id: `msg_${count}`, content: [{ type: "output_text", text }] };
  return [
    { type: "response.created", response: { id: `resp_${count}` } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.output_text.delta", output_index: 0, delta: text },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: `resp_${count}`, status: "completed", usage: { input_tokens: 3 } } },
  ];
}

function sse(events: object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

function answering(socket: ServerSocket, count: number): void {
  for (const event of responseEvents("ws", count)) socket.send(event);
}

async function serve(script: SocketScript): Promise<SocketServer> {
  server = await serveSockets({ post: { body: GOOD_SSE }, ...script });
  return server;
}

function ask(
  options: OpenAICodexResponsesOptions = {},
  context: Partial<Context> = {},
  model: Partial<Model> = {},
): Promise<AssistantMessage> {
  const { stream } = createApiProvider(createCodexAdapter(transport));
  const target = { ...MODEL, baseUrl: server?.url ?? "", ...model };
  return stream(target, { messages: [HELLO], ...context }, { apiKey: TOKEN, maxRetries: 0, ...options }).result();
}

const textOf = (message: AssistantMessage): string =>
  message.content.map((block) => (block.type === "text" ? block.text : "")).join("");

describe("over HTTP", () => {
  const sseOnly: OpenAICodexResponsesOptions = { transport: "sse" };

  test("a minimal request", async () => {
    const { posts, connections } = await serve({});
    expect(textOf(await ask(sseOnly))).toBe("sse");
    expect(connections).toEqual([]);
    expect(posts).toHaveLength(1);
    expect(posts[0]?.path).toBe("/codex/responses");
    expect(posts[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      "chatgpt-account-id": "acc-1",
      originator: "pi",
      "openai-beta": "responses=experimental",
      "user-agent": expect.stringMatching(/^pi-ai\//),
    });
    expect(posts[0]?.headers).not.toHaveProperty("session-id");
    expect(posts[0]?.body).toEqual({
      model: "gpt-x",
      store: false,
      stream: true,
      input: [{ role: "user", content: [{ type: "input_text", text: "Hello" }] }],
      text: { verbosity: "low" },
      include: ["reasoning.encrypted_content"],
      tool_choice: "auto",
      parallel_tool_calls: true,
    });
  });

  test("options of the API", async () => {
    const { posts } = await serve({});
    const tools = [{ name: "look", description: "Looks.", parameters: Type.Object({}) }];
    const options: OpenAICodexResponsesOptions = {
      sessionId: "s-1",
      cacheRetention: "none",
      maxTokens: 5,
      temperature: 0,
      serviceTier: "flex",
      textVerbosity: "high",
      toolChoice: "required",
      headers: { Originator: "mine", Authorization: "Bearer other" },
    };
    await ask({ ...sseOnly, ...options }, { systemPrompt: "Be brief.", tools }, { reasoning: false });
    expect(posts[0]?.body).toMatchObject({
      input: [{ role: "developer", content: "Be brief." }, { role: "user" }],
      max_output_tokens: 16,
      prompt_cache_key: "s-1",
      temperature: 0,
      service_tier: "flex",
      text: { verbosity: "high" },
      tool_choice: "required",
      tools: [{ type: "function", name: "look", strict: null }],
    });
    expect(posts[0]?.body).not.toHaveProperty("instructions");
    expect(posts[0]?.headers).toMatchObject({
      "session-id": "s-1",
      "x-client-request-id": "s-1",
      originator: "mine",
      authorization: `Bearer ${TOKEN}`,
    });
  });

  test("a server that takes no limit gets none, and the message says so", async () => {
    const { posts } = await serve({});
    const message = await ask({ ...sseOnly, maxTokens: 50 }, {}, { compat: { supportsMaxOutputTokens: false } });
    expect(posts[0]?.body).not.toHaveProperty("max_output_tokens");
    expect(message.diagnostics).toMatchObject([
      { type: "option_omitted", details: { name: "maxTokens", reason: "no_field_in_api" } },
    ]);
  });

  test.each(["", " \n"])("a blank system prompt (%j) adds no item", async (systemPrompt) => {
    const { posts } = await serve({});
    await ask(sseOnly, { systemPrompt });
    expect(posts[0]?.body.input).toEqual([{ role: "user", content: [{ type: "input_text", text: "Hello" }] }]);
  });

  test.each([
    [{}, undefined],
    [{ reasoningEffort: "low" }, { effort: "low", summary: "auto" }],
    [{ reasoningEffort: "minimal" }, { effort: "renamed", summary: "auto" }],
    [{ reasoningEffort: "none" }, { effort: "none" }],
    [{ reasoningEffort: "xhigh" }, undefined],
    [
      { reasoningEffort: "low", reasoningSummary: "on" },
      { effort: "low", summary: "auto" },
    ],
    [
      { reasoningEffort: "low", reasoningSummary: "concise" },
      { effort: "low", summary: "concise" },
    ],
    [{ reasoningEffort: "low", reasoningSummary: "off" }, { effort: "low" }],
    [{ reasoningEffort: "low", reasoningSummary: null }, { effort: "low" }],
  ] as const)("thinking with %j", async (options, reasoning) => {
    const { posts } = await serve({});
    await ask({ ...sseOnly, ...options }, {}, { thinkingLevelMap: { minimal: "renamed", xhigh: null } });
    expect(posts[0]?.body.reasoning).toEqual(reasoning);
  });

  test("the option reasoning is clamped to the model's levels", async () => {
    const { posts, url } = await serve({});
    const { streamSimple } = createApiProvider(createCodexAdapter(transport));
    const context = { messages: [HELLO] };
    await streamSimple({ ...MODEL, baseUrl: url }, context, { apiKey: TOKEN, ...sseOnly, reasoning: "max" }).result();
    await streamSimple({ ...MODEL, baseUrl: url }, context, { apiKey: TOKEN, ...sseOnly, toolChoice: "none" }).result();
    expect(posts[0]?.body.reasoning).toEqual({ effort: "high", summary: "auto" });
    expect(posts[1]?.body).toMatchObject({ tool_choice: "none" });
    expect(posts[1]?.body).not.toHaveProperty("reasoning");
  });

  test.each([
    [{ off: "none" }, { effort: "none" }],
    [{ off: "minimal" }, { effort: "minimal" }],
    [{ off: null }, undefined],
    [{}, undefined],
  ])("thinking off is sent where the model has a name for it: %j", async (thinkingLevelMap, reasoning) => {
    const { posts, url } = await serve({});
    const { streamSimple } = createApiProvider(createCodexAdapter(transport));
    const model = { ...MODEL, baseUrl: url, thinkingLevelMap };
    await streamSimple(model, { messages: [HELLO] }, { apiKey: TOKEN, ...sseOnly }).result();
    expect(posts[0]?.body.reasoning).toEqual(reasoning);
  });

  test("a session id has at most 64 characters in its headers", async () => {
    const { posts } = await serve({});
    await ask({ ...sseOnly, sessionId: "s".repeat(100) });
    const id = "s".repeat(64);
    expect(posts[0]?.headers).toMatchObject({ "session-id": id, "x-client-request-id": id });
    expect(posts[0]?.headers).not.toHaveProperty("session_id");
    expect(posts[0]?.body.prompt_cache_key).toBe(id);
  });

  test.each(["", "/", "/codex", "/codex/", "/codex/responses"])("a base URL that ends in '%s'", async (end) => {
    const { posts, url } = await serve({});
    await ask(sseOnly, {}, { baseUrl: `${url}/backend${end}` });
    expect(posts[0]?.path).toBe("/backend/codex/responses");
  });

  test.each(["no token", "a.b.c", `a.${btoa("{}")}.c`])("a key without an account (%s) is rejected", async (apiKey) => {
    const { posts } = await serve({});
    const message = await ask({ ...sseOnly, apiKey });
    expect(message).toMatchObject({
      errorMessage: expect.stringMatching(/^Failed to extract accountId from token/),
      error: { kind: "config" },
    });
    expect(posts).toEqual([]);
    const headers = { "ChatGPT-Account-Id": "acc-2" };
    expect(textOf(await ask({ ...sseOnly, apiKey, headers }))).toBe("sse");
    expect(posts[0]?.headers["chatgpt-account-id"]).toBe("acc-2");
  });

  const limit = (more: object): string =>
    JSON.stringify({ error: { type: "usage_limit_reached", message: "Limit", ...more } });

  test.each([
    [429, limit({ plan_type: "Plus" }), /^You have hit your ChatGPT usage limit \(plus plan\)\.$/],
    [403, limit({}), /^You have hit your ChatGPT usage limit\.$/],
    [429, '{"error":{"plan_type":"team"}}', /^You have hit your ChatGPT usage limit \(team plan\)\.$/],
    [429, '{"error":{"code":"slow_down","message":"Slow down"}}', /^429 Slow down$/],
    [400, '{"detail":"Bad"}', /^400 Bad$/],
  ])("status %d with %s", async (status, body, words) => {
    await serve({ post: { status, body } });
    const message = await ask(sseOnly);
    expect(message.errorMessage).toMatch(words);
    expect(message.error?.status).toBe(status);
  });

  test("an exhausted plan reports when to try again, and is not retried", async () => {
    const { posts } = await serve({ post: { status: 429, body: limit({ resets_at: Date.now() / 1000 + 600 }) } });
    const message = await ask({ ...sseOnly, maxRetries: 2 });
    expect(message.errorMessage).toBe("You have hit your ChatGPT usage limit. Try again in ~10 min.");
    expect(message.error).toMatchObject({ kind: "quota", retryAfterMs: expect.closeTo(600_000, -4) });
    expect(posts).toHaveLength(1);
  });
});

describe("over a WebSocket", () => {
  test("a request without a session closes its connection after the response", async () => {
    const socket = await serve({ onMessage: answering });
    const message = await ask();
    expect(message).toMatchObject({ stopReason: "stop", responseId: "resp_0", usage: { input: 3 } });
    expect(message.diagnostics).toBeUndefined();
    expect(socket.posts).toEqual([]);
    expect(socket.messages).toEqual([
      expect.objectContaining({ type: "response.create", model: "gpt-x", stream: true }),
    ]);
    const [headers] = socket.connections;
    expect(headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      "chatgpt-account-id": "acc-1",
      "openai-beta": "responses_websockets=2026-02-06",
      "session-id": expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(headers?.["x-client-request-id"]).toBe(headers?.["session-id"]);
    await eventually(() => expect(socket.open()).toBe(0));
  });

  test("the status and the hooks", async () => {
    const socket = await serve({ onMessage: answering });
    const onResponse = vi.fn();
    await ask({ onResponse, onPayload: (payload) => ({ ...Object(payload), extra: 1 }) });
    expect(onResponse).toHaveBeenCalledWith({ status: 101, headers: {} }, expect.anything());
    expect(socket.messages[0]).toMatchObject({ extra: 1 });
  });

  test("a session keeps its connection; other credentials use another one", async () => {
    const socket = await serve({ onMessage: answering });
    await ask({ sessionId: "s-1" });
    await ask({ sessionId: "s-1" });
    expect(socket.connections).toHaveLength(1);
    expect(socket.connections[0]?.["session-id"]).toBe("s-1");
    await ask({ sessionId: "s-2" });
    await ask({ sessionId: "s-1", headers: { "chatgpt-account-id": "acc-2" } });
    expect(socket.connections).toHaveLength(3);
    await eventually(() => expect(socket.open()).toBe(2));
    transport.close("s-1");
    await eventually(() => expect(socket.open()).toBe(1));
  });

  test("a request does not wait for a connection in use", async () => {
    const waiting: ServerSocket[] = [];
    const socket = await serve({
      onMessage: (from, count) => (count === 0 ? waiting.push(from) : answering(from, count)),
    });
    const first = ask({ sessionId: "s-1" });
    await eventually(() => expect(waiting).toHaveLength(1));
    expect(textOf(await ask({ sessionId: "s-1" }))).toBe("ws");
    for (const from of waiting) answering(from, 0);
    expect(textOf(await first)).toBe("ws");
    expect(socket.connections).toHaveLength(2);
    await eventually(() => expect(socket.open()).toBe(1));
  });

  async function converse(options: OpenAICodexResponsesOptions, change: Partial<Context> = {}): Promise<SocketServer> {
    const socket = await serve({ onMessage: answering });
    const first = await ask({ sessionId: "s-1", ...options });
    const next: Message = { role: "user", content: "Next", timestamp: 2 };
    await ask({ sessionId: "s-1", ...options }, { messages: [HELLO, first, next], ...change });
    expect(socket.connections).toHaveLength(1);
    return socket;
  }

  test.each(["auto", "websocket-cached"] as const)("%s sends only new items", async (mode) => {
    const { messages } = await converse({ transport: mode });
    expect(messages[1]).toMatchObject({
      previous_response_id: "resp_0",
      input: [{ role: "user", content: [{ type: "input_text", text: "Next" }] }],
    });
  });

  test.each([
    ["another transport", { transport: "websocket" }, {}],
    ["no transport named", {}, {}],
    ["other settings", { transport: "auto" }, { systemPrompt: "New" }],
    ["another conversation", { transport: "auto" }, { messages: [{ ...HELLO, content: "Other" }, HELLO, HELLO] }],
    ["a shorter conversation", { transport: "auto" }, { messages: [HELLO] }],
  ] satisfies [string, OpenAICodexResponsesOptions, Partial<Context>][])(
    "%s: the whole conversation is sent",
    async (_name, options, change) => {
      const { messages } = await converse(options, change);
      expect(messages[1]).not.toHaveProperty("previous_response_id");
      expect(messages[1].input.length).toBeGreaterThan(0);
    },
  );

  test.each(["previous_response_not_found", "websocket_connection_limit_reached"])(
    "%s: the whole conversation is sent over a new connection",
    async (code) => {
      const refuseSecond = (from: ServerSocket, count: number): void =>
        count === 1
          ? from.send({ type: "error", status: 400, error: { code, message: "No" } })
          : answering(from, count);
      const socket = await serve({ onMessage: refuseSecond });
      const options = { sessionId: "s-1", transport: "auto" as const };
      const first = await ask(options);
      const second = await ask(options, { messages: [HELLO, first, HELLO] });
      expect(textOf(second)).toBe("ws");
      expect(socket.connections).toHaveLength(2);
      expect(socket.messages[1].previous_response_id).toBe("resp_0");
      expect(socket.messages[2]).not.toHaveProperty("previous_response_id");
    },
  );

  test("a closed idle connection is replaced by a new one", async () => {
    const dieOnSecond = (from: ServerSocket, count: number): void | Promise<void> =>
      count === 1 ? from.destroy() : answering(from, count);
    const socket = await serve({ onMessage: dieOnSecond });
    await ask({ sessionId: "s-1" });
    const second = await ask({ sessionId: "s-1" });
    expect(textOf(second)).toBe("ws");
    expect(second.diagnostics).toBeUndefined();
    expect(socket.connections).toHaveLength(2);
  });

  test("a connection is renewed after 45 minutes, between two requests, never within an answer", async () => {
    const minutes = vi.spyOn(performance, "now");
    onTestFinished(() => minutes.mockRestore());
    const waiting: ServerSocket[] = [];
    const socket = await serve({
      onMessage: (from, count) => (count === 1 ? waiting.push(from) : answering(from, count)),
    });
    const options = { sessionId: "s-1", transport: "auto" as const };
    minutes.mockReturnValue(0);
    const first = await ask(options);
    minutes.mockReturnValue(44 * 60_000);
    const running = ask(options, { messages: [HELLO, first, HELLO] });
    await eventually(() => expect(waiting).toHaveLength(1));
    minutes.mockReturnValue(50 * 60_000);
    for (const from of waiting) answering(from, 1);
    const second = await running;
    expect([textOf(second), socket.connections.length]).toEqual(["ws", 1]);
    const third = await ask(options, { messages: [HELLO, first, HELLO, second, HELLO] });
    expect([textOf(third), third.diagnostics, socket.connections.length]).toEqual(["ws", undefined, 2]);
    expect(socket.messages[2]).not.toHaveProperty("previous_response_id");
    await eventually(() => expect(socket.open()).toBe(1));
  });

  test("an API error does not count as a failure of the connection", async () => {
    const error = { type: "usage_limit_reached", plan_type: "pro", message: "Limit" };
    const socket = await serve({ onMessage: (from) => from.send({ type: "error", status: 429, error }) });
    const message = await ask({ maxRetries: 2 });
    expect(message.errorMessage).toBe("You have hit your ChatGPT usage limit (pro plan).");
    expect(message.error).toEqual({ kind: "quota", status: 429 });
    expect([socket.messages.length, socket.posts.length]).toEqual([1, 0]);
  });

  test("a temporary error is retried", async () => {
    const error = { code: "server_error", message: "Oh" };
    const socket = await serve({
      onMessage: (from, count) => (count === 0 ? from.send({ type: "error", error }) : answering(from, count)),
    });
    expect(textOf(await ask({ maxRetries: 1 }))).toBe("ws");
    expect(socket.messages).toHaveLength(2);
  });

  test("a connection that fails in the middle ends the response, which keeps its content so far", async () => {
    const socket = await serve({
      onMessage: (from) => {
        for (const event of responseEvents("half", 0).slice(0, 3)) from.send(event);
        from.close(1011, "going away");
      },
    });
    const message = await ask({ maxRetries: 2, sessionId: "s-1" });
    expect(message).toMatchObject({ stopReason: "error", errorMessage: "WebSocket closed 1011 going away" });
    expect(textOf(message)).toBe("half");
    expect(message.diagnostics).toMatchObject([
      { type: "provider_transport_failure", details: { eventsEmitted: true, phase: "after_message_stream_start" } },
    ]);
    expect(socket.posts).toEqual([]);
  });

  test("an abort closes the connection and ends the response", async () => {
    const started = Promise.withResolvers<void>();
    const socket = await serve({
      onMessage: (from) => {
        from.send({ type: "response.created", response: {} });
        started.resolve();
      },
    });
    const controller = new AbortController();
    const message = ask({ sessionId: "s-1", signal: controller.signal });
    await started.promise;
    controller.abort();
    expect((await message).stopReason).toBe("aborted");
    await eventually(() => expect(socket.open()).toBe(0));
  });
});

describe("without a usable WebSocket", () => {
  test.each([
    ["auto", { refuse: 426 }],
    ["websocket", { refuse: 403 }],
    ["websocket-cached", { onMessage: (from: ServerSocket) => from.close(1008, "no") }],
    [undefined, { onMessage: (from: ServerSocket) => from.destroy() }],
  ] satisfies [OpenAICodexResponsesOptions["transport"], SocketScript][])(
    "%s falls back to HTTP, with a diagnostic",
    async (mode, script) => {
      const socket = await serve(script);
      const options = { sessionId: "s-1", ...(mode ? { transport: mode } : {}) };
      const message = await ask(options);
      expect(textOf(message)).toBe("sse");
      expect(message.diagnostics).toMatchObject([
        {
          type: "provider_transport_failure",
          error: { name: "NetworkError", message: expect.stringMatching(/^WebSocket/) },
          details: {
            configuredTransport: mode ?? "auto",
            fallbackTransport: "sse",
            eventsEmitted: false,
            phase: "before_message_stream_start",
            requestBytes: expect.any(Number),
          },
        },
      ]);
      const attempts = socket.connections.length;
      const second = await ask(options);
      expect(second.diagnostics).toBeUndefined();
      expect([socket.connections.length, socket.posts.length]).toEqual([attempts, 2]);
    },
  );

  test("the diagnostic is kept if HTTP fails too, and contains no credentials", async () => {
    await serve({ refuse: 401, post: { status: 401, body: '{"error":{"message":"Expired"}}' } });
    const message = await ask();
    expect(message).toMatchObject({
      errorMessage: expect.stringMatching(/^401 Expired \(provider openai-codex, model gpt-x; asked: .*\)$/),
      error: { kind: "auth" },
    });
    expect(message.diagnostics).toHaveLength(1);
    expect(JSON.stringify(message)).not.toContain(TOKEN);
  });

  test("the caller's own fetch is used, unless a transport is set", async () => {
    const socket = await serve({ onMessage: answering });
    const calls: unknown[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      calls.push(input);
      return globalThis.fetch(input, init);
    };
    expect(textOf(await ask({ fetch }))).toBe("sse");
    expect(calls).toHaveLength(1);
    expect(textOf(await ask({ fetch, transport: "websocket" }))).toBe("ws");
    expect(socket.connections).toHaveLength(1);
  });
});
