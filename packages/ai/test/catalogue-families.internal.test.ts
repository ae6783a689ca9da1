/** What a family states holds at every host that serves it: every model of the catalogue is asked. */
import {
  type AssistantMessage,
  getModels,
  getProviders,
  type Message,
  type Model,
  type SimpleStreamOptions,
} from "pi-ai";
import { describe, expect, test } from "vitest";
import { FAMILIES, factsOf, familyOf } from "../src/catalogue/compat/families.js";
import { resolveCompletionsFlags } from "../src/catalogue/compat/openai-completions.js";
import { resolveResponsesFlags } from "../src/catalogue/compat/openai-responses.js";
import { PARTIES } from "./handoff/parties.js";
import { createResponse } from "./messages.js";
import { adapterOf } from "./protocols/adapters.internal.js";

const MODELS: Model[] = getProviders().flatMap((provider) => getModels(provider));
const KNOWN = MODELS.filter((model) => model.reasoning && familyOf(model));
const CHAT = KNOWN.filter(({ api }) => api === "openai-completions");
const OFF = /"type":"disabled"|"enable_thinking":false|"(?:reasoning_effort|effort)":"(?:none|off)"|"enabled":false/;

interface Sent {
  text: string;
  messages: Record<string, unknown>[];
  notes: string[];
}

/** A conversation with a tool call of another model, then an answer. */
function send(model: Model, options: SimpleStreamOptions, messages: Message[] = CONVERSATION): Sent {
  const party = PARTIES.find(({ api }) => api === model.api);
  if (!party) throw new Error(`${model.api} has no adapter`);
  const adapter = adapterOf(party.api);
  const isAzure = model.api === "azure-openai-responses";
  const { body, notes = [] } = adapter.buildRequest({
    model: isAzure ? { ...model, baseUrl: "https://resource.openai.azure.com/openai/v1" } : model,
    context: { messages, tools: [TOOL] as never }, // a schema without TypeBox's marks
    options: adapter.simpleOptions(model, options),
    apiKey: party.apiKey,
    keyIsBearer: false,
  });
  const list: unknown = Object.entries(body as object).find(([name]) => name === "messages")?.[1];
  const names = notes.map(({ type, details }) => `${type} ${details?.["name"] ?? ""}`.trim());
  return { text: JSON.stringify(body), messages: Array.isArray(list) ? list : [], notes: names };
}

const TOOL = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
const OTHER = { api: "other", provider: "other", model: "other" };
const HELLO: Message = { role: "user", content: "Hi", timestamp: 0 };
const CONVERSATION: Message[] = [
  HELLO,
  createResponse({
    ...OTHER,
    content: [{ type: "toolCall", id: "call12345", name: "look", arguments: {} }],
    stopReason: "toolUse",
  }),
  {
    role: "toolResult",
    toolCallId: "call12345",
    toolName: "look",
    content: [{ type: "text", text: "Done" }],
    isError: false,
    timestamp: 0,
  },
];

const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;

describe("every model of a family, at every host of the catalogue", () => {
  test("belongs to a family of the table, which has models of each family", () => {
    const present = new Set(MODELS.map((model) => familyOf(model)?.family));
    expect(FAMILIES.filter(({ family }) => !present.has(family))).toEqual([]);
    expect(KNOWN.length).toBeGreaterThan(900);
  });

  test("which always thinks is not asked to stop, unless its host has a word for that", () => {
    const must = KNOWN.filter(
      (model) => factsOf(model).alwaysThinks && typeof model.thinkingLevelMap?.off !== "string",
    );
    expect(must.length).toBeGreaterThan(200);
    expect(must.filter((model) => OFF.test(send(model, {}).text)).map(nameOf)).toEqual([]);
  });

  test("which refuses a temperature gets none, and the message says so", () => {
    const wrong = KNOWN.filter(({ api }) => api !== "mistral-conversations").filter((model) => {
      const rule = factsOf(model).temperature;
      if (rule === undefined) return false;
      const { text, notes } = send(model, { temperature: 0.5, reasoning: "high" }, [HELLO]);
      const thinks = rule === "refused" || /"(?:thinking|reasoning|reasoning_effort|thinkingConfig)":/.test(text);
      return thinks && (text.includes('"temperature"') || !notes.includes("option_omitted temperature"));
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test("which demands its thinking back gets the field in a message with a tool call of another model", () => {
    const wrong = CHAT.filter((model) => {
      const { requiresReasoningContentOnAssistantMessages: required, missingThinking = "" } = factsOf(model);
      const answer = send(model, { reasoning: "high" }).messages.find(({ role }) => role === "assistant");
      const isFastKimi = model.id === "kimi-for-coding-highspeed"; // its host says that it is K2.7
      const text = required ? (isFastKimi ? " " : missingThinking) : undefined;
      return answer?.["reasoning_content"] !== text;
    });
    expect(wrong.map(nameOf)).toEqual([]);
    expect(CHAT.filter((model) => factsOf(model).requiresReasoningContentOnAssistantMessages).length).toBeGreaterThan(
      80,
    );
  });

  test("gets no message without content after an answer that holds only thinking", () => {
    const wrong = CHAT.filter((model) => {
      const thinking = { type: "thinking", thinking: "Hm.", thinkingSignature: "reasoning_content" } as const;
      const { api, provider, id } = model;
      const answer: AssistantMessage = createResponse({ api, provider, model: id, content: [thinking] });
      return send(model, {}, [HELLO, answer, HELLO]).messages.some(({ role }) => role === "assistant");
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  test("gets the field for the lifetime of the cache that it takes", () => {
    const asked = KNOWN.filter(({ api }) => /^openai-(?:completions|responses)$/.test(api)).map((model) => {
      const { text } = send(model, { cacheRetention: "long", sessionId: "s" });
      const isNew = factsOf(model).cacheLifetimeField === "options";
      return { model, wrong: text.includes(isNew ? '"prompt_cache_retention"' : '"prompt_cache_options"') };
    });
    expect(asked.filter(({ wrong }) => wrong).map(({ model }) => nameOf(model))).toEqual([]);
  });

  test("has its facts in the flags of each api", () => {
    const changed = KNOWN.flatMap((model) => {
      const isChat = model.api === "openai-completions";
      if (!isChat && model.api !== "openai-responses") return [];
      const flags = new Map<string, unknown>(
        Object.entries((isChat ? resolveCompletionsFlags : resolveResponsesFlags)(model)),
      );
      const facts = Object.entries(factsOf(model)).filter(([name, value]) => flags.get(name) !== value);
      return facts.map(([name]) => `${model.provider}: ${name}`);
    });
    // No host of a model of the catalogue changes a fact that its family states. One that does is listed here.
    expect([...new Set(changed)]).toEqual([]);
  });
});
