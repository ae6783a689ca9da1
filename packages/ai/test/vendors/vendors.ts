/** The vendors whose rules are known: how each reads a request, what it refuses, and in which form it says so. */
import type { Model } from "pi-ai";
import type { Fields } from "../validators/faults.js";
import type { RequestView } from "./request-view.js";
import { type Refusal, type Rule, refusalOf } from "./rule.js";
import { ANTHROPIC_RULES } from "./rules/anthropic/index.js";
import { BEDROCK_RULES } from "./rules/bedrock/index.js";
import { CEREBRAS_RULES } from "./rules/chat-hosts/cerebras.js";
import { FIREWORKS_CHAT_RULES, OPENROUTER_RULES, TOGETHER_RULES } from "./rules/chat-hosts/gateways.js";
import { KIMI_RULES } from "./rules/chat-hosts/kimi.js";
import { DEEPSEEK_RULES, GROQ_RULES, LENIENT_RULES } from "./rules/chat-hosts/others.js";
import { QWEN_RULES } from "./rules/chat-hosts/qwen.js";
import { XAI_RULES } from "./rules/chat-hosts/xai.js";
import { ZAI_RULES } from "./rules/chat-hosts/zai.js";
import { GEMINI_RULES, VERTEX_RULES } from "./rules/gemini/index.js";
import { FIREWORKS_RULES, MINIMAX_RULES } from "./rules/messages-hosts.js";
import { MISTRAL_RULES } from "./rules/mistral.js";
import { OPENAI_CHAT_RULES } from "./rules/openai/chat.js";
import { OPENAI_RESPONSES_RULES } from "./rules/openai/responses.js";
import { readAnthropic } from "./wires/anthropic.js";
import { readBedrock } from "./wires/bedrock.js";
import { readChat } from "./wires/chat.js";
import { readGemini } from "./wires/gemini.js";
import { readResponses } from "./wires/responses.js";

export interface Vendor {
  name: string;
  /** The apis that send requests of this form. */
  apis: readonly string[];
  /** The providers of the catalogue that have these rules. Undefined: all others of the apis. */
  providers?: RegExp;
  read(body: Fields, model: string): RequestView;
  rules: readonly Rule[];
  /** The vendor whose rules they are, without those that are known not to hold here. */
  rulesOf?: string;
  /** A request that it accepts. */
  good: Fields;
  /** The model of `good`. */
  model: string;
  /** The body of an error. */
  error(refusal: Refusal): object;
  errorHeaders?: Readonly<Record<string, string>>;
}

const openAIError = ({ words, at, rule }: Refusal): object => ({
  error: { message: words, type: "invalid_request_error", param: at, code: rule.code ?? null },
});
/** The form of the Messages API, as hosts copy it. */
const messagesError = ({ words }: Refusal): object => ({
  type: "error",
  error: { type: "invalid_request_error", message: words },
});
const geminiError = ({ words, status }: Refusal): object => ({
  error: { code: status, message: words, status: "INVALID_ARGUMENT" },
});

const CHAT = { model: "m", messages: [{ role: "user", content: "Hi" }] };
const RESPONSES = { model: "m", input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }] };
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const responsesRulesOf = (host: string): Rule[] =>
  OPENAI_RESPONSES_RULES.map((rule) => ({ ...rule, id: rule.id.replace("openai-responses", host) }));
/** Gateways to it send more tools, and report no refusal (codex2api#31: it is the gateway's own, 2026-11). */
const CODEX_RULES = responsesRulesOf("codex").filter(({ id }) => id !== "codex/tool-count");

const HELLO = { max_tokens: 9000, messages: [{ role: "user", content: "Hi" }] };

/** Hosts of Chat Completions that answer in OpenAI's form. */
const CHAT_HOSTS: readonly Vendor[] = (
  [
    ["cerebras", /^cerebras$/, CEREBRAS_RULES],
    ["zai", /^zai/, ZAI_RULES],
    ["qwen", /^qwen-token-plan/, QWEN_RULES],
    ["together", /^together$/, TOGETHER_RULES],
    ["fireworks-chat", /^fireworks$/, FIREWORKS_CHAT_RULES],
    ["openrouter", /^openrouter$/, OPENROUTER_RULES],
  ] as const
).map(([name, providers, rules]) => ({
  ...{ name, providers, rules, apis: ["openai-completions"], read: readChat },
  ...{ good: CHAT, model: "m", error: openAIError },
}));

/** Hosts of the Messages API. */
const MESSAGES_HOSTS: readonly Vendor[] = (
  [
    ["minimax", /^minimax/, MINIMAX_RULES],
    ["fireworks", /^fireworks$/, FIREWORKS_RULES],
  ] as const
).map(([name, providers, rules]) => ({
  ...{ name, providers, rules, apis: ["anthropic-messages"], read: readAnthropic },
  ...{ good: HELLO, model: "m", error: messagesError },
}));

/** Those with providers of their own come before the others of an api. */
export const VENDORS: readonly Vendor[] = [
  ...CHAT_HOSTS,
  ...MESSAGES_HOSTS,
  {
    name: "anthropic",
    apis: ["anthropic-messages"],
    providers: /^anthropic$/,
    read: readAnthropic,
    rules: ANTHROPIC_RULES,
    good: { model: "claude-sonnet-4-6", max_tokens: 9000, messages: [{ role: "user", content: "Hi" }] },
    model: "claude-sonnet-4-6",
    error: ({ words }) => ({
      type: "error",
      error: { type: "invalid_request_error", message: words },
      request_id: "req_1",
    }),
  },
  {
    name: "xai",
    apis: ["openai-responses"],
    providers: /^xai$/,
    read: readResponses,
    rules: XAI_RULES,
    good: RESPONSES,
    model: "grok-4",
    error: ({ words }) => ({ code: "Client specified an invalid argument", error: words }),
  },
  {
    name: "openai-responses",
    apis: ["openai-responses"],
    providers: /^openai/,
    read: readResponses,
    rules: OPENAI_RESPONSES_RULES,
    good: RESPONSES,
    model: "m",
    error: openAIError,
  },
  {
    name: "codex",
    rulesOf: "openai-responses",
    apis: ["openai-codex-responses"],
    read: readResponses,
    rules: CODEX_RULES,
    good: RESPONSES,
    model: "m",
    error: openAIError,
  },
  {
    name: "azure",
    apis: ["azure-openai-responses"],
    read: readResponses,
    rules: responsesRulesOf("azure"),
    good: RESPONSES,
    model: "m",
    error: openAIError,
  },
  {
    name: "kimi",
    apis: ["openai-completions"],
    providers: /^(kimi-coding|moonshotai)/,
    read: readChat,
    rules: KIMI_RULES,
    good: CHAT,
    model: "m",
    error: ({ words }) => ({ error: { message: words, type: "invalid_request_error" } }),
  },
  {
    name: "deepseek",
    apis: ["openai-completions"],
    providers: /^deepseek$/,
    read: readChat,
    rules: DEEPSEEK_RULES,
    good: CHAT,
    model: "m",
    error: ({ words }) => ({
      error: { message: words, type: "invalid_request_error", param: null, code: "invalid_request_error" },
    }),
  },
  {
    name: "groq",
    apis: ["openai-completions"],
    providers: /^groq$/,
    read: readChat,
    rules: GROQ_RULES,
    good: CHAT,
    model: "m",
    error: ({ words }) => ({ error: { message: words, type: "invalid_request_error" } }),
  },
  {
    name: "openai-chat",
    apis: ["openai-completions"],
    providers: /^(openai|azure)$/,
    read: readChat,
    rules: OPENAI_CHAT_RULES,
    good: CHAT,
    model: "m",
    error: openAIError,
  },
  {
    name: "lenient",
    apis: ["openai-completions"],
    read: readChat,
    rules: LENIENT_RULES,
    good: CHAT,
    model: "m",
    error: ({ words }) => ({ error: { message: words, code: 400 } }),
  },
  {
    name: "gemini",
    apis: ["google-generative-ai", "google-gemini-cli"],
    read: readGemini,
    rules: GEMINI_RULES,
    good: CONTENTS,
    model: "gemini-3-flash-preview",
    error: geminiError,
  },
  {
    name: "vertex",
    apis: ["google-vertex"],
    read: readGemini,
    rules: VERTEX_RULES,
    good: CONTENTS,
    model: "gemini-3-flash-preview",
    error: geminiError,
  },
  {
    name: "bedrock",
    apis: ["bedrock-converse-stream"],
    read: readBedrock,
    rules: BEDROCK_RULES,
    good: { messages: [{ role: "user", content: [{ text: "Hi" }] }] },
    model: "anthropic.claude-sonnet-4-6",
    error: ({ words }) => ({ message: words }),
    errorHeaders: { "x-amzn-errortype": "ValidationException" },
  },
  {
    name: "mistral",
    apis: ["mistral-conversations"],
    read: readChat,
    rules: MISTRAL_RULES,
    good: CHAT,
    model: "m",
    error: ({ words, rule }) => ({
      object: "error",
      message: words,
      type: "invalid_request_error",
      param: null,
      code: rule.code ?? null,
    }),
  },
];

/** @throws Error if no vendor has this name */
export function vendorNamed(name: string): Vendor {
  const vendor = VENDORS.find((each) => each.name === name);
  if (!vendor) throw new Error(`No vendor is named ${name}`);
  return vendor;
}

/** The vendor that gets a model's requests; undefined for a host whose rules are not known. */
export function vendorOf({ api, provider }: Pick<Model, "api" | "provider">): Vendor | undefined {
  return VENDORS.find(({ apis, providers }) => apis.includes(api) && (providers?.test(provider) ?? true));
}

/** Every rule that a request breaks, the supposed ones too. A body is read as it goes over the wire. */
export function brokenRules(vendor: Vendor, body: unknown, model: string): Refusal[] {
  return [...findBroken(vendor, body, model)];
}

function* findBroken(
  { read, rules }: Pick<Vendor, "read" | "rules">,
  body: unknown,
  model: string,
): Generator<Refusal, undefined> {
  const view = read(JSON.parse(JSON.stringify(body)), model);
  for (const rule of rules) {
    const finding = rule.find(view);
    if (finding) yield refusalOf(rule, finding);
  }
}

/** What the vendor answers; undefined if it accepts the request. */
export function refuse(vendor: Vendor, body: unknown, model: string): Refusal | undefined {
  const rules = vendor.rules.filter(({ certainty }) => certainty !== "supposed");
  const [first] = findBroken({ ...vendor, rules }, body, model);
  return first;
}
