/** The output of OpenAI's two apis, at OpenAI and at other hosts. */
import {
  FULL,
  NONE,
  NUMBER_KEYWORDS,
  OPENAI_SUBSET,
  type OutputRow,
  PRIMITIVES,
  type SchemaSubset,
  UNLIMITED,
} from "./rules.js";

const AZURE_SUBSET: SchemaSubset = {
  ...OPENAI_SUBSET,
  source: "learn.microsoft.com, Azure OpenAI structured outputs, 2026-11",
  keywords: ["const"],
  formats: [],
  limits: { properties: 100, depth: 5 },
};

/** The keywords that llama.cpp turns into a grammar. It ignores the keywords that it cannot enforce, and refuses few. */
const LOCAL_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "github.com/ggml-org/llama.cpp, grammars/README.md: JSON Schemas, 2026-11",
  keywords: ["const", "format", "pattern", ...NUMBER_KEYWORDS, "minLength", "maxLength", "minItems", "maxItems"],
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

const XAI: OutputRow = {
  when: { providers: ["xai"], hosts: ["api.x.ai"] },
  flags: { native: true, nativeWithTools: true, strictTools: false, subset: XAI_SUBSET },
};

export const COMPLETIONS_OUTPUT: readonly OutputRow[] = [
  { when: { hosts: ["api.openai.com"] }, flags: FULL },
  { when: { hosts: ["api.openai.com"], facts: { structuredOutput: "none" } }, flags: NONE },
  XAI,
  // "Tools with mixed values for 'strict' are not allowed" (RooCodeInc/Roo-Code#10334, 2025-12).
  {
    when: { providers: ["cerebras"], hosts: ["cerebras.ai"] },
    flags: { native: true, strictTools: true, strictTogether: true, subset: CEREBRAS_SUBSET },
  },
  // llama.cpp, Ollama, LM Studio, vLLM and SGLang enforce the schema with a grammar (their documentation, 2026-11), and
  // llama.cpp no call beside it.
  { when: { loopback: true }, flags: { native: true, subset: LOCAL_SUBSET } },
  // openrouter.ai, "Structured outputs": supported models, 2026-11.
  {
    when: {
      providers: ["openrouter"],
      hosts: ["openrouter.ai"],
      ids: ["openai/gpt"],
      facts: { structuredOutput: "full" },
    },
    flags: { native: true, nativeWithTools: true },
  },
];

const OTHER_RESPONSES: readonly OutputRow[] = [
  { when: { facts: { structuredOutput: "none" } }, flags: NONE },
  XAI,
  // llama.cpp ignores `text.format` and enforces the schemas of tools (tools/server/README.md, 2026-11).
  { when: { loopback: true }, flags: { ...NONE, subset: LOCAL_SUBSET } },
];

export const RESPONSES_OUTPUT: readonly OutputRow[] = [{ when: {}, flags: FULL }, ...OTHER_RESPONSES];

export const AZURE_OUTPUT: readonly OutputRow[] = [
  { when: {}, flags: { ...FULL, subset: AZURE_SUBSET } },
  ...OTHER_RESPONSES,
];
