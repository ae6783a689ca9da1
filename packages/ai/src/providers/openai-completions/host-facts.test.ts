/** What only a host's row can state: fields of its own for thinking, counts and limits, in both directions. */
import { describe, expect, it } from "vitest";
import { createResponse } from "../../../test/messages.js";
import { checkEvents } from "../../../test/support/check-events.js";
import { plainModel } from "../../../test/support/plain-adapter.js";
import type { CompletionsFlags } from "../../catalogue/compat/host.js";
import { HOSTS } from "../../catalogue/compat/hosts.js";
import { resolveCompletionsFlags } from "../../catalogue/compat/openai-completions.js";
import { AssistantMessageBuilder } from "../../message/assistant-message-builder.js";
import { transformMessages } from "../../request/index.js";
import type { AssistantMessageEvent } from "../../types/event.js";
import type { AssistantMessage } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { DONE } from "../../wire/body-decoder.js";
import { callIdsFor, toWireMessages } from "./messages.js";
import { buildThinking } from "./request-thinking.js";
import { createCompletionsMapping } from "./stream.js";

const ACME: CompletionsFlags = {
  thinkingFormat: { build: ({ on, effort }) => ({ deliberation: on ? effort : "none" }), effort: "never" },
  thinkingIn: "deliberation",
  thinkingBackIn: "previous_deliberation",
  usageOf: (chunk) => (chunk as { meta?: { tokens?: unknown } }).meta?.tokens, // a chunk is an object
};

function read(flags: CompletionsFlags, ...chunks: unknown[]): AssistantMessage {
  const events: AssistantMessageEvent[] = [];
  const builder = new AssistantMessageBuilder({ model: plainModel, emit: (event) => events.push(event) });
  const mapping = createCompletionsMapping("acme", flags);
  for (const chunk of [...chunks, DONE]) mapping(chunk, builder);
  builder.finish();
  return checkEvents(events);
}

const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, ...more }] });

describe("facts of a host", () => {
  it("reads thinking from the host's field, and counts from the host's place", () => {
    const message = read(ACME, delta({ deliberation: "Hm." }), delta({ content: "Yes." }, { finish_reason: "stop" }), {
      choices: [],
      meta: { tokens: { prompt_tokens: 7, completion_tokens: 3 } },
    });
    expect(message.content).toEqual([
      { type: "thinking", thinking: "Hm.", thinkingSignature: "deliberation" },
      { type: "text", text: "Yes." },
    ]);
    expect(message.usage).toMatchObject({ input: 7, output: 3 });
  });

  const counts = { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } };
  const counted = { ...delta({ content: "Yes." }, { finish_reason: "stop" }), usage: counts };

  it("reads cached tokens that a host states beside `usage`", () => {
    const flags: CompletionsFlags = {
      usageOf: (chunk) => {
        const { usage, cached } = chunk as { usage?: object; cached?: number }; // a chunk is an object
        return { ...usage, prompt_tokens_details: { cached_tokens: cached } };
      },
    };
    const usage = { prompt_tokens: 7, completion_tokens: 3 };
    const message = read(flags, { ...delta({ content: "Yes." }, { finish_reason: "stop" }), usage, cached: 5 });
    expect(message.usage).toMatchObject({ input: 2, output: 3, cacheRead: 5 });
  });

  it("reads counts with names of the host's own, and keeps them when a later chunk has none", () => {
    const flags: CompletionsFlags = {
      usageOf: (chunk) => {
        const { stats } = chunk as { stats?: Record<string, unknown> }; // a chunk is an object
        const { in: prompt, out, cached } = stats ?? {};
        return { prompt_tokens: prompt, completion_tokens: out, prompt_tokens_details: { cached_tokens: cached } };
      },
    };
    const text = delta({ content: "Yes." }, { finish_reason: "stop" });
    const message = read(flags, { ...text, stats: { in: 7, out: 3, cached: 5 } }, { choices: [] });
    expect(message.usage).toMatchObject({ input: 2, cacheRead: 5, output: 3, totalTokens: 10 });
    expect(read(flags, counted, { choices: [], stats: { speed: 9 } }).usage).toMatchObject({ input: 2, cacheRead: 5 });
  });

  it.each([{}, { speed: 9 }, { prompt_tokens: "9", completion_tokens: null }])(
    "does not take %j at another host's place for counts",
    (other) => {
      const elsewhere = { choices: [{ index: 0, usage: other }], x_groq: { usage: other } };
      expect(read({}, counted, elsewhere).usage).toMatchObject({ input: 2, cacheRead: 5, output: 3 });
      // Nor does it hide the counts at the next place.
      const behind = { choices: [{ index: 0, delta: {}, usage: counts }], x_groq: { usage: other } };
      expect(read({}, delta({ content: "Yes." }, { finish_reason: "stop" }), behind).usage).toMatchObject({ input: 2 });
    },
  );

  it.each([
    [{}, { reasoning: false }, "system"],
    [{}, { reasoning: true }, "system"],
    [{}, { reasoning: true, compat: { supportsDeveloperRole: true } }, "developer"],
    [{}, { reasoning: true, baseUrl: "https://api.openai.com/v1" }, "developer"],
    [{ systemRole: "developer" }, { reasoning: false, compat: { supportsDeveloperRole: true } }, "developer"],
    [{ systemRole: "developer" }, { reasoning: false, compat: { supportsDeveloperRole: false } }, "system"],
  ] as const)("with %j, sends the system prompt of a model with %j as %s", (facts, fields, role) => {
    const model: Model = { ...plainModel, ...fields };
    const flags: CompletionsFlags = { ...facts, ...resolveCompletionsFlags(model) };
    const [sent] = toWireMessages({ systemPrompt: "You help.", messages: [] }, [], model, flags);
    expect(sent).toEqual({ role, content: "You help." });
  });

  it("reads the common fields, too", () => {
    const message = read(ACME, delta({ reasoning_content: "Hm." }, { finish_reason: "stop" }));
    expect(message.content).toMatchObject([{ thinking: "Hm.", thinkingSignature: "reasoning_content" }]);
  });

  it("does not read another host's field", () => {
    expect(read({}, delta({ deliberation: "Hm.", content: "Yes." }, { finish_reason: "stop" })).content).toEqual([
      { type: "text", text: "Yes." },
    ]);
  });

  it.each(["deliberation", "reasoning_content"])("sends thinking from %s back in the host's field", (field) => {
    const block = { type: "thinking", thinking: "Hm.", thinkingSignature: field } as const;
    const response = createResponse({ content: [block, { type: "text", text: "Yes." }] });
    const [sent] = toWireMessages({ messages: [response] }, [response], plainModel, ACME);
    expect(sent).toEqual({ role: "assistant", content: "Yes.", previous_deliberation: "Hm." });
  });

  it.each([
    ["high", { deliberation: "high" }],
    [undefined, { deliberation: "none" }],
  ] as const)("asks for thinking at the level %s in the host's field", (level, fields) => {
    expect(buildThinking({ ...plainModel, reasoning: true }, level, undefined, ACME)).toEqual(fields);
  });
});

describe("the form of a host's errors and ids", () => {
  const flags: CompletionsFlags = {
    errorOf: (chunk) => (chunk as { problem?: unknown }).problem, // a chunk is an object
    toolCallIds: { pattern: /^[a-z0-9]{9}$/, maxLength: 9 },
  };

  it("reads the error of a chunk where the host puts it, and where others do", () => {
    const problem = { message: "no capacity", code: "overloaded" };
    expect(() => read(flags, delta({ content: "Ye" }), { problem })).toThrow("no capacity");
    expect(() => read(flags, { error: problem })).toThrow("no capacity");
    expect(read(flags, delta({ content: "Yes." }, { finish_reason: "stop" })).stopReason).toBe("stop");
  });

  it("replaces the ids that the host refuses, also those of its own models", () => {
    const call = (id: string) => ({ type: "toolCall" as const, id, name: "look", arguments: {} });
    const response = createResponse({ content: [call("abc123xyz"), call("call_1")], stopReason: "toolUse" });
    const [sent] = transformMessages([response], plainModel, { toolCallIds: callIdsFor(flags) });
    const ids = sent?.role === "assistant" ? sent.content.map((block) => block.type === "toolCall" && block.id) : [];
    expect(ids).toEqual(["abc123xyz", expect.stringMatching(/^[a-z0-9]{9}$/)]);
  });
});

describe("the table", () => {
  const model = (fields: Partial<Model>): Model => ({ ...plainModel, provider: "other", ...fields });

  it("applies a row to the models of its accounts and to those at its addresses", () => {
    for (const fields of [{ provider: "moonshotai-cn" }, { baseUrl: "https://api.moonshot.ai/v1" }]) {
      expect(resolveCompletionsFlags(model(fields))).toMatchObject({ maxTokensField: "max_tokens" });
    }
    expect(resolveCompletionsFlags(model({}))).toMatchObject({ maxTokensField: "max_completion_tokens" });
  });

  it("prefers the facts of some models to those of the host, and the model's own flags to both", () => {
    const kimi = model({ provider: "moonshotai", id: "kimi-k3" });
    expect(resolveCompletionsFlags(kimi)).toMatchObject({ supportsReasoningEffort: true });
    const own: Model = { ...kimi, compat: { supportsReasoningEffort: false } };
    expect(resolveCompletionsFlags(own)).toMatchObject({ supportsReasoningEffort: false });
  });

  it("has one row for each provider", () => {
    const providers = HOSTS.flatMap(({ accounts }) => Object.keys(accounts ?? {}));
    expect(providers).toEqual([...new Set(providers)]);
  });
});
