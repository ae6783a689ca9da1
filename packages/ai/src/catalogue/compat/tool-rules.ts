/** Rules of vendors for the tools of a request: names, and forms of JSON Schema. One row for each difference. */
import type { Model } from "../../types/model.js";
import { type CompatRow, matchesModel } from "./match.js";

/** The names of tools and of calls that a vendor accepts. */
export interface NameRule {
  /** The document or the reports, and their date. */
  source: string;
  /** A name must match it. */
  legal: RegExp;
  /** Each character that cannot stand in a name. */
  illegal: RegExp;
  /** The longest name that is made from an illegal one, in characters. */
  madeLength: number;
  /** Put before a name whose first character cannot stand there. Default `_`. */
  prefix?: string;
}

/** The form of JSON Schema that a vendor accepts for the parameters of a tool that is not strict. */
export interface SchemaDialect {
  /** The document or the reports, and their date. */
  source: string;
  /** The parameters are one object: neither a union nor a reference at their top. */
  plainTop: boolean;
  /** An object must state its properties. */
  statesProperties: boolean;
  /** An array must state its items. */
  statesItems: boolean;
  /** How a list of schemas for single items is written: under `prefixItems`, or as a union under `items`. */
  tuples: "prefixItems" | "union";
  /** `required` may name only properties that the object states. */
  requiresStated: boolean;
  /** The keywords that may stand beside `$ref`. Default: any. */
  besideReference?: readonly string[];
  /** Every schema has a type, none beside a union or a reference, and unions are `anyOf`. */
  typed: boolean;
  /** The name of a property must match it. Default: any name. */
  propertyNames?: RegExp;
  /** Each character that cannot stand in the name of a property. */
  illegalInProperty?: RegExp;
  /** The longest description of a tool, in characters. The rest of a longer one moves into the description of its parameters. */
  descriptionLength?: number;
}

/** The rules of a model's server for the tools of a request. */
export interface ToolRules {
  names: NameRule;
  schema: SchemaDialect;
  /** How many tools a request may have. Default: any number. */
  most?: number;
}

/** The rules of some models of an api. */
export type ToolRow = CompatRow<Partial<ToolRules>>;

/** The rules of a model; undefined for an api that states none. */
export function toolRulesOf(model: Model, rows: readonly ToolRow[] = []): ToolRules | undefined {
  if (rows.length === 0) return undefined;
  const rules: ToolRules = { names: OPENAI_NAMES, schema: ANY_SCHEMA };
  for (const { when, flags } of rows) if (matchesModel(model, when)) Object.assign(rules, flags);
  return rules;
}

const WORD = { illegal: /[^a-zA-Z0-9_-]/gu, madeLength: 64 };

const OPENAI_NAMES: NameRule = {
  ...WORD,
  source: "platform.openai.com, API reference, Create chat completion: tools, 2026-11",
  legal: /^[a-zA-Z0-9_-]{1,64}$/,
};

const ANTHROPIC_NAMES: NameRule = {
  ...WORD,
  source: "platform.claude.com, API reference, Messages: tools.name; the error of the API names 128, 2026-11",
  legal: /^[a-zA-Z0-9_-]{1,128}$/,
};

const GOOGLE_NAMES: NameRule = {
  source: "ai.google.dev, FunctionDeclaration.name; the error says 64 (google-gemini/gemini-cli#6704), 2025-08",
  legal: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
  illegal: /[^a-zA-Z0-9_.-]/gu,
  madeLength: 64,
};

const BEDROCK_NAMES: NameRule = { ...OPENAI_NAMES, source: "Bedrock API reference, ToolSpecification, 2026-11" };
const MISTRAL_NAMES: NameRule = {
  ...OPENAI_NAMES,
  source: "The error of the API, as in Kochava-Studios/witsy#164, 2025-04",
};

const KIMI_NAMES: NameRule = {
  ...WORD,
  source: "The error of the API, as in MoonshotAI/kimi-cli#2531, 2026-07",
  legal: /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
  prefix: "tool_",
};

/** Of a server that reads every form, and of which nothing else is known. */
const ANY_SCHEMA: SchemaDialect = {
  source: "json-schema.org, draft 2020-12",
  plainTop: false,
  statesProperties: false,
  statesItems: false,
  tuples: "prefixItems",
  requiresStated: false,
  typed: false,
};

const OPENAI_SCHEMA: SchemaDialect = {
  ...ANY_SCHEMA,
  source: "The errors of the API, as in spacectl#402, ruflo#1294 and langchainjs#9804, 2026-11",
  plainTop: true,
  statesProperties: true,
  statesItems: true,
  tuples: "union",
};

/** getsentry/sentry-mcp#106 and OpenHands/OpenHands#4838, 2025-04: only Chat Completions states the limit. */
const OPENAI_CHAT_SCHEMA: SchemaDialect = { ...OPENAI_SCHEMA, descriptionLength: 1024 };

const ANTHROPIC_SCHEMA: SchemaDialect = {
  ...ANY_SCHEMA,
  source: "platform.claude.com, Custom tools; anthropics/claude-code#5319, 2026-09",
  plainTop: true,
  propertyNames: /^[a-zA-Z0-9_.-]{1,64}$/,
  illegalInProperty: /[^a-zA-Z0-9_.-]/gu,
};

/** Claude's rules hold on Bedrock, and its other models take a part of JSON Schema. */
const BEDROCK_SCHEMA: SchemaDialect = {
  ...ANTHROPIC_SCHEMA,
  source: "Bedrock API reference, ToolInputSchema, and the errors of Claude on Bedrock, 2026-11",
  statesProperties: true,
  statesItems: true,
  tuples: "union",
};

/** Beside a reference: anomalyco/opencode#12295, 2026-02. Items: DEEIX-AI/DEEIX-Chat#546, 2026-07. */
const GOOGLE_SCHEMA: SchemaDialect = {
  ...ANY_SCHEMA,
  source: "ai.google.dev, FunctionDeclaration: parametersJsonSchema, 2026-11",
  plainTop: true,
  statesItems: true,
  requiresStated: true,
  besideReference: ["description", "default"],
};

const MISTRAL_SCHEMA: SchemaDialect = { ...OPENAI_SCHEMA, source: "docs.mistral.ai, Function calling, 2026-11" };

/**
 * Measured at Kimi Code (MoonshotAI/kimi-code#2661, openJiuwen-ai/jiuwenswarm#3942, 2026-08). Tuples and `required`:
 * vercel/ai#18921, 2026-08. References: anomalyco/opencode#25011.
 */
const KIMI_SCHEMA: SchemaDialect = {
  ...ANY_SCHEMA,
  source: "github.com/MoonshotAI/walle, docs/mfjs-spec.md, 2026-08",
  plainTop: true,
  statesProperties: true,
  requiresStated: true,
  besideReference: [],
  typed: true,
};

/**
 * "JSON Schema not supported: could not understand the instance `{'required': ['criteria']}`" (earendil-works/pi#5352, 2026-06),
 * and `{}` (haris-musa/excel-mcp-server#114, 2026-02).
 */
const FIREWORKS: ToolRow = {
  when: { providers: ["fireworks"], hosts: ["fireworks.ai"] },
  flags: {
    schema: { ...OPENAI_SCHEMA, source: "The error of the API, as in earendil-works/pi#5352, 2026-06", typed: true },
  },
};
/** Hosts that pass requests on refuse what Moonshot does (DashScope: QwenLM/qwen-code#9865; Volcengine: dataelement/Clawith#946, 2026-08). */
const KIMI_ELSEWHERE: ToolRow = { when: { ids: ["kimi-k"] }, flags: { names: KIMI_NAMES, schema: KIMI_SCHEMA } };

const KIMI_CODE: ToolRow = {
  when: { providers: ["kimi-coding"], hosts: ["api.kimi.com"] },
  flags: { names: KIMI_NAMES, schema: KIMI_SCHEMA },
};
/** One report says that this host takes a type beside a union (14790897/MiqroForge-Desktop#1165, 2026-09), others that it does not. */
const MOONSHOT: ToolRow = {
  when: { providers: ["moonshotai", "moonshotai-cn"], hosts: ["api.moonshot."] },
  flags: { names: KIMI_NAMES, schema: KIMI_SCHEMA },
};
/** vishalmysore/Tools4AI#16, 2024-05: "array too long". Groq: HunorLaczko/ha-groq-cloud-api#25. */
const MOST_128: readonly ToolRow[] = [
  { when: { providers: ["openai", "azure", "groq"] }, flags: { most: 128 } },
  { when: { hosts: ["api.openai.com", "openai.azure.com", "api.groq.com"] }, flags: { most: 128 } },
  // anomalyco/opencode#4909 and zed-industries/zed#42393: Copilot's GPT models refuse more, 2025-11.
  { when: { providers: ["github-copilot"], hosts: ["githubcopilot.com"], ids: ["gpt-"] }, flags: { most: 128 } },
  // It passes the request on.
  { when: { hosts: ["openrouter.ai"], ids: ["openai/"] }, flags: { most: 128 } },
];
/** router-for-me/CLIProxyAPI#5214. */
const XAI: ToolRow = { when: { providers: ["xai"], hosts: ["api.x.ai"] }, flags: { most: 200 } };
/** llama.cpp, Ollama, LM Studio, vLLM and SGLang turn a union into a grammar, which a flat object cannot say. */
const LOCAL: ToolRow = { when: { loopback: true }, flags: { schema: ANY_SCHEMA } };

// Most hosts of Chat Completions copy OpenAI's checks, or pass requests on to vendors that have them.
export const COMPLETIONS_TOOL_RULES: readonly ToolRow[] = [
  { when: {}, flags: { schema: OPENAI_SCHEMA } },
  { when: { hosts: ["api.openai.com", "openai.azure.com"] }, flags: { schema: OPENAI_CHAT_SCHEMA } },
  ...MOST_128,
  XAI,
  FIREWORKS,
  KIMI_ELSEWHERE,
  MOONSHOT,
  KIMI_CODE,
  LOCAL,
];

export const RESPONSES_TOOL_RULES: readonly ToolRow[] = [
  { when: {}, flags: { schema: OPENAI_SCHEMA } },
  ...MOST_128,
  XAI,
  LOCAL,
];

export const ANTHROPIC_TOOL_RULES: readonly ToolRow[] = [
  { when: {}, flags: { schema: ANTHROPIC_SCHEMA } },
  { when: { hosts: ["api.anthropic.com"] }, flags: { names: ANTHROPIC_NAMES } },
  FIREWORKS,
  KIMI_ELSEWHERE,
  MOONSHOT,
  KIMI_CODE,
];

export const GOOGLE_TOOL_RULES: readonly ToolRow[] = [
  { when: {}, flags: { names: GOOGLE_NAMES, schema: GOOGLE_SCHEMA } },
];
export const BEDROCK_TOOL_RULES: readonly ToolRow[] = [
  { when: {}, flags: { names: BEDROCK_NAMES, schema: BEDROCK_SCHEMA } },
];
export const MISTRAL_TOOL_RULES: readonly ToolRow[] = [
  { when: {}, flags: { names: MISTRAL_NAMES, schema: MISTRAL_SCHEMA } },
];
