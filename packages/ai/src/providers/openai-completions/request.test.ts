import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createResponse } from "../../../test/messages.js";
import { type LocalServer, type SeenRequest, serveResponse } from "../../../test/support/local-response.js";
import { createApiProvider } from "../../driver/create-api-provider.js";
import type { OpenAICompletionsCompat, ThinkingFormat } from "../../types/compat.js";
import type { Context } from "../../types/context.js";
import type { AssistantMessage, Message, ToolResultMessage } from "../../types/message.js";
import type { Model, ThinkingLevel } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { PI_AI_VERSION } from "../../version.js";
import { openAICompletionsAdapter } from "./adapter.js";
import type { OpenAICompletionsOptions } from "./options.js";

const provider = createApiProvider(openAICompletionsAdapter as never); // its options are wider than the common ones
let server: LocalServer;
beforeAll(async () => {
  const chunk = { id: "c1", choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }] };
  server = await serveResponse({ body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` });
});
afterAll(() => server[Symbol.asyncDispose]());
afterEach(() => void vi.unstubAllEnvs());

const base: Model<"openai-completions"> = {
  id: "gpt-test",
  name: "GPT",
  api: "openai-completions",
  provider: "custom",
  baseUrl: "",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 16_000,
};

interface Question {
  model?: Partial<Model<"openai-completions">>;
  compat?: OpenAICompletionsCompat;
  context?: Partial<Context>;
  options?: OpenAICompletionsOptions;
  simple?: SimpleStreamOptions;
}

/** The body that the server receives. */
async function ask({ model, compat, context, options, simple }: Question = {}): Promise<SeenRequest> {
  const asked = { ...base, baseUrl: server.url, ...model, ...(compat ? { compat } : {}) };
  const given: Context = { messages: [user("hi")], ...context };
  const common = { apiKey: "sk-test-key", maxRetries: 0 };
  const stream = simple
    ? provider.streamSimple(asked, given, { ...common, ...simple })
    : provider.stream(asked, given, { ...common, ...options } as never);
  const message = await stream.result();
  expect(message.errorMessage).toBeUndefined();
  const seen = server.requests.at(-1);
  if (!seen) throw new Error("Nothing was sent");
  return seen;
}

const bodyOf = async (question: Question) => (await ask(question)).body;
const messagesOf = async (messages: Message[], compat?: OpenAICompletionsCompat, model?: Question["model"]) =>
  (await bodyOf({ context: { messages }, ...(compat ? { compat } : {}), ...(model ? { model } : {}) })).messages;

const own = (...content: AssistantMessage["content"]): AssistantMessage =>
  createResponse({ api: "openai-completions", provider: "custom", model: "gpt-test", content });
const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });
const text = (value: string) => ({ type: "text" as const, text: value });
const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
const wireImage = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const result = (id: string, fields: Partial<ToolResultMessage> = {}): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "edit",
  content: [text(`result ${id}`)],
  isError: false,
  timestamp: 0,
  ...fields,
});
const call = (id: string) => ({ type: "toolCall" as const, id, name: "edit", arguments: { x: 1 } });
const wireCall = (id: string) => ({ id, type: "function", function: { name: "edit", arguments: '{"x":1}' } });
const schema = {
  type: "object",
  properties: { node: { $ref: "#/$defs/node" }, either: { anyOf: [{ type: "string" }, { type: "null" }] } },
  additionalProperties: false,
  $defs: { node: { type: "object" } },
};
const tool = { name: "edit", description: "Edits", parameters: schema as never };

describe("Chat request: body", () => {
  it("requests a stream with usage, and sends no unset option", async () => {
    const { method, path, body } = await ask({ context: { systemPrompt: "Be brief" } });
    expect({ method, path }).toEqual({ method: "POST", path: "/chat/completions" });
    expect(body).toEqual({
      model: "gpt-test",
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      messages: [
        { role: "system", content: "Be brief" },
        { role: "user", content: "hi" },
      ],
    });
  });

  it("sends no limit unless the caller sets one, because servers know their own window better", async () => {
    const body = await bodyOf({ simple: {} });
    expect(body).not.toHaveProperty("max_tokens");
    expect(body).not.toHaveProperty("max_completion_tokens");
  });

  it("sends temperature, limit and tool choice", async () => {
    const tools = [tool];
    const choice = { type: "function" as const, function: { name: "edit" } };
    expect(
      await bodyOf({ context: { tools }, options: { temperature: 0, maxTokens: 77, toolChoice: choice } }),
    ).toMatchObject({ temperature: 0, max_completion_tokens: 77, tool_choice: choice });
    for (const toolChoice of ["auto", "none", "required"])
      expect(await bodyOf({ context: { tools }, simple: { toolChoice } })).toMatchObject({ tool_choice: toolChoice });
    expect(await bodyOf({ simple: { toolChoice: "required" } })).not.toHaveProperty("tool_choice");
  });

  it("sends the whole schema of a tool", async () => {
    expect((await bodyOf({ context: { tools: [tool] } })).tools).toEqual([
      { type: "function", function: { name: "edit", description: "Edits", parameters: schema, strict: false } },
    ]);
  });

  it("sends an empty list of tools only where the server demands it", async () => {
    expect(await bodyOf({ context: { tools: [] } })).not.toHaveProperty("tools");
    const messages = [user("hi"), own(call("a")), result("a")];
    expect(await bodyOf({ context: { messages } })).not.toHaveProperty("tools");
    const { tools } = await bodyOf({ context: { messages }, compat: { requiresToolsWithToolHistory: true } });
    expect(tools).toEqual([]);
  });

  it("lets onPayload read and replace the body", async () => {
    const onPayload = vi.fn(async () => ({ replaced: true }));
    expect(await bodyOf({ options: { onPayload } })).toEqual({ replaced: true });
    expect(onPayload).toHaveBeenCalledWith(expect.objectContaining({ model: "gpt-test" }), expect.anything());
  });
});

describe("Chat request: compatibility flags", () => {
  const context = { systemPrompt: "Be brief", tools: [tool] };

  it.each([
    ["supportsStore", { supportsStore: false }, (body: Record<string, unknown>) => "store" in body, false],
    [
      "supportsUsageInStreaming",
      { supportsUsageInStreaming: false },
      (body: Record<string, unknown>) => "stream_options" in body,
      false,
    ],
    ["zaiToolStream", { zaiToolStream: true }, (body: Record<string, unknown>) => body["tool_stream"], true],
    ["vllmPriority", { vllmPriority: 3 }, (body: Record<string, unknown>) => body["priority"], 3],
    [
      "openRouterRouting",
      { openRouterRouting: { only: ["a"] } },
      (body: Record<string, unknown>) => body["provider"],
      { only: ["a"] },
    ],
    [
      "vercelGatewayRouting",
      { vercelGatewayRouting: { order: ["a"] } },
      (body: Record<string, unknown>) => body["providerOptions"],
      { gateway: { order: ["a"] } },
    ],
    [
      "maxTokensField",
      { maxTokensField: "max_tokens" as const },
      (body: Record<string, unknown>) => body["max_tokens"],
      5,
    ],
  ])("%s", async (_, compat, read, expected) => {
    expect(read(await bodyOf({ context, compat, options: { maxTokens: 5 } }))).toEqual(expected);
  });

  it("supportsStrictMode: no strict key at all", async () => {
    const { tools } = await bodyOf({ context, compat: { supportsStrictMode: false } });
    expect(tools[0].function).not.toHaveProperty("strict");
  });

  it("supportsDeveloperRole: for reasoning models only", async () => {
    const roleOf = async (question: Question): Promise<string> =>
      (await bodyOf({ context, ...question })).messages[0].role;
    const compat = { supportsDeveloperRole: true };
    expect(await roleOf({ model: { reasoning: true }, compat })).toBe("developer");
    expect(await roleOf({ model: { reasoning: false }, compat })).toBe("system");
    expect(await roleOf({ model: { reasoning: true } })).toBe("system");
  });

  it("requiresToolResultName and requiresNonNullAssistantContent", async () => {
    const messages = [user("hi"), own(call("a")), result("a")];
    const sent = await messagesOf(messages, { requiresToolResultName: true, requiresNonNullAssistantContent: true });
    expect(sent[1]).toEqual({ role: "assistant", content: "", tool_calls: [wireCall("a")] });
    expect(sent[2]).toMatchObject({ role: "tool", name: "edit" });
    const plain = await messagesOf(messages);
    expect(plain[1].content).toBeNull();
    expect(plain[2]).not.toHaveProperty("name");
  });

  it("requiresAssistantAfterToolResult", async () => {
    const messages = [user("hi"), own(call("a")), result("a"), user("on")];
    expect((await messagesOf(messages, { requiresAssistantAfterToolResult: true })).slice(2)).toEqual([
      { role: "tool", content: "result a", tool_call_id: "a" },
      { role: "assistant", content: "I have processed the tool results." },
      { role: "user", content: "on" },
    ]);
  });

  it("requiresThinkingAsText, with and without text", async () => {
    const thought = { type: "thinking" as const, thinking: "hm", thinkingSignature: "reasoning_content" };
    const sent = await messagesOf([user("hi"), own(thought, text("yes")), user("on"), own(thought), user("end")], {
      requiresThinkingAsText: true,
    });
    expect(sent[1]).toEqual({ role: "assistant", content: [text("hm"), text("yes")] });
    expect(sent[3]).toEqual({ role: "assistant", content: [text("hm")] });
  });

  it("requiresReasoningContentOnAssistantMessages", async () => {
    const compat = { requiresReasoningContentOnAssistantMessages: true };
    const thought = { type: "thinking" as const, thinking: "hm", thinkingSignature: "reasoning_content" };
    const messages = [user("hi"), own(text("yes")), user("on"), own(thought, text("no")), user("end")];
    const sent = await messagesOf(messages, compat, { reasoning: true });
    expect([sent[1].reasoning_content, sent[3].reasoning_content]).toEqual(["", "hm"]);
    const other = own({ ...thought, thinkingSignature: "reasoning" }, text("no"));
    expect((await messagesOf([user("hi"), other, user("end")], compat, { reasoning: true }))[1]).toMatchObject({
      reasoning: "hm",
      reasoning_content: "",
    });
    expect((await messagesOf(messages, compat))[1]).not.toHaveProperty("reasoning_content");
  });

  it.each([
    ["openai", { session_id: "s1", "x-client-request-id": "s1", "x-session-affinity": "s1" }],
    ["openai-nosession", { "x-client-request-id": "s1", "x-session-affinity": "s1" }],
    ["openrouter", { "x-session-id": "s1", "x-session-affinity": "s1" }],
  ] as const)("sendSessionAffinityHeaders in the format %s", async (sessionAffinityFormat, expected) => {
    const names = ["session_id", "x-client-request-id", "x-session-affinity", "x-session-id"];
    const sent = async (compat: OpenAICompletionsCompat, options: OpenAICompletionsOptions) => {
      const { headers } = await ask({ compat, options });
      return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
    };
    const compat = { sendSessionAffinityHeaders: true, sessionAffinityFormat };
    expect(await sent(compat, { sessionId: "s1" })).toEqual(expected);
    expect(await sent(compat, { sessionId: "s1", cacheRetention: "none" })).toEqual({});
    expect(await sent(compat, {})).toEqual({});
    expect(await sent({ sessionAffinityFormat }, { sessionId: "s1" })).toEqual({});
  });
});

describe("Chat request: conversation", () => {
  it("sends images as data URLs, and a single text as a string", async () => {
    const content = [text("look"), image, text(" ")];
    expect(await messagesOf([{ role: "user", content, timestamp: 0 }, user(" "), user("on")])).toEqual([
      { role: "user", content: [text("look"), wireImage] },
      { role: "user", content: "on" },
    ]);
  });

  it("sends the texts of a message as one string", async () => {
    expect((await messagesOf([user("hi"), own(text("a"), text("b")), user("on")]))[1]).toEqual({
      role: "assistant",
      content: "ab",
    });
  });

  it("omits empty messages", async () => {
    const roles = (await messagesOf([user("hi"), own(), own(text("")), user("on")])).map(
      ({ role }: { role: string }) => role,
    );
    expect(roles).toEqual(["user", "user"]);
  });

  it("sends parallel results one by one, and their images together afterwards", async () => {
    const messages = [
      user("hi"),
      own(call("a"), call("b"), call("c")),
      result("a", { content: [text("one"), text("two"), image] }),
      result("b", { content: [image] }),
      result("c", { content: [] }),
    ];
    expect((await messagesOf(messages)).slice(1)).toEqual([
      { role: "assistant", content: null, tool_calls: [wireCall("a"), wireCall("b"), wireCall("c")] },
      { role: "tool", content: "one\ntwo", tool_call_id: "a" },
      { role: "tool", content: "(see attached image)", tool_call_id: "b" },
      { role: "tool", content: "(no tool output)", tool_call_id: "c" },
      { role: "user", content: [text("Attached image(s) from tool result:"), wireImage, wireImage] },
    ]);
  });

  it("adds results to orphaned tool calls, and omits failed messages", async () => {
    const messages = [user("hi"), { ...own(call("x")), stopReason: "aborted" as const }, own(call("a")), user("on")];
    expect((await messagesOf(messages)).slice(1)).toEqual([
      { role: "assistant", content: null, tool_calls: [wireCall("a")] },
      { role: "tool", content: "No result provided", tool_call_id: "a" },
      { role: "user", content: "on" },
    ]);
  });

  it.each(["reasoning_content", "reasoning", "reasoning_text"])(
    "sends thinking back in the field in which it arrived: %s",
    async (field) => {
      const thoughts = ["one", "two"].map((thinking) => ({
        type: "thinking" as const,
        thinking,
        thinkingSignature: field,
      }));
      expect((await messagesOf([user("hi"), own(...thoughts, text("yes")), user("on")]))[1]).toEqual({
        role: "assistant",
        content: "yes",
        [field]: "one\ntwo",
      });
      const foreign = { ...own(...thoughts, text("yes")), model: "other" };
      expect((await messagesOf([user("hi"), foreign, user("on")]))[1]).toEqual({
        role: "assistant",
        content: "onetwoyes",
      });
    },
  );

  it("sends thinking back as reasoning_content to OpenCode Go, which rejects the field in which it came", async () => {
    const thought = { type: "thinking" as const, thinking: "hm", thinkingSignature: "reasoning" };
    const message = { ...own(thought, text("yes")), provider: "opencode-go" };
    const sent = await messagesOf([user("hi"), message, user("on")], {}, { provider: "opencode-go" });
    expect(sent[1]).toEqual({ role: "assistant", content: "yes", reasoning_content: "hm" });
  });

  it("ignores a signature that names an unknown field", async () => {
    const thought = { type: "thinking" as const, thinking: "hm", thinkingSignature: "__proto__" };
    expect((await messagesOf([user("hi"), own(thought, text("yes")), user("on")]))[1]).toEqual({
      role: "assistant",
      content: "yes",
    });
  });

  it("sends encrypted reasoning back with its tool call, and drops other signatures", async () => {
    const details = { type: "reasoning.encrypted", id: "a", data: "x" };
    const signed = own(
      { ...call("a"), thoughtSignature: JSON.stringify(details) },
      { ...call("b"), thoughtSignature: "base64==" },
    );
    expect((await messagesOf([user("hi"), signed]))[1].reasoning_details).toEqual([details]);
  });

  it("rewrites tool call ids of other models", async () => {
    const id = `call_${"x".repeat(60)}`;
    const foreign = { ...own(call("call_1|fc_/+="), call(id)), model: "other" };
    const [, response, ...results] = await messagesOf([user("hi"), foreign, result("call_1|fc_/+="), result(id)]);
    const ids = response.tool_calls.map((sent: { id: string }) => sent.id);
    expect(ids[0]).toBe("call_1");
    expect(ids[1].length).toBeLessThanOrEqual(40);
    expect(results.map((sent: { tool_call_id: string }) => sent.tool_call_id)).toEqual(ids);
  });

  it("sends no lone surrogates in any field", async () => {
    const half = "a\ud83d";
    const thought = { type: "thinking" as const, thinking: half, thinkingSignature: "reasoning" };
    const messages = [
      user(half),
      own(thought, text(half), { ...call("a"), arguments: { deep: half } }),
      result("a", { content: [text(half)] }),
    ];
    expect(JSON.stringify(await bodyOf({ context: { systemPrompt: half, messages } }))).not.toMatch(/\\ud[89a-f]/);
  });
});

describe("Chat request: cache", () => {
  const keyOf = async (question: Question): Promise<unknown[]> => {
    const body = await bodyOf({ ...question, options: { sessionId: "s1", ...question.options } });
    return [body.prompt_cache_key, body.prompt_cache_options?.ttl];
  };

  it("sends the session to OpenAI itself, and to others only for long retention", async () => {
    expect(await keyOf({})).toEqual([undefined, undefined]);
    expect(await keyOf({ options: { cacheRetention: "long" } })).toEqual(["s1", "30m"]);
    expect(await keyOf({ options: { cacheRetention: "long" }, compat: { supportsLongCacheRetention: false } })).toEqual(
      [undefined, undefined],
    );
    expect(await keyOf({ compat: { promptCacheKeyMode: "enabled" } })).toEqual(["s1", undefined]);
    expect(await keyOf({ compat: { promptCacheKeyMode: "enabled" }, options: { cacheRetention: "none" } })).toEqual([
      undefined,
      undefined,
    ]);
    expect(await keyOf({ compat: { promptCacheKeyMode: "disabled" }, options: { cacheRetention: "long" } })).toEqual([
      undefined,
      "30m",
    ]);
  });

  it("detects OpenAI by its base URL", async () => {
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(String(init?.body));
      return new Response('data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    };
    const model = { ...base, provider: "openai", baseUrl: "https://api.openai.com/v1" };
    const sessionId = `${"🌍".repeat(70)}`;
    await provider.stream(model, { messages: [] }, { apiKey: "k", fetch, sessionId }).result();
    await provider.stream(model, { messages: [] }, { apiKey: "k", fetch, sessionId, cacheRetention: "none" }).result();
    const [key, none] = sent.map((body) => JSON.parse(body).prompt_cache_key);
    expect(key).toBe("🌍".repeat(64));
    expect(none).toBeUndefined();
  });

  it("adds Anthropic's cache marks for routers that forward them", async () => {
    const compat = { cacheControlFormat: "anthropic" as const };
    const context = { systemPrompt: "Be brief", tools: [tool, { ...tool, name: "view" }] };
    const marker = { type: "ephemeral" };
    const body = await bodyOf({ compat, context });
    expect(body.messages).toEqual([
      { role: "system", content: [{ ...text("Be brief"), cache_control: marker }] },
      { role: "user", content: [{ ...text("hi"), cache_control: marker }] },
    ]);
    expect(body.tools.map((sent: Record<string, unknown>) => sent["cache_control"])).toEqual([undefined, marker]);
    const long = await bodyOf({ compat, context, options: { cacheRetention: "long" } });
    expect(long.tools[1].cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
    expect(JSON.stringify(await bodyOf({ compat, context, options: { cacheRetention: "none" } }))).not.toContain(
      "cache_control",
    );
  });
});

describe("Chat request: thinking", () => {
  const FIELDS = [
    "reasoning_effort",
    "reasoning",
    "thinking",
    "enable_thinking",
    "chat_template_kwargs",
    "chat_template_args",
    "budget",
  ];
  const thinking = async (question: Question): Promise<Record<string, unknown>> => {
    const body = await bodyOf({ ...question, model: { reasoning: true, ...question.model } });
    return Object.fromEntries(Object.entries(body).filter(([name]) => FIELDS.includes(name)));
  };

  it.each([
    ["openai", { reasoning_effort: "low" }, {}],
    ["openrouter", { reasoning: { effort: "low" } }, { reasoning: { effort: "none" } }],
    ["deepseek", { thinking: { type: "enabled" }, reasoning_effort: "low" }, { thinking: { type: "disabled" } }],
    ["together", { reasoning: { enabled: true }, reasoning_effort: "low" }, { reasoning: { enabled: false } }],
    [
      "zai",
      { enable_thinking: true, thinking: { type: "enabled", clear_thinking: false } },
      { enable_thinking: false, thinking: { type: "disabled", clear_thinking: false } },
    ],
    ["qwen", { enable_thinking: true }, { enable_thinking: false }],
    [
      "qwen-chat-template",
      { chat_template_kwargs: { enable_thinking: true, preserve_thinking: true } },
      { chat_template_kwargs: { enable_thinking: false, preserve_thinking: true } },
    ],
    [
      "chat-template",
      { chat_template_kwargs: { enable_thinking: true } },
      { chat_template_kwargs: { enable_thinking: false } },
    ],
    [
      "baseten",
      { chat_template_args: { enable_thinking: true }, reasoning_effort: "low" },
      { chat_template_args: { enable_thinking: false } },
    ],
    ["string-thinking", { thinking: "low" }, { thinking: "none" }],
    ["ant-ling", { reasoning: { effort: "low" } }, {}],
    ["unheard-of", { reasoning_effort: "low" }, {}],
  ])("sends the format %s", async (format, on, off) => {
    const compat = { thinkingFormat: format as ThinkingFormat };
    expect(await thinking({ compat, simple: { reasoning: "low" } })).toEqual(on);
    expect(await thinking({ compat, simple: {} })).toEqual(off);
    expect(await thinking({ compat, model: { reasoning: false }, simple: { reasoning: "low" } })).toEqual({});
  });

  it("sends the model's own name for thinking that is off, also beside a template at Baseten", async () => {
    const model = { thinkingLevelMap: { off: "none" } };
    expect(await thinking({ model, simple: {} })).toEqual({ reasoning_effort: "none" });
    expect(await thinking({ model, compat: { thinkingFormat: "baseten" }, simple: {} })).toEqual({
      chat_template_args: { enable_thinking: false },
      reasoning_effort: "none",
    });
  });

  it.each(["minimal", "low", "medium", "high"] as const)(
    "sends the level %s, or the model's own name of it",
    async (reasoning) => {
      expect(await thinking({ simple: { reasoning } })).toEqual({ reasoning_effort: reasoning });
      const model = { thinkingLevelMap: { [reasoning]: "default" } };
      expect(await thinking({ model, simple: { reasoning } })).toEqual({ reasoning_effort: "default" });
    },
  );

  it.each([
    ["xhigh", { xhigh: "xhigh" }, "xhigh"],
    ["xhigh", {}, "high"],
    ["max", { max: "max" }, "max"],
    ["minimal", { minimal: null }, "low"],
    ["high", { high: null }, "medium"],
  ] as const)("clamps %s with the map %j to %s", async (reasoning, thinkingLevelMap, expected) => {
    expect(await thinking({ model: { thinkingLevelMap }, simple: { reasoning: reasoning as ThinkingLevel } })).toEqual({
      reasoning_effort: expected,
    });
  });

  it("turns thinking off with the model's own level, and omits the field if the model always thinks", async () => {
    expect(await thinking({ model: { thinkingLevelMap: { off: "none" } }, simple: {} })).toEqual({
      reasoning_effort: "none",
    });
    for (const thinkingFormat of ["openai", "openrouter", "deepseek", "zai", "qwen"] as const)
      expect(
        await thinking({ model: { thinkingLevelMap: { off: null } }, compat: { thinkingFormat }, simple: {} }),
      ).toEqual({});
    const copilot = { provider: "github-copilot", thinkingLevelMap: { off: "none" } };
    expect(await thinking({ model: copilot, simple: {} })).toEqual({});
  });

  it("respects supportsReasoningEffort", async () => {
    expect(await thinking({ compat: { supportsReasoningEffort: false }, simple: { reasoning: "low" } })).toEqual({});
    const compat = { thinkingFormat: "deepseek" as const, supportsReasoningEffort: false };
    expect(await thinking({ compat, simple: { reasoning: "low" } })).toEqual({ thinking: { type: "enabled" } });
  });

  it("sends a budget if the server has a field for it", async () => {
    const compat = { thinkingTokenBudgetField: "budget" };
    const simple: SimpleStreamOptions = { reasoning: "low", thinkingBudgets: { low: 700 } };
    expect(await thinking({ compat, simple })).toEqual({ reasoning_effort: "low", budget: 700 });
    expect(await thinking({ compat: { ...compat, supportsThinkingTokenBudget: false }, simple })).toEqual({
      reasoning_effort: "low",
    });
    expect(await thinking({ compat, simple: { reasoning: "low" } })).toEqual({ reasoning_effort: "low" });
  });

  it("fills templates with the thinking settings", async () => {
    const chatTemplateKwargs = {
      on: { $var: "thinking.enabled" },
      effort: { $var: "thinking.effort", omitWhenOff: true },
      fixed: { any: 1 },
    };
    const compat = { thinkingFormat: "chat-template" as const, chatTemplateKwargs };
    expect(await thinking({ compat, simple: { reasoning: "low" } })).toEqual({
      chat_template_kwargs: { on: true, effort: "low", fixed: { any: 1 } },
    });
    expect(await thinking({ compat, simple: {} })).toEqual({ chat_template_kwargs: { on: false, fixed: { any: 1 } } });
  });
});

describe("Chat request: headers", () => {
  it("contain the key, and identify only this library", async () => {
    const { headers } = await ask();
    expect(headers).toMatchObject({
      authorization: "Bearer sk-test-key",
      "user-agent": `pi-ai/${PI_AI_VERSION}`,
      "content-type": "application/json",
    });
    expect(headers).not.toHaveProperty("openai-organization");
    expect(headers).not.toHaveProperty("openai-project");
  });

  it("let the caller's override the model's, and both override the library's, ignoring case", async () => {
    const model = { headers: { "User-Agent": "Model/1", "X-One": "model", "x-two": "model" } };
    const { headers } = await ask({ model, options: { headers: { "USER-AGENT": "Caller/1", "x-one": "caller" } } });
    expect(headers).toMatchObject({ "user-agent": "Caller/1", "x-one": "caller", "x-two": "model" });
    expect((await ask({ model })).headers["user-agent"]).toBe("Model/1");
  });

  it("contain GitHub Copilot's headers about the conversation", async () => {
    const model = { provider: "github-copilot", headers: { "Copilot-Integration-Id": "vscode-chat" } };
    const { headers } = await ask({ model });
    expect(headers).toMatchObject({
      "x-initiator": "user",
      "openai-intent": "conversation-edits",
      "copilot-integration-id": "vscode-chat",
    });
    expect(headers).not.toHaveProperty("copilot-vision-request");
    const messages: Message[] = [{ role: "user", content: [image], timestamp: 0 }, own(call("a")), result("a")];
    expect((await ask({ model, context: { messages } })).headers).toMatchObject({
      "x-initiator": "agent",
      "copilot-vision-request": "true",
    });
  });

  it("contain the gateway's own credentials, and the vendor's only if the caller sets them", async () => {
    const model = { provider: "cloudflare-ai-gateway" };
    const { headers } = await ask({ model });
    expect(headers["cf-aig-authorization"]).toBe("Bearer sk-test-key");
    expect(headers).not.toHaveProperty("authorization");
    const options = { headers: { Authorization: "Bearer vendor-key" } };
    expect((await ask({ model, options })).headers.authorization).toBe("Bearer vendor-key");
  });

  it("ignore the SDK's own environment variables", async () => {
    vi.stubEnv("OPENAI_CUSTOM_HEADERS", "X-Leak: secret\nAuthorization: Bearer other");
    vi.stubEnv("OPENAI_API_KEY", "sk-from-environment");
    vi.stubEnv("OPENAI_ADMIN_KEY", "sk-admin-from-environment");
    vi.stubEnv("OPENAI_ORG_ID", "org-from-environment");
    vi.stubEnv("OPENAI_PROJECT_ID", "project-from-environment");
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1");
    const { headers } = await ask();
    expect(headers.authorization).toBe("Bearer sk-test-key");
    expect(headers).not.toHaveProperty("x-leak");
    expect(JSON.stringify(headers)).not.toContain("environment");
  });
});
