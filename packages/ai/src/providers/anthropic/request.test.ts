import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createResponse } from "../../../test/messages.js";
import { type LocalServer, type SeenRequest, serveResponse } from "../../../test/support/local-response.js";
import { breaksRules } from "../../../test/vendors/check-requests.js";
import { createApiProvider } from "../../driver/create-api-provider.js";
import type { Context } from "../../types/context.js";
import type { AssistantMessage, Message, ToolResultMessage } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { PI_AI_VERSION } from "../../version.js";
import { anthropicAdapter } from "./adapter.js";
import type { AnthropicOptions } from "./options.js";

breaksRules(/picture-(data|format)$/, "A few bytes stand in for its pictures.");

const provider = createApiProvider(anthropicAdapter as never); // its options are wider than the common ones
const events = [
  { type: "message_start", message: { id: "m1", usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: "message_delta", delta: { stop_reason: "end_turn" } },
  { type: "message_stop" },
];
let server: LocalServer;
beforeAll(async () => {
  server = await serveResponse({ body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") });
});
afterAll(() => server[Symbol.asyncDispose]());

const base: Model<"anthropic-messages"> = {
  id: "claude-opus-4-5",
  name: "Claude",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 30_000,
};

interface Question {
  model?: Partial<Model<"anthropic-messages">>;
  context?: Partial<Context>;
  options?: AnthropicOptions;
  simple?: SimpleStreamOptions;
}

/** The body that the server receives. */
async function ask(question: Question = {}): Promise<SeenRequest> {
  return (await exchange(question)).seen;
}

/** The body that the server receives, and the resulting message. */
async function exchange({ model, context, options, simple }: Question): Promise<{
  seen: SeenRequest;
  message: AssistantMessage;
}> {
  const asked = { ...base, baseUrl: server.url, ...model };
  const given: Context = { messages: [{ role: "user", content: "hi", timestamp: 0 }], ...context };
  const common = { apiKey: "sk-ant-api-key", maxRetries: 0 };
  const stream = simple
    ? provider.streamSimple(asked, given, { ...common, ...simple })
    : provider.stream(asked, given, { ...common, ...options } as never);
  const message = await stream.result();
  expect(message.errorMessage).toBeUndefined();
  const seen = server.requests.at(-1);
  if (!seen) throw new Error("Nothing was sent");
  return { seen, message };
}

const own = (...content: AssistantMessage["content"]): AssistantMessage =>
  createResponse({ api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5", content });
const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });
const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
const wireImage = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
const result = (id: string, fields: Partial<ToolResultMessage> = {}): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "edit",
  content: [{ type: "text", text: `result ${id}` }],
  isError: false,
  timestamp: 0,
  ...fields,
});
const call = (id: string) => ({ type: "toolCall" as const, id, name: "edit", arguments: { x: 1 } });
const compaction = {
  type: "compaction" as const,
  text: "So far.",
  signature: '[{"item":{"type":"compaction","content":"So far."}}]',
};
const schema = {
  type: "object",
  properties: { node: { $ref: "#/$defs/node" }, either: { anyOf: [{ type: "string" }, { type: "null" }] } },
  required: ["node"],
  additionalProperties: false,
  $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
  if: { required: ["either"] },
};
const tool = { name: "edit", description: "Edits", parameters: schema as never };
const CACHED = { cache_control: { type: "ephemeral" } };

describe("Anthropic request: body", () => {
  it("requests a stream with the system prompt, and sends no unset option", async () => {
    const { method, path, body } = await ask({ context: { systemPrompt: "Be brief" } });
    expect({ method, path }).toEqual({ method: "POST", path: "/v1/messages" });
    expect(body).toEqual({
      model: "claude-opus-4-5",
      max_tokens: 30_000,
      stream: true,
      system: [{ type: "text", text: "Be brief", ...CACHED }],
      messages: [{ role: "user", content: [{ type: "text", text: "hi", ...CACHED }] }],
    });
  });

  it("omits an empty system prompt, which the API rejects", async () => {
    expect((await ask({ context: { systemPrompt: " \n" } })).body).not.toHaveProperty("system");
  });

  it("sends temperature, limit, user and tool choice", async () => {
    const { body } = await ask({
      context: { tools: [tool] },
      options: {
        temperature: 0.5,
        maxTokens: 77,
        metadata: { user_id: "u1", other: 1 },
        toolChoice: { type: "tool", name: "edit" },
      },
    });
    expect(body).toMatchObject({
      temperature: 0.5,
      max_tokens: 77,
      metadata: { user_id: "u1" },
      tool_choice: { type: "tool", name: "edit" },
    });
    expect((await ask({ options: { metadata: { other: 1 } } })).body).not.toHaveProperty("metadata");
  });

  it.each([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [
      { type: "tool", name: "edit" },
      { type: "tool", name: "edit" },
    ],
  ])("maps the simple tool choice %j", async (toolChoice, expected) => {
    const { body } = await ask({ context: { tools: [tool] }, simple: { toolChoice } });
    expect(body.tool_choice).toEqual(expected);
  });

  it("sends no tool choice without tools", async () => {
    expect((await ask({ simple: { toolChoice: "required" } })).body).not.toHaveProperty("tool_choice");
  });

  it("uses a default limit if the model has none", async () => {
    expect((await ask({ model: { maxTokens: 0 } })).body.max_tokens).toBe(4096);
    expect((await ask({ simple: {} })).body.max_tokens).toBe(30_000);
  });

  it("sends the whole schema of a tool", async () => {
    const { body } = await ask({ context: { tools: [tool, { ...tool, name: "view" }] } });
    expect(body.tools).toEqual([
      { name: "edit", description: "Edits", input_schema: schema, eager_input_streaming: true },
      { name: "view", description: "Edits", input_schema: schema, eager_input_streaming: true, ...CACHED },
    ]);
    expect((await ask({ context: { tools: [] } })).body).not.toHaveProperty("tools");
  });

  it("lets onPayload read and replace the body", async () => {
    const onPayload = vi.fn(() => ({ replaced: true }));
    expect((await ask({ options: { onPayload } })).body).toEqual({ replaced: true });
    expect(onPayload).toHaveBeenCalledWith(expect.objectContaining({ model: "claude-opus-4-5" }), expect.anything());
  });
});

describe("Anthropic request: conversation", () => {
  const sent = async (messages: Message[], model: Question["model"] = {}) =>
    (await ask({ model, context: { messages }, options: { cacheRetention: "none" } })).body.messages;

  it("sends images, and drops blank texts", async () => {
    const content = [{ type: "text" as const, text: " " }, image, { type: "text" as const, text: "look" }];
    expect(await sent([{ role: "user", content, timestamp: 0 }, user("  "), user("more")])).toEqual([
      { role: "user", content: [wireImage, { type: "text", text: "look" }] },
      { role: "user", content: [{ type: "text", text: "more" }] },
    ]);
  });

  it("sends parallel results in one message, with their images and errors", async () => {
    const messages = [
      user("hi"),
      own(call("a"), call("b"), call("c")),
      result("a"),
      result("b", { content: [image] }),
      result("c", { isError: true }),
      user("go on"),
    ];
    expect(await sent(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: ["a", "b", "c"].map((id) => ({ type: "tool_use", id, name: "edit", input: { x: 1 } })),
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "result a", is_error: false },
          {
            type: "tool_result",
            tool_use_id: "b",
            content: [{ type: "text", text: "(see attached image)" }, wireImage],
            is_error: false,
          },
          { type: "tool_result", tool_use_id: "c", content: "result c", is_error: true },
        ],
      },
      { role: "user", content: [{ type: "text", text: "go on" }] },
    ]);
  });

  it("adds results to orphaned tool calls, and omits failed messages", async () => {
    const messages = [user("hi"), { ...own(call("x")), stopReason: "error" as const }, own(call("a")), user("go on")];
    expect(await sent(messages)).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ id: "a" }] },
      { role: "user", content: [{ tool_use_id: "a", is_error: true, content: "No result provided" }] },
      { role: "user" },
    ]);
  });

  it("replays its own thinking, and another model's as text", async () => {
    const thoughts = [
      { type: "thinking" as const, thinking: "signed", thinkingSignature: "sig" },
      { type: "thinking" as const, thinking: "", thinkingSignature: "payload", redacted: true },
      { type: "thinking" as const, thinking: "unsigned" },
      { type: "text" as const, text: "answer" },
    ];
    expect(await sent([user("hi"), own(...thoughts), user("on")])).toMatchObject([
      {},
      {
        content: [
          { type: "thinking", thinking: "signed", signature: "sig" },
          { type: "redacted_thinking", data: "payload" },
          { type: "text", text: "unsigned" },
          { type: "text", text: "answer" },
        ],
      },
      {},
    ]);
    const [, foreign] = await sent([user("hi"), { ...own(...thoughts), model: "other" }, user("on")]);
    expect(foreign.content).toEqual([
      { type: "text", text: "signed" },
      { type: "text", text: "unsigned" },
      { type: "text", text: "answer" },
    ]);
  });

  it("replays unsigned thinking as thinking if the server does not sign thinking", async () => {
    const thought = { type: "thinking" as const, thinking: "hm" };
    const messages = [user("hi"), own(thought, { type: "text", text: "answer" }), user("on")];
    expect((await sent(messages, { compat: { allowEmptySignature: true } }))[1].content[0]).toEqual({
      type: "thinking",
      thinking: "hm",
      signature: "",
    });
  });

  it("rewrites tool call ids of other models", async () => {
    const foreign = { ...own(call("call_1|fc_/+=")), model: "other" };
    const [, response, results] = await sent([user("hi"), foreign, result("call_1|fc_/+=")]);
    expect(response.content[0].id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(results.content[0].tool_use_id).toBe(response.content[0].id);
  });

  it("sends no lone surrogates in any field", async () => {
    const half = "a\ud83d";
    const signed = { type: "thinking" as const, thinking: half, thinkingSignature: "sig" };
    const messages = [
      user(half),
      own(signed, { type: "text", text: half }, { ...call("a"), arguments: { deep: [half] } }),
      result("a", { content: [{ type: "text", text: half }] }),
      user("on"),
    ];
    const { body } = await ask({ context: { systemPrompt: half, messages } });
    expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/);
    // The signature would no longer match the text.
    expect(JSON.stringify(body)).not.toContain("sig");
  });
});

describe("Anthropic request: cache", () => {
  const markers = async (question: Question): Promise<unknown[]> => {
    const { body } = await ask({ context: { systemPrompt: "Be brief", tools: [tool] }, ...question });
    return [body.system[0], body.tools[0], body.messages[0].content[0]].map((block) => block.cache_control);
  };
  const short = { type: "ephemeral" };
  const long = { type: "ephemeral", ttl: "1h" };

  it("marks system prompt, last tool and last user block", async () => {
    expect(await markers({})).toEqual([short, short, short]);
    expect(await markers({ options: { cacheRetention: "short" } })).toEqual([short, short, short]);
    expect(await markers({ options: { cacheRetention: "long" } })).toEqual([long, long, long]);
    expect(await markers({ options: { cacheRetention: "none" } })).toEqual([undefined, undefined, undefined]);
  });

  it("sends only fields that the server supports", async () => {
    const options: AnthropicOptions = { cacheRetention: "long" };
    const compat = { supportsLongCacheRetention: false, supportsCacheControlOnTools: false };
    expect(await markers({ options, model: { compat } })).toEqual([short, undefined, short]);
    expect(await markers({ options, model: { provider: "fireworks" } })).toEqual([short, undefined, short]);
  });
});

describe("Anthropic request: thinking", () => {
  const thinking = async (question: Question): Promise<unknown> => {
    const { body } = await ask(question);
    return { thinking: body.thinking, effort: body.output_config?.effort, max_tokens: body.max_tokens };
  };

  it.each([
    ["minimal", 1024],
    ["low", 2048],
    ["medium", 8192],
    ["high", 16_384],
    ["xhigh", 16_384],
    ["max", 16_384],
  ] as const)("sends a budget for %s: %d", async (reasoning, budget) => {
    expect(await thinking({ simple: { reasoning, maxTokens: 5000 } })).toEqual({
      thinking: { type: "enabled", budget_tokens: budget, display: "summarized" },
      max_tokens: Math.min(5000 + budget, 30_000),
      effort: undefined,
    });
  });

  it("keeps the budget below the limit, and uses the caller's budgets", async () => {
    const small = { maxTokens: 9000 };
    expect(await thinking({ model: small, simple: { reasoning: "high" } })).toMatchObject({
      thinking: { budget_tokens: 9000 - 1024 },
      max_tokens: 9000,
    });
    expect(
      await thinking({ simple: { reasoning: "low", maxTokens: 100, thinkingBudgets: { low: 3000 } } }),
    ).toMatchObject({
      thinking: { budget_tokens: 3000 },
      max_tokens: 3100,
    });
  });

  it.each([
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "xhigh"],
    ["max", "max"],
  ] as const)("sends an effort for %s to models with adaptive thinking: %s", async (reasoning, effort) => {
    const newer = ["claude-opus-4.7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5", "claude-fable-5"];
    for (const id of ["claude-opus-4-6", "anthropic/claude-sonnet-4-6", ...newer])
      expect(await thinking({ model: { id }, simple: { reasoning } })).toEqual({
        thinking: { type: "adaptive", display: "summarized" },
        effort: effort === "xhigh" && !newer.includes(id) ? "max" : effort,
        max_tokens: 30_000,
      });
  });

  it("sends a budget to older model families", async () => {
    for (const id of [
      "claude-opus-4-5",
      "claude-sonnet-4-5-20250929",
      "claude-haiku-4-5",
      "claude-3-5-sonnet-20241022",
    ])
      expect(await thinking({ model: { id }, simple: { reasoning: "low" } })).toMatchObject({
        thinking: { type: "enabled" },
      });
  });

  const forced: Question = { context: { tools: [tool] }, simple: { reasoning: "high", toolChoice: "required" } };

  it.each(["claude-sonnet-4-5", "claude-opus-4-8"])("omits thinking if a tool is forced: %s", async (id) => {
    const { seen, message } = await exchange({ ...forced, model: { id } });
    expect(seen.body).toMatchObject({ thinking: { type: "disabled" }, tool_choice: { type: "any" } });
    expect(message.diagnostics).toMatchObject([
      { type: "thinking_disabled", details: { reason: "forced_tool_choice" } },
    ]);
  });

  it("omits the tool choice for a model that always thinks", async () => {
    const { seen, message } = await exchange({ ...forced, model: { id: "claude-fable-5-1" } });
    expect(seen.body).toMatchObject({ thinking: { type: "adaptive" }, tool_choice: { type: "auto" } });
    expect(message.diagnostics).toMatchObject([
      { type: "tool_choice_relaxed", details: { toolChoice: "any", sent: "auto" } },
    ]);
  });

  it("adds a diagnostic if thinking cannot begin in the middle of a tool loop", async () => {
    const messages = [user("hi"), own(call("a")), result("a")];
    const { message } = await exchange({ context: { messages }, simple: { reasoning: "high" } });
    expect(message.diagnostics).toMatchObject([
      { type: "thinking_disabled", details: { reason: "turn_without_thinking" } },
    ]);
  });

  it("keeps thinking in a tool loop that began with a compaction", async () => {
    const thinking = { type: "thinking" as const, thinking: "Hm.", thinkingSignature: "s" };
    const messages = [user("hi"), own(compaction, thinking, call("a")), result("a")];
    const { seen } = await exchange({ context: { messages }, simple: { reasoning: "high" } });
    expect(seen.body.thinking).toMatchObject({ type: "enabled" });
  });

  it("adds no diagnostic if nothing was omitted", async () => {
    const { message } = await exchange({ ...forced, simple: { reasoning: "high", toolChoice: "auto" } });
    expect(message).not.toHaveProperty("diagnostics");
    const { message: other } = await exchange({ ...forced, simple: { toolChoice: "required" } });
    expect(other).not.toHaveProperty("diagnostics");
  });

  it("uses the model's own name of a level", async () => {
    const model = { compat: { forceAdaptiveThinking: true }, thinkingLevelMap: { xhigh: "xhigh" } };
    expect(await thinking({ model, simple: { reasoning: "xhigh" } })).toMatchObject({ effort: "xhigh" });
  });

  it("turns it off if the model can, and omits the field for a model without thinking", async () => {
    expect(await thinking({ simple: {} })).toMatchObject({ thinking: { type: "disabled" } });
    expect(await thinking({ model: { thinkingLevelMap: { off: null } }, simple: {} })).toMatchObject({
      thinking: undefined,
    });
    expect(await thinking({ model: { reasoning: false }, simple: { reasoning: "high" } })).toMatchObject({
      thinking: undefined,
    });
    expect(await thinking({ options: {} })).toMatchObject({ thinking: undefined });
  });

  it("sends no temperature with thinking, nor to models that reject it", async () => {
    const temperature = 0.3;
    expect((await ask({ simple: { reasoning: "low", temperature } })).body).not.toHaveProperty("temperature");
    expect((await ask({ simple: { temperature } })).body.temperature).toBe(0.3);
    const model = { compat: { supportsTemperature: false } };
    expect((await ask({ model, simple: { temperature } })).body).not.toHaveProperty("temperature");
  });

  it("requests the display that the caller chose", async () => {
    const options: AnthropicOptions = { thinkingEnabled: true, thinkingBudgetTokens: 2000, thinkingDisplay: "omitted" };
    expect(await thinking({ options })).toMatchObject({
      thinking: { type: "enabled", budget_tokens: 2000, display: "omitted" },
    });
  });
});

describe("Anthropic request: headers", () => {
  it("contain the key, and identify only this library", async () => {
    const { headers } = await ask({ context: { tools: [tool] } });
    expect(headers).toMatchObject({
      "x-api-key": "sk-ant-api-key",
      "user-agent": `pi-ai/${PI_AI_VERSION}`,
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "interleaved-thinking-2025-05-14",
      "content-type": "application/json",
    });
    expect(headers).not.toHaveProperty("authorization");
    expect(headers).not.toHaveProperty("x-app");
    expect(JSON.stringify(headers)).not.toMatch(/claude-cli|claude-code/i);
  });

  it("send a login token as a bearer token with the api's beta, without another product's identity prompt", async () => {
    const { headers, body } = await ask({
      context: { systemPrompt: "Be brief", tools: [{ ...tool, name: "read" }] },
      options: { apiKey: "sk-ant-oat01-token" },
    });
    expect(headers).toMatchObject({
      authorization: "Bearer sk-ant-oat01-token",
      "anthropic-beta": "oauth-2025-04-20,interleaved-thinking-2025-05-14",
      "user-agent": `pi-ai/${PI_AI_VERSION}`,
    });
    expect(headers).not.toHaveProperty("x-api-key");
    expect(body.system).toHaveLength(1);
    expect(body.tools[0].name).toBe("read");
  });

  it("send the token of ANTHROPIC_AUTH_TOKEN as a bearer token, to Anthropic only", async () => {
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "auth-token");
    vi.stubEnv("MINIMAX_API_KEY", "minimax-key");
    const own = await ask({ options: { apiKey: "" } });
    const other = await ask({ model: { provider: "minimax" }, options: { apiKey: "" } });
    vi.unstubAllEnvs();
    expect(own.headers).toMatchObject({ authorization: "Bearer auth-token" });
    expect(own.headers).not.toHaveProperty("x-api-key");
    expect(other.headers).toMatchObject({ "x-api-key": "minimax-key" });
    expect(other.headers).not.toHaveProperty("authorization");
  });

  it("let the caller's override the model's, and both override the library's, ignoring case", async () => {
    const model = { headers: { "User-Agent": "Model/1", "X-One": "model", "x-two": "model" } };
    const { headers } = await ask({ model, options: { headers: { "USER-AGENT": "Caller/1", "x-one": "caller" } } });
    expect(headers).toMatchObject({ "user-agent": "Caller/1", "x-one": "caller", "x-two": "model" });
    expect((await ask({ model })).headers["user-agent"]).toBe("Model/1");
  });

  it("request the betas that the model and the tools need", async () => {
    const betaOf = async (question: Question) => (await ask(question)).headers["anthropic-beta"];
    const context = { tools: [tool] };
    const old = { compat: { supportsEagerToolInputStreaming: false } };
    expect(await betaOf({ model: old, context })).toBe(
      "fine-grained-tool-streaming-2025-05-14,interleaved-thinking-2025-05-14",
    );
    expect(await betaOf({ model: old })).toBe("interleaved-thinking-2025-05-14");
    expect(await betaOf({ options: { interleavedThinking: false } })).toBeUndefined();
    expect(await betaOf({ model: { id: "claude-opus-4-6" } })).toBeUndefined();
    expect(await betaOf({ model: { provider: "github-copilot" }, context })).toBe("interleaved-thinking-2025-05-14");
    const messages = [user("hi"), own(compaction), user("more")];
    expect(await betaOf({ context: { messages } })).toBe("interleaved-thinking-2025-05-14,compact-2026-01-12");
    expect(await betaOf({ model: { id: "claude-opus-4-6" }, context: { messages } })).toBeUndefined();
    expect((await ask({ model: old, context })).body.tools[0]).not.toHaveProperty("eager_input_streaming");
  });

  it("contain GitHub Copilot's token and its headers about the conversation", async () => {
    const model = { provider: "github-copilot", headers: { "User-Agent": "GitHubCopilotChat/0.35.0" } };
    const { headers } = await ask({ model, options: { apiKey: "ghu_token" } });
    expect(headers).toMatchObject({
      authorization: "Bearer ghu_token",
      "x-initiator": "user",
      "openai-intent": "conversation-edits",
      "user-agent": "GitHubCopilotChat/0.35.0",
    });
    expect(headers).not.toHaveProperty("x-api-key");
    expect(headers).not.toHaveProperty("copilot-vision-request");
    const messages = [user("hi"), own(call("a")), result("a", { content: [image] })];
    expect((await ask({ model, context: { messages } })).headers).toMatchObject({
      "x-initiator": "agent",
      "copilot-vision-request": "true",
    });
  });

  it("contain the gateway's own credentials, and the vendor's only if the caller sets them", async () => {
    const model = { provider: "cloudflare-ai-gateway" };
    const { headers } = await ask({ model, options: { apiKey: "cf-key", sessionId: "s1" } });
    expect(headers).toMatchObject({ "cf-aig-authorization": "Bearer cf-key", "x-session-affinity": "s1" });
    expect(headers).not.toHaveProperty("x-api-key");
    expect(headers).not.toHaveProperty("authorization");
    const options = { apiKey: "cf-key", headers: { "X-Api-Key": "vendor-key" } };
    expect((await ask({ model, options })).headers["x-api-key"]).toBe("vendor-key");
  });

  it("name the session if the server uses it for routing", async () => {
    const options: AnthropicOptions = { sessionId: "s1" };
    expect((await ask({ options })).headers).not.toHaveProperty("x-session-affinity");
    const model = { compat: { sendSessionAffinityHeaders: true } };
    expect((await ask({ model, options })).headers["x-session-affinity"]).toBe("s1");
    expect((await ask({ model, options: { ...options, cacheRetention: "none" } })).headers).not.toHaveProperty(
      "x-session-affinity",
    );
  });

  it("ignore the SDK's own environment variables", async () => {
    vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", "X-Leak: secret\nAuthorization: Bearer other");
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-from-environment");
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token-from-environment");
    vi.stubEnv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
    const { headers } = await ask({ model: { provider: "minimax" } });
    vi.unstubAllEnvs();
    expect(headers["x-api-key"]).toBe("sk-ant-api-key");
    expect(headers).not.toHaveProperty("x-leak");
    expect(headers).not.toHaveProperty("authorization");
  });

  it("leave the credentials to a client that the caller injected", async () => {
    const post = vi.fn(() => ({ asResponse: async () => new Response(`data: ${JSON.stringify(events[2])}\n\n`) }));
    const model = { ...base, baseUrl: "https://api.test" };
    const stream = provider.stream(model, { messages: [] }, { apiKey: "sk-ant-api-key", client: { post } } as never);
    await stream.result();
    expect(post).toHaveBeenCalledWith(
      "/v1/messages",
      expect.objectContaining({ body: expect.anything(), maxRetries: 0 }),
    );
    expect(JSON.stringify(post.mock.calls)).not.toContain("sk-ant-api-key");
  });
});
