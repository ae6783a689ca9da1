import { describe, expect, it } from "vitest";
import { PARTIES } from "../../test/handoff/parties.js";
import { createResponse } from "../../test/messages.js";
import { adapterOf } from "../../test/protocols/adapters.internal.js";
import { getModels, getProviders } from "../models.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, Message } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { defaultMaxTokens, planOutput } from "./output-limit.js";

const MODELS: Model[] = getProviders().flatMap((provider) => getModels(provider));
/** The apis whose requests need a limit. */
const LIMITED = ["anthropic-messages", "bedrock-converse-stream"];
const LIMIT = /"(?:max_?(?:output_?|completion_)?tokens)":(\d+)/i;

const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });
const SENTENCE =
  "The settings of each server are kept in one configuration file, which is read when it starts; see `load()`. ";
/** English text. */
const text = (length: number): Message => user(SENTENCE.repeat(Math.ceil(length / SENTENCE.length)));
const answer = (totalTokens: number, more: Partial<AssistantMessage> = {}): AssistantMessage => {
  const { usage, ...message } = createResponse({ content: [{ type: "text", text: "Yes" }] });
  return { ...message, usage: { ...usage, totalTokens }, ...more };
};

/** The limit that a request gets; 0 if it has none. `streamSimple` gets simple options, `stream` none. */
function limitOf(model: Model, context: Context, simple?: SimpleStreamOptions): number {
  const party = PARTIES.find(({ api }) => api === model.api);
  if (!party) throw new Error(`${model.api} has no adapter`);
  const { apiKey } = party;
  const adapter = adapterOf(party.api);
  const isAzure = model.api === "azure-openai-responses";
  const options = simple ? adapter.simpleOptions(model, simple) : {};
  const asked = isAzure ? { ...model, baseUrl: "https://resource.openai.azure.com/openai/v1" } : model;
  const { body } = adapter.buildRequest({ model: asked, context, options, apiKey, keyIsBearer: false });
  return Number(LIMIT.exec(JSON.stringify(body))?.[1] ?? 0);
}

describe.each<[string, SimpleStreamOptions | undefined]>([
  ["stream", undefined],
  ["streamSimple", {}],
  ["streamSimple with thinking", { reasoning: "high" }],
])("the default limit of every model of the catalogue: %s", (_name, options) => {
  it("is none where the wire needs none, and less than the window elsewhere", () => {
    const wrong = MODELS.filter((model) => {
      const limit = limitOf(model, { messages: [user("Hi")] }, options);
      return LIMITED.includes(model.api) ? !(limit > 0 && limit < model.contextWindow) : limit !== 0;
    });
    expect(wrong.map(({ provider, id }) => `${provider}/${id}`)).toEqual([]);
  });

  it("leaves room for a prompt that fills half of the window", () => {
    const wrong = MODELS.flatMap((model) => {
      const small = { ...model, contextWindow: 24_000 };
      const messages = [text(28_000)];
      const left = small.contextWindow - estimateTokens({ messages }, small);
      const limit = LIMITED.includes(model.api) ? limitOf(small, { messages }, options) : 0;
      return limit > left ? [`${model.provider}/${model.id}: ${limit} of ${left}`] : [];
    });
    expect(wrong).toEqual([]);
  });
});

describe("defaultMaxTokens", () => {
  const model = { ...MODELS[0], contextWindow: 200_000, maxTokens: 64_000 } as Model;

  it("is the model's limit while the window has room for it", () => {
    expect(defaultMaxTokens(model, { messages: [user("Hi")] })).toBe(64_000);
    expect(defaultMaxTokens(model, { messages: [] })).toBe(64_000);
    expect(defaultMaxTokens({ ...model, maxTokens: 0 }, { messages: [] })).toBe(4096);
    expect(defaultMaxTokens({ ...model, contextWindow: 0 }, { messages: [text(2_800_000)] })).toBe(64_000);
  });

  it("follows what the provider counted, and what came since", () => {
    const messages = [text(560_000), answer(150_000)];
    expect(defaultMaxTokens(model, { messages: [...messages, user("x".repeat(3000))] })).toBe(45_675);
    const failed = answer(1, { stopReason: "error", content: [] });
    expect(defaultMaxTokens(model, { messages: [...messages, failed, user("x".repeat(3000))] })).toBe(45_674);
  });

  it("does not follow a count from before messages were left out", () => {
    expect(defaultMaxTokens(model, { messages: [user("A summary"), answer(190_000), user("Go on")] })).toBe(64_000);
  });

  it("is never less than a short response, whose request the server may reject as too long", () => {
    expect(defaultMaxTokens(model, { messages: [text(2_800_000)] })).toBe(1024);
    expect(defaultMaxTokens({ ...model, maxTokens: 500 }, { messages: [text(2_800_000)] })).toBe(500);
  });

  it("counts the instructions, the tools, other scripts, images and what a model wrote", () => {
    const counted = (context: Partial<Context>): number =>
      196_875 - defaultMaxTokens({ ...model, maxTokens: 200_000 }, { messages: [], ...context });
    expect(counted({ systemPrompt: "x".repeat(2500) })).toBe(1000);
    const tool = { name: "a", description: "x".repeat(2500), parameters: { type: "object" } as never };
    expect(counted({ tools: [tool] })).toBeGreaterThan(1000);
    expect(counted({ messages: [user("漢".repeat(3000))] })).toBe(3000);
    const image = { type: "image", data: "A".repeat(90_000), mimeType: "image/png" } as const;
    expect(counted({ messages: [{ role: "user", content: [image], timestamp: 0 }] })).toBe(3001);
    const written = { text: "x".repeat(2500), list: [1, null] };
    const call = { type: "toolCall", id: "1", name: "write", arguments: written } as const;
    expect(counted({ messages: [answer(0, { content: [call] })] })).toBeGreaterThan(1000);
  });

  it("ends for a deep structure, and for a transcript without usage", () => {
    let deep: Record<string, unknown> = {};
    for (let index = 0; index < 100_000; index++) deep = { deep };
    const call = { type: "toolCall", id: "1", name: "write", arguments: deep } as const;
    const stored = { ...answer(0, { content: [call] }), usage: undefined } as never; // as old transcripts are
    expect(defaultMaxTokens(model, { messages: [stored] })).toBe(64_000);
  });
});

it("a thinking budget stays below a limit that the window sets; a caller's limit stays", () => {
  const model = { ...MODELS[0], contextWindow: 10_000, maxTokens: 8000 } as Model;
  const context = { messages: [text(2800)] };
  expect(planOutput({ model, context, options: {} }, 4000)).toEqual({ maxTokens: 8000, budget: 4000 });
  const budgetOf = (contextWindow: number): number =>
    planOutput({ model: { ...model, contextWindow }, context, options: {} }, 4000).budget;
  // Few steps: each change of the budget costs the provider's cache.
  expect([7000, 6000, 5000, 4500, 3000].map(budgetOf)).toEqual([4000, 4000, 2000, 2000, 0]);
  expect(planOutput({ model, context, options: {} }, 500).budget).toBe(500);
  const small = { ...model, contextWindow: 5000 };
  const options = { maxTokens: 9000 };
  expect(planOutput({ model: small, context, options }, 8000)).toEqual({ maxTokens: 9000, budget: 8000 });
});

it("a budget stays as it is where it may exceed the limit, so that the cache of the messages holds", () => {
  const tools = [{ name: "look", description: "", parameters: { type: "object" } } as never]; // a schema as JSON
  const budgetOf = (
    id: string,
    more: { tools?: never[]; interleavedThinking?: boolean; contextWindow?: number } = {},
  ) => {
    const { contextWindow = 6000, interleavedThinking } = more;
    const model = { ...MODELS[0], id, contextWindow, maxTokens: 8000 } as Model;
    const context = { messages: [text(2800)], tools: more.tools ?? tools };
    return planOutput({ model, context, options: { interleavedThinking } }, 7000).budget;
  };
  for (const id of ["claude-sonnet-4-5", "claude-sonnet-4-20250514", "us.anthropic.claude-opus-4-1-20250805-v1:0"])
    expect(budgetOf(id)).toBe(7000);
  expect(budgetOf("claude-sonnet-4-5", { contextWindow: 3000 })).toBe(0);
  for (const budget of [
    budgetOf("claude-3-7-sonnet-latest"),
    budgetOf("claude-sonnet-4-5", { tools: [] }),
    budgetOf("claude-sonnet-4-5", { interleavedThinking: false }),
    budgetOf("other"),
  ])
    expect(budget).toBe(3500);
});
