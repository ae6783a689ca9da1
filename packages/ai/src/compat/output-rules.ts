/** How each model can be made to respond with JSON that fits a schema: one row for each vendor and family. */
import type { Model } from "../types/model.js";
import { ADAPTIVE_CLAUDE, ADAPTIVE_ONLY_CLAUDE, claudeId } from "./claude-families.js";
import { type CompatRow, matchesModel } from "./match.js";
import {
  ANTHROPIC_SUBSET,
  AZURE_SUBSET,
  BEDROCK_SUBSET,
  CEREBRAS_SUBSET,
  GOOGLE_SUBSET,
  LOCAL_SUBSET,
  MISTRAL_SUBSET,
  OPENAI_SUBSET,
  type SchemaSubset,
  XAI_SUBSET,
} from "./schema-subsets.js";

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

/** Claude from version 4.5 on (platform.claude.com, "Structured outputs": supported models, 2026-11). */
const CLAUDE = ["opus-4-5", "sonnet-4-5", "haiku-4-5", ...ADAPTIVE_CLAUDE, ...ADAPTIVE_ONLY_CLAUDE];
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
/** GPT models without structured outputs, except for {@link GPT_WITH_SCHEMAS} (platform.openai.com, 2026-11). */
const OLD_GPT = ["gpt-3.5", "gpt-4"];
const GPT_WITH_SCHEMAS = ["gpt-4o", "gpt-4.1", "gpt-4.5"];
const GEMINI_3 = ["gemini-3", "gemini-4", "gemini-pro-latest", "gemini-flash-latest", "gemini-flash-lite-latest"];
const FULL: Partial<OutputRules> = { native: true, nativeWithTools: true, strictTools: true };
const NONE: Partial<OutputRules> = { native: false, nativeWithTools: false, strictTools: false };

const ROWS: readonly OutputRow[] = [
  { apis: ANTHROPIC, when: {}, flags: { subset: ANTHROPIC_SUBSET } },
  { apis: ANTHROPIC, when: { ids: CLAUDE }, flags: FULL },
  // The relay to Claude documents neither field (docs.github.com, Copilot, 2026-11).
  { apis: ANTHROPIC, when: { providers: ["github-copilot"], hosts: ["githubcopilot.com"] }, flags: NONE },
  { apis: BEDROCK, when: {}, flags: { subset: BEDROCK_SUBSET } },
  { apis: BEDROCK, when: { ids: [...CLAUDE, ...BEDROCK_OPEN_MODELS] }, flags: FULL },
  { apis: GOOGLE, when: {}, flags: { subset: GOOGLE_SUBSET } },
  // Gemini 2 rejects JSON output together with functions (github.com/googleapis/python-genai/issues/867, 2025-05).
  { apis: GOOGLE, when: { ids: ["gemini-2"] }, flags: { native: true } },
  // ai.google.dev, "Structured outputs": with tools, 2026-11.
  { apis: GOOGLE, when: { ids: GEMINI_3 }, flags: { native: true, nativeWithTools: true } },
  // Neither functions nor JSON output (ai.google.dev, "Gemma on the Gemini API", 2026-11).
  { apis: GOOGLE, when: { ids: ["gemma-3"] }, flags: { tools: false } },
  { apis: ["mistral-conversations"], when: {}, flags: { native: true, strictTools: true, subset: MISTRAL_SUBSET } },
  { apis: ["mistral-conversations"], when: { ids: ["codestral-mamba"] }, flags: { native: false } },
  { apis: RESPONSES, when: {}, flags: FULL },
  { apis: RESPONSES, when: { ids: OLD_GPT }, flags: NONE },
  { apis: RESPONSES, when: { ids: GPT_WITH_SCHEMAS }, flags: FULL },
  { apis: ["azure-openai-responses"], when: {}, flags: { subset: AZURE_SUBSET } },
  { apis: COMPLETIONS, when: { hosts: ["api.openai.com"] }, flags: FULL },
  { apis: COMPLETIONS, when: { hosts: ["api.openai.com"], ids: OLD_GPT }, flags: NONE },
  { apis: COMPLETIONS, when: { hosts: ["api.openai.com"], ids: GPT_WITH_SCHEMAS }, flags: FULL },
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
      ids: ["openai/gpt-4o", "openai/gpt-4.1", "openai/gpt-5"],
    },
    flags: { native: true, nativeWithTools: true },
  },
];

/** The rules of a model. The flag `supportsJsonSchema` of its `compat` overrides the table. */
export function resolveOutputRules(model: Model): OutputRules {
  // Hosts write the versions of Claude with dots, dashes and underscores.
  const ids = [model.id, claudeId(model.id)].join(" ");
  const rules = { ...DEFAULTS };
  for (const { apis, when, flags } of ROWS) {
    if (apis.includes(model.api) && matchesModel({ ...model, id: ids }, when)) Object.assign(rules, flags);
  }
  const own: { supportsJsonSchema?: boolean } = model.compat ?? {};
  return own.supportsJsonSchema === undefined ? rules : { ...rules, native: own.supportsJsonSchema };
}
