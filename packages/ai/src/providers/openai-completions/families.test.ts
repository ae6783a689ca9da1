/** What the families of models demand in Chat Completions, at every host of the catalogue. */
import { describe, expect, it } from "vitest";
import { createResponse } from "../../../test/messages.js";
import { plainModel } from "../../../test/support/plain-adapter.js";
import { allAccounts } from "../../catalogue/compat/host-rows.js";
import type { RequestNote } from "../../transport/index.js";
import type { AssistantBlock, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { openAICompletionsAdapter } from "./adapter.js";

interface Sent {
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  body: any;
  notes: readonly RequestNote[];
}

const HELLO: Message = { role: "user", content: "Hi", timestamp: 0 };
const TOOL = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
const CALL = { type: "toolCall", id: "c1", name: "look", arguments: {} } as const;

function send(fields: Partial<Model>, options: SimpleStreamOptions = {}, messages: Message[] = [HELLO]): Sent {
  const model: Model = { ...plainModel, api: "openai-completions", provider: "custom", reasoning: true, ...fields };
  const { body, notes = [] } = openAICompletionsAdapter.buildRequest({
    model,
    context: { messages, tools: [TOOL] as never }, // a schema without TypeBox's marks
    options: openAICompletionsAdapter.simpleOptions(model, options),
    apiKey: "key",
    keyIsBearer: false,
  });
  return { body, notes };
}

/** A conversation whose answer came from another model, which shows no thinking. */
function answeredWith(...content: AssistantBlock[]): Message[] {
  const answer = createResponse({ api: "other", provider: "other", model: "other", content });
  const result: Message = {
    role: "toolResult",
    toolCallId: CALL.id,
    toolName: CALL.name,
    content: [{ type: "text", text: "Done" }],
    isError: false,
    timestamp: 0,
  };
  return [HELLO, answer, ...(content.includes(CALL) ? [result] : []), HELLO];
}

/** Providers of Chat Completions, also those that do not serve the model today. */
const HOSTS = [...allAccounts()].flatMap(([provider, { url }]) =>
  typeof url === "string" || url?.["openai-completions"] !== undefined ? [provider] : [],
);
/** These servers refuse the field. */
const STRICT = ["cerebras", "groq"];

describe("thinking that must come back", () => {
  const TEXTS: Readonly<Record<string, string | undefined>> = {
    "kimi-k2-0905-preview": undefined,
    "kimi-k2-thinking": "",
    "kimi-k2.5": " ",
    "moonshotai/Kimi-K2.6": " ",
    "accounts/fireworks/models/kimi-k2p6": " ",
    "kimi-k2.7-code": " ",
    "kimi-k3": "",
    "kimi-k4": "",
    "deepseek-v4-pro": "",
    "deepseek-ai/DeepSeek-V5": "",
    "deepseek-r1": undefined,
    "mimo-v2.5": "",
    "glm-5.3": undefined,
    "qwen3.8-max": undefined,
    "openai/gpt-oss-120b": undefined,
    "llama-3.3-70b": undefined,
  };

  it.each(HOSTS)("%s", (provider) => {
    const messages = answeredWith(CALL);
    const sent = Object.keys(TEXTS).map((id) => [id, send({ provider, id }, {}, messages).body.messages[1]]);
    const texts = sent.map(([id, message]) => [id, message.reasoning_content]);
    const none = Object.fromEntries(Object.keys(TEXTS).map((id) => [id, undefined]));
    expect(Object.fromEntries(texts)).toEqual(STRICT.includes(provider) ? none : TEXTS);
  });

  it("is sent back as it came", () => {
    const thinking = { type: "thinking", thinking: "Hm.", thinkingSignature: "reasoning_content" } as const;
    const own = { api: "openai-completions", provider: "moonshotai", model: "kimi-k2.6" } as const;
    const answer = createResponse({ ...own, content: [thinking, { type: "text", text: "Yes." }] });
    const { body } = send({ provider: "moonshotai", id: "kimi-k2.6" }, {}, [HELLO, answer, HELLO]);
    expect(body.messages[1]).toMatchObject({ reasoning_content: "Hm.", content: "Yes." });
  });

  it.each(STRICT)("%s gets it in the field that it takes", (provider) => {
    const thinking = { type: "thinking", thinking: "Hm.", thinkingSignature: "reasoning_content" } as const;
    const own = { api: "openai-completions", provider, model: "qwen-3.8-27b" } as const;
    const answer = createResponse({ ...own, content: [thinking, { type: "text", text: "Yes." }] });
    const [, sent] = send({ provider, id: "qwen-3.8-27b" }, {}, [HELLO, answer, HELLO]).body.messages;
    expect(sent).toEqual({ role: "assistant", content: "Yes.", reasoning: "Hm." });
  });

  it("is not added for a model that does not think, or if the model's own flag says so", () => {
    const messages = answeredWith(CALL);
    expect(send({ id: "kimi-k3", reasoning: false }, {}, messages).body.messages[1]).not.toHaveProperty(
      "reasoning_content",
    );
    const compat = { requiresReasoningContentOnAssistantMessages: false };
    expect(send({ id: "kimi-k3", compat }, {}, messages).body.messages[1]).not.toHaveProperty("reasoning_content");
  });
});

describe("an answer that holds only thinking", () => {
  const only = (provider: string, id: string): Message[] => {
    const thinking = { type: "thinking", thinking: "Hm.", thinkingSignature: "reasoning_content" } as const;
    const own = { api: "openai-completions", provider, model: id } as const;
    return [HELLO, createResponse({ ...own, content: [thinking] }), HELLO];
  };
  const IDS = [
    "kimi-k3",
    "kimi-k2.6",
    "deepseek-v4-pro",
    "glm-5.3",
    "mimo-v2.5",
    "qwen3.8-max",
    "openai/gpt-oss-120b",
    "x",
  ];

  it.each(HOSTS)("is left out at %s, and no message is empty", (provider) => {
    for (const id of IDS) {
      const { body } = send({ provider, id }, {}, only(provider, id));
      expect(
        body.messages.map(({ role }: { role: string }) => role),
        id,
      ).toEqual(["user", "user"]);
    }
  });

  it("is nothing to send back to a server on this machine if it is empty", () => {
    const fields = { id: "kimi-k2.6", baseUrl: "http://localhost:8080/v1" };
    const { body } = send(fields, {}, [HELLO, createResponse({ content: [] }), HELLO]);
    expect(body.messages).toHaveLength(2);
  });

  it("goes back to a server on this machine, and where the model's own flag says so", () => {
    for (const fields of [
      { baseUrl: "http://localhost:8080/v1" },
      { compat: { supportsThinkingOnlyMessages: true } },
    ]) {
      const { body } = send({ id: "glm-5.3", ...fields }, {}, only("custom", "glm-5.3"));
      expect(body.messages[1]).toEqual({ role: "assistant", content: "", reasoning_content: "Hm." });
    }
  });
});

describe("thinking that cannot be switched off", () => {
  const IDS = [
    "kimi-k2-thinking",
    "kimi-k2.7-code",
    "kimi-k3",
    "kimi-k4",
    "glm-5.3",
    "glm-6",
    "qwen3.8-max",
    "openai/gpt-oss-20b",
    "grok-4.6",
  ];
  const OFF = /"(?:disabled|none)"|"enable_thinking":false|"enabled":false/;

  it.each(HOSTS)("is never asked to be off at %s", (provider) => {
    for (const id of IDS) expect(JSON.stringify(send({ provider, id }).body), id).not.toMatch(OFF);
  });

  it("is switched off where a host has a word for it", () => {
    const thinkingLevelMap = { off: "none" };
    expect(send({ provider: "baseten", id: "moonshotai/Kimi-K3", thinkingLevelMap }).body).toMatchObject({
      reasoning_effort: "none",
    });
  });

  it.each([
    ["kimi-k2.6", { thinking: { type: "disabled" } }],
    ["kimi-k2.5", { thinking: { type: "disabled" } }],
  ])("of %s at Moonshot can be", (id, fields) => {
    expect(send({ provider: "moonshotai", id }).body).toMatchObject(fields);
  });
});

describe("thinking at Moonshot", () => {
  const on = (id: string): object => send({ provider: "moonshotai", id }, { reasoning: "high" }).body;

  it.each([
    ["kimi-k2.5", { type: "enabled" }],
    ["kimi-k2.6", { type: "enabled", keep: "all" }],
    ["kimi-k2.7-code", { type: "enabled" }],
  ])("of %s is asked for without an effort", (id, thinking) => {
    expect(on(id)).toMatchObject({ thinking });
    expect(on(id)).not.toHaveProperty("reasoning_effort");
  });

  it.each(["kimi-k3", "kimi-k4"])("of %s is asked for by an effort alone", (id) => {
    expect(on(id)).toMatchObject({ reasoning_effort: "high" });
    expect(on(id)).not.toHaveProperty("thinking");
  });
});

describe("a forced tool call", () => {
  const DISABLED = [{ type: "thinking_disabled", details: { reason: "forced_tool_choice" } }];
  const RELAXED = [{ type: "tool_choice_relaxed", details: { toolChoice: "required", sent: "auto" } }];
  const forced: SimpleStreamOptions = { toolChoice: "required", reasoning: "high" };

  it.each([
    ["deepseek", "deepseek-v4-pro", { thinking: { type: "disabled" } }],
    ["openrouter", "deepseek/deepseek-v4-pro", { reasoning: { effort: "none" } }],
    ["moonshotai", "kimi-k2.6", { thinking: { type: "disabled" } }],
    ["qwen-token-plan", "qwen3.7-plus", { enable_thinking: false }],
  ])("switches thinking off: %s, %s", (provider, id, fields) => {
    const { body, notes } = send({ provider, id }, forced);
    expect(body).toMatchObject({ ...fields, tool_choice: "required" });
    expect(notes).toEqual(DISABLED);
    expect(send({ provider, id }, { toolChoice: "required" }).notes).toEqual([]);
  });

  it.each([
    ["moonshotai", "kimi-k2.7-code"],
    ["qwen-token-plan", "qwen3.8-max"],
    ["opencode", "deepseek-v4-pro"],
  ])("is relaxed where thinking stays on: %s, %s", (provider, id) => {
    const { body, notes } = send({ provider, id, thinkingLevelMap: { off: null } }, forced);
    expect(body).toMatchObject({ tool_choice: "auto" });
    expect(notes).toEqual(RELAXED);
  });

  it.each([
    ["openai", "gpt-6-sol"],
    ["together", "Qwen/Qwen3.8-27B"],
    ["deepseek", "deepseek-v3.2"],
  ])("is sent as it is: %s, %s", (provider, id) => {
    const { body, notes } = send({ provider, id }, forced);
    expect(body).toMatchObject({ tool_choice: "required" });
    expect(notes).toEqual([]);
  });

  it.each([
    ["zai", "glm-5.2"],
    ["openrouter", "z-ai/glm-5.2"],
  ])("is relaxed, and thinking stays, where no choice but auto is taken: %s, %s", (provider, id) => {
    const { body, notes } = send({ provider, id }, forced);
    expect(body).toMatchObject({ tool_choice: "auto" });
    expect(JSON.stringify(body)).not.toContain("disabled");
    expect(notes).toEqual(RELAXED);
    expect(send({ provider, id }, { toolChoice: "none" }).body).not.toHaveProperty("tools");
  });

  it("is no concern without tools or force", () => {
    for (const toolChoice of ["auto", "none"] as const) {
      expect(send({ provider: "deepseek", id: "deepseek-v4-pro" }, { toolChoice, reasoning: "high" })).toMatchObject({
        body: { tool_choice: toolChoice, thinking: { type: "enabled" } },
        notes: [],
      });
    }
  });
});

describe("z.ai", () => {
  it.each([
    ["glm-4.5-air", undefined],
    ["glm-4.5", undefined],
    ["glm-4.6", true],
    ["glm-5.3", true],
    ["glm-6", true],
  ])("streams the arguments of a tool call of models that can: %s", (id, toolStream) => {
    for (const provider of ["zai", "zai-coding-cn"]) {
      expect(send({ provider, id }).body.tool_stream).toBe(toolStream);
    }
  });

  it("is the only host that is asked for it", () => {
    expect(send({ provider: "nvidia", id: "z-ai/glm-5.2" }).body).not.toHaveProperty("tool_stream");
  });

  it.each([
    ["glm-5.1", undefined],
    ["glm-5.2", "high"],
    ["glm-6", "high"],
  ])("gets an effort for models that take one: %s", (id, effort) => {
    expect(send({ provider: "zai", id }, { reasoning: "high" }).body.reasoning_effort).toBe(effort);
  });
});

describe("the lifetime of OpenAI's cache", () => {
  it.each([
    ["openrouter", "openai/gpt-5.5", { prompt_cache_retention: "24h" }],
    ["openrouter", "openai/gpt-5.6-luna", { prompt_cache_options: { ttl: "30m" } }],
    ["openai", "gpt-7", { prompt_cache_options: { ttl: "30m" } }],
    ["together", "openai/gpt-oss-120b", {}],
  ])("is asked by the field of the model: %s, %s", (provider, id, fields) => {
    const { body } = send({ provider, id }, { cacheRetention: "long" });
    const sent = Object.entries(body).filter(([name]) => /^prompt_cache_(?:options|retention)$/.test(name));
    expect(Object.fromEntries(sent)).toEqual(fields);
  });

  it("is nothing at all where OpenAI can be told so", () => {
    const baseUrl = "https://api.openai.com/v1";
    const { body } = send({ provider: "openai", baseUrl, id: "gpt-6-sol" }, { cacheRetention: "none" });
    expect(body.prompt_cache_options).toEqual({ mode: "explicit" });
    expect(
      send({ provider: "openrouter", id: "openai/gpt-6-sol" }, { cacheRetention: "none" }).body,
    ).not.toHaveProperty("prompt_cache_options");
  });
});
