/**
 * How each model can be made to respond with JSON that fits a schema: one row for each vendor and family, and the part of
 * JSON Schema that each vendor accepts.
 */
import type { Model } from "../../types/model.js";
import { type CompatRow, matchesModel } from "./match.js";

/** The schemas that a vendor accepts. Other keywords are omitted from the request, and the change is reported. */
export interface SchemaSubset {
  /** The document and its date. */
  source: string;
  /** Keywords beyond {@link CORE_KEYWORDS}. */
  keywords: readonly string[];
  /** Values of `format`. */
  formats: readonly string[];
  /** The types of values that `enum` and `const` may list. */
  enumTypes: readonly string[];
  /** Objects must forbid other properties, and every value must have a type. */
  closed: boolean;
  /** Every property must be required. An optional property becomes one that may be null. */
  allRequired: boolean;
  /** Whether a schema may refer to itself. */
  recursion: boolean;
  /** The largest `minItems`. */
  largestMinItems: number;
  limits: SchemaLimits;
}

/** The limits on a schema. A missing count means no limit. */
export interface SchemaLimits {
  /** Properties of all objects. */
  properties?: number;
  /** Levels of objects and lists. */
  depth?: number;
  /** Values of all `enum`s. */
  enumValues?: number;
  /** Characters in the names of properties and definitions and in the values of `enum` and `const`. */
  nameCharacters?: number;
  /** Properties that are not required. */
  optional?: number;
  /** Alternatives by `anyOf` or by a list of types. */
  unions?: number;
  /** Characters of the JSON text. */
  characters?: number;
}

/** The keywords that every vendor accepts. */
export const CORE_KEYWORDS: readonly string[] = [
  "$defs",
  "$ref",
  "additionalProperties",
  "anyOf",
  "description",
  "enum",
  "items",
  "properties",
  "required",
  "title",
  "type",
];

const NUMBER_KEYWORDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const LENGTH_KEYWORDS = ["minLength", "maxLength"];
const PRIMITIVES = ["string", "number", "boolean", "null"];
const UNLIMITED: Pick<SchemaSubset, "largestMinItems"> = { largestMinItems: Number.POSITIVE_INFINITY };

const OPENAI_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "platform.openai.com, Structured outputs: Supported schemas, 2026-11",
  keywords: ["const", "format", "pattern", ...NUMBER_KEYWORDS, "minItems", "maxItems"],
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: true,
  recursion: true,
  limits: { properties: 5000, depth: 10, enumValues: 1000, nameCharacters: 120_000 },
};

const AZURE_SUBSET: SchemaSubset = {
  ...OPENAI_SUBSET,
  source: "learn.microsoft.com, Azure OpenAI structured outputs, 2026-11",
  keywords: ["const"],
  formats: [],
  limits: { properties: 100, depth: 5 },
};

const ANTHROPIC_SUBSET: SchemaSubset = {
  source: "platform.claude.com, Structured outputs: JSON Schema limitations, 2026-11",
  keywords: ["const", "default", "format", "minItems"],
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: false,
  largestMinItems: 1,
  limits: { optional: 24, unions: 16 },
};

const BEDROCK_SUBSET: SchemaSubset = {
  ...ANTHROPIC_SUBSET,
  source: "docs.aws.amazon.com, Bedrock user guide, Get validated JSON results from models, 2026-11",
};

const GOOGLE_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "ai.google.dev, Structured outputs: JSON Schema support, 2026-11",
  keywords: ["format", "minimum", "maximum", "prefixItems", "minItems", "maxItems"],
  formats: ["date-time", "date", "time"],
  enumTypes: ["string", "number"],
  closed: false,
  allRequired: false,
  recursion: true,
  limits: {},
};

/** The subset is not documented. The examples close every object. */
const MISTRAL_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "docs.mistral.ai, Custom structured outputs, 2026-11",
  keywords: ["const", "format", "pattern", ...NUMBER_KEYWORDS, ...LENGTH_KEYWORDS, "minItems", "maxItems"],
  formats: OPENAI_SUBSET.formats,
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: true,
  limits: {},
};

/** What llama.cpp turns into a grammar. It ignores the keywords that it cannot enforce, and refuses few. */
const LOCAL_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "github.com/ggml-org/llama.cpp, grammars/README.md: JSON Schemas, 2026-11",
  keywords: ["const", "format", "pattern", ...NUMBER_KEYWORDS, ...LENGTH_KEYWORDS, "minItems", "maxItems"],
  formats: ["date-time", "time", "date", "uuid"],
  enumTypes: PRIMITIVES,
  closed: false,
  allRequired: false,
  recursion: true,
  limits: {},
};

const XAI_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "docs.x.ai, Structured outputs: Supported schemas, 2026-11",
  keywords: ["const", "format", ...NUMBER_KEYWORDS],
  formats: OPENAI_SUBSET.formats,
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: true,
  limits: {},
};

const CEREBRAS_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "inference-docs.cerebras.ai, Structured outputs, 2026-11",
  keywords: ["const", ...NUMBER_KEYWORDS],
  formats: [],
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: false,
  limits: { properties: 500, depth: 10, enumValues: 500, characters: 5000 },
};

export interface OutputRules {
  /** The model has a native mode that enforces a JSON Schema on the text of a streamed response. */
  native: boolean;
  /** The native mode works in a request with tools. */
  nativeWithTools: boolean;
  /** The provider can enforce the schema of a tool (`strict`). */
  strictTools: boolean;
  /** The model can call tools. */
  tools: boolean;
  /** The part of JSON Schema that the native mode and strict tools accept. */
  subset: SchemaSubset;
}

interface OutputRow extends CompatRow<Partial<OutputRules>> {
  /** The apis that the row is for. */
  apis: readonly string[];
}

const DEFAULTS: OutputRules = {
  native: false,
  nativeWithTools: false,
  strictTools: false,
  tools: true,
  subset: OPENAI_SUBSET,
};

const ANTHROPIC = ["anthropic-messages"];
const BEDROCK = ["bedrock-converse-stream"];
const GOOGLE = ["google-generative-ai", "google-vertex", "google-gemini-cli"];
const COMPLETIONS = ["openai-completions"];
const RESPONSES = ["openai-responses", "openai-codex-responses", "azure-openai-responses"];

/** Bedrock user guide, "Get validated JSON results from models": supported models, 2026-11. */
const BEDROCK_OPEN_MODELS = [
  "qwen3",
  "gpt-oss",
  "deepseek-v3",
  "minimax-m2",
  "kimi-k2",
  "nemotron",
  "mistral-large-3",
  "ministral-3",
  "magistral-small",
];
const FULL: Partial<OutputRules> = { native: true, nativeWithTools: true, strictTools: true };
const NONE: Partial<OutputRules> = { native: false, nativeWithTools: false, strictTools: false };

const ROWS: readonly OutputRow[] = [
  { apis: ANTHROPIC, when: {}, flags: { subset: ANTHROPIC_SUBSET } },
  { apis: ANTHROPIC, when: { facts: { structuredOutput: "full" }, ids: ["claude"] }, flags: FULL },
  // The relay to Claude documents neither field (docs.github.com, Copilot, 2026-11).
  { apis: ANTHROPIC, when: { providers: ["github-copilot"], hosts: ["githubcopilot.com"] }, flags: NONE },
  { apis: BEDROCK, when: {}, flags: { subset: BEDROCK_SUBSET } },
  { apis: BEDROCK, when: { ids: BEDROCK_OPEN_MODELS }, flags: FULL },
  { apis: BEDROCK, when: { facts: { structuredOutput: "full", signsThinking: true } }, flags: FULL },
  { apis: GOOGLE, when: {}, flags: { subset: GOOGLE_SUBSET } },
  { apis: GOOGLE, when: { facts: { structuredOutput: "withoutTools" } }, flags: { native: true } },
  {
    apis: GOOGLE,
    when: { facts: { structuredOutput: "full" }, ids: ["gemini"] },
    flags: { native: true, nativeWithTools: true },
  },
  // Neither functions nor JSON output (ai.google.dev, "Gemma on the Gemini API", 2026-11).
  { apis: GOOGLE, when: { ids: ["gemma-3"] }, flags: { tools: false } },
  { apis: ["mistral-conversations"], when: {}, flags: { native: true, strictTools: true, subset: MISTRAL_SUBSET } },
  { apis: ["mistral-conversations"], when: { ids: ["codestral-mamba"] }, flags: { native: false } },
  { apis: RESPONSES, when: {}, flags: FULL },
  { apis: RESPONSES, when: { facts: { structuredOutput: "none" } }, flags: NONE },
  { apis: ["azure-openai-responses"], when: {}, flags: { subset: AZURE_SUBSET } },
  { apis: COMPLETIONS, when: { hosts: ["api.openai.com"] }, flags: FULL },
  { apis: COMPLETIONS, when: { hosts: ["api.openai.com"], facts: { structuredOutput: "none" } }, flags: NONE },
  {
    apis: [...COMPLETIONS, ...RESPONSES],
    when: { providers: ["xai"], hosts: ["api.x.ai"] },
    flags: { native: true, nativeWithTools: true, strictTools: false, subset: XAI_SUBSET },
  },
  {
    apis: COMPLETIONS,
    when: { providers: ["cerebras"], hosts: ["cerebras.ai"] },
    flags: { native: true, strictTools: true, subset: CEREBRAS_SUBSET },
  },
  // llama.cpp, Ollama, LM Studio, vLLM and SGLang enforce the schema with a grammar (their documentation, 2026-11), and
  // llama.cpp no call beside it.
  { apis: COMPLETIONS, when: { loopback: true }, flags: { native: true, subset: LOCAL_SUBSET } },
  // llama.cpp ignores `text.format` and enforces the schemas of tools (tools/server/README.md, 2026-11).
  { apis: RESPONSES, when: { loopback: true }, flags: { ...NONE, subset: LOCAL_SUBSET } },
  // openrouter.ai, "Structured outputs": supported models, 2026-11.
  {
    apis: COMPLETIONS,
    when: {
      providers: ["openrouter"],
      hosts: ["openrouter.ai"],
      ids: ["openai/gpt"],
      facts: { structuredOutput: "full" },
    },
    flags: { native: true, nativeWithTools: true },
  },
];

/** The rules of a model. The flag `supportsJsonSchema` of its `compat` overrides the table. */
export function resolveOutputRules(model: Model): OutputRules {
  const rules = { ...DEFAULTS };
  for (const { apis, when, flags } of ROWS) {
    if (apis.includes(model.api) && matchesModel(model, when)) Object.assign(rules, flags);
  }
  const own: { supportsJsonSchema?: boolean } = model.compat ?? {};
  return own.supportsJsonSchema === undefined ? rules : { ...rules, native: own.supportsJsonSchema };
}
