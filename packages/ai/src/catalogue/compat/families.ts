/**
 * The facts about each family of models: what a model itself demands, refuses or offers wherever it runs. What a host
 * changes stands in the host's row (`hosts.ts`), and a test refuses a fact that stands in both.
 *
 * The rows of a family go from old to new. Those for older models end with a version or name single models; the last one
 * has no end, so that a model that is not known yet is treated as the newest. A comment names the source and the date of
 * the row below it; `owner/repository#number` is a thread on github.com.
 */
import type { Model } from "../../types/model.js";
import { CLAUDE_FAMILY } from "./claude-family.js";
import { type FamilyRow, findFamilyRow, type ModelFacts } from "./family.js";

/** `text.verbosity` came with GPT-5: "Supported values are: 'medium'" (OpenAI's error for GPT-4o, 2025-08). */
const GPT_OLD: ModelFacts = { structuredOutput: "none", refuses: ["verbosity"], takesInPlace: ["text"] };
const GPT_4O: ModelFacts = { ...GPT_OLD, structuredOutput: "full" };
/**
 * "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported"
 * (BerriAI/litellm#38593, tmc/langchaingo#1355; with GPT-6, too: CopilotKit/CopilotKit#7191 quotes OpenAI's changelog;
 * 2025-08 to 2026-11). With the effort `none` models from 5.1 on take one (developers.openai.com, "Using GPT-5.2").
 */
const GPT_5: ModelFacts = {
  ...GPT_4O,
  // `allowed_tools` came with GPT-5 (developers.openai.com, "Using GPT-5", 2025-08).
  takesInPlace: ["text", "toolsRemoved"],
  temperature: "refusedWhileThinking",
  // "Unsupported parameter: 'stop' is not supported with this model." (huggingface/smolagents#1671 and #1893, 2025);
  // `top_p` with the effort `none` only (developers.openai.com, "Using GPT-5.2").
  refuses: ["stop", "presence_penalty", "frequency_penalty", "logprobs"],
  refusesWhileThinking: ["top_p"],
};
/**
 * "Only gpt-5.4 and later models support tool_search" (developers.openai.com, "Tool search", 2026-11). The levels of 5.4 and
 * 5.6: the catalogue of pi-ai 1.6.0, 2026-11.
 */
const GPT_5_4: ModelFacts = {
  ...GPT_5,
  searchesTools: true,
  // "When new tools are discovered by the model, they are injected at the end of the context window" (the same page). That they
  // may also be found by a search that the model did not ask for: `pi_tool_load` of pi-ai 1.6.0, 2026-11.
  takesInPlace: ["text", "toolsAdded", "toolsRemoved"],
  addsToolsAs: "find",
  levels: { off: "none", minimal: null, xhigh: "xhigh" },
};
/**
 * `prompt_cache_retention` is refused from 5.6 on, and `prompt_cache_options` before (NousResearch/hermes-agent#91164,
 * anomalyco/opencode#36315, 2026); "supported for gpt-5.6 and later models" (openai SDK 7.57, `PromptCacheOptions` and
 * `ResponseInputText`, 2026-11).
 */
const GPT_5_6: ModelFacts = {
  ...GPT_5_4,
  levels: { ...GPT_5_4.levels, max: "max" },
  cacheLifetimeField: "options",
  takesCacheMarks: true,
  // `additional_tools`: the models of pi-ai 1.6.0, 2026-11, which sends all tools of 6.1 and 6.2 in such an item at the beginning.
  // A later one could then replace a tool. But a removed one could not be left out: no source says that a choice of tools may
  // name one that only an item has. So the first tools stay in `tools`, to which later items add.
  addsToolsAs: "change",
};

/** The catalogue of pi-ai 1.6.0, 2026-11: from 6.1 on thinking cannot be switched off. */
const GPT_6: ModelFacts = {
  ...GPT_5_6,
  // `configuration_update`: the models of pi-ai 1.6.0, 2026-11.
  takesInPlace: ["text", "toolsAdded", "toolsRemoved", "thinkingLevel"],
  levels: { off: "none", minimal: null, xhigh: "xhigh", max: "max" },
};
const GPT_6_1: ModelFacts = {
  ...GPT_6,
  levels: { off: null, minimal: null, xhigh: "xhigh", max: "max" },
  alwaysThinks: true,
};
/**
 * OpenAI's guide of GPT-6.2, "Keep the prefix unchanged", 2026-11: earlier reasoning is dropped if anything before it has
 * changed, and `service_tier: "flex"` is refused.
 */
const GPT_6_2: ModelFacts = { ...GPT_6_1, bindsThinking: true, refusedTiers: ["flex"] };

/** "thinking is enabled but reasoning_content is missing in assistant tool call message" (see the rows of Kimi). */
const KIMI: ModelFacts = { requiresReasoningContentOnAssistantMessages: true };

/** "Requests ending with a model turn are not supported." (anomalyco/opencode#45359 and google/oss-rebuild#1559, 2026-09). */
const GEMINI_3: ModelFacts = {
  structuredOutput: "full",
  refusesPrefill: true,
  // The mode `VALIDATED` with a list of names (@google/genai 3.3, `FunctionCallingConfigMode`, 2026-11).
  takesInPlace: ["toolsRemoved"],
};
const GEMINI_3_PRO: FamilyRow["google"] = {
  requiresCallSignature: true,
  thinkingLevels: { off: "LOW", minimal: "LOW", low: "LOW", medium: "HIGH", high: "HIGH" },
};
const GEMINI_3_FLASH: FamilyRow["google"] = {
  requiresCallSignature: true,
  thinkingLevels: { off: "MINIMAL", minimal: "MINIMAL", low: "LOW", medium: "MEDIUM", high: "HIGH" },
};
/** See the rows of Gemini 4. */
const GEMINI_4: ModelFacts = {
  // ai.google.dev, "Gemini 4": no prefill, 2026-11.
  ...GEMINI_3,
  levels: { off: null, minimal: null, xhigh: "xhigh" },
  alwaysThinks: true,
  temperature: "refused",
  refuses: ["top_p", "presence_penalty", "frequency_penalty"],
};
const GEMINI_4_ARGON: ModelFacts = { ...GEMINI_4, levels: { off: null, minimal: null } };
const GEMINI_4_GOOGLE: FamilyRow["google"] = {
  requiresCallSignature: true,
  thinkingLevels: { off: "LOW", minimal: "LOW", low: "LOW", medium: "MEDIUM", high: "HIGH", xhigh: "XHIGH" },
  hasExplicitCaches: false,
};

/** The catalogue of pi-ai 1.6.0, 2026-11: Kimi K3, and GLM from 5.3 on. */
const LOW_HIGH_MAX: ModelFacts["levels"] = { off: null, minimal: null, medium: null, max: "max" };

const GROK: ModelFacts = { refuses: ["stop", "presence_penalty", "frequency_penalty"] };
/** NousResearch/hermes-agent#23435: every model was tried at api.x.ai, 2026-05-10. */
const GROK_WITHOUT_EFFORT: ModelFacts = { ...GROK, supportsReasoningEffort: false };

const DEEPSEEK_4: ModelFacts = {
  requiresReasoningContentOnAssistantMessages: true,
  forcedToolCalls: "refusedWhileThinking",
};

const MIMO: ModelFacts = {
  requiresReasoningContentOnAssistantMessages: true,
  levels: { minimal: null, low: null, medium: null },
};

const QWEN_LEVELS: ModelFacts["levels"] = { minimal: null, high: null, xhigh: "xhigh" };

function withoutLevels({ levels: _, ...facts }: ModelFacts): ModelFacts {
  return facts;
}

export const FAMILIES: readonly FamilyRow[] = [
  ...CLAUDE_FAMILY,

  // huggingface.co/openai/gpt-oss-120b: the levels are low, medium and high, 2026-11. No source for the other facts.
  { family: "gpt-oss", ids: /gpt-oss/, facts: { alwaysThinks: true, levels: { minimal: null } } },

  // platform.openai.com, "Structured outputs", 2026-11.
  { family: "GPT", ids: /gpt-35|gpt-3-5|gpt-4(?!o|-1\b|-5\b)/, facts: GPT_OLD },
  { family: "GPT", ids: /gpt/, before: [5, 0], facts: GPT_4O },
  { family: "GPT", ids: /gpt/, before: [5, 4], facts: GPT_5 },
  { family: "GPT", ids: /gpt/, before: [5, 5], facts: GPT_5_4 },
  // openai.com/api/pricing, "Priority", 2026-11.
  { family: "GPT", ids: /gpt/, before: [5, 6], facts: { ...GPT_5_4, tierFactors: { flex: 0.5, priority: 2.5 } } },
  { family: "GPT", ids: /gpt/, before: [6, 0], facts: GPT_5_6 },
  // A name without a version, such as that of a deployment, says nothing about levels.
  { family: "GPT", ids: /gpt(?!-?\d)/, facts: withoutLevels(GPT_5_6) },
  // The catalogue of pi-ai 1.6.0 (levels), and OpenAI's guide of GPT-6.2, 2026-11.
  { family: "GPT", ids: /gpt/, before: [6, 1], facts: GPT_6 },
  { family: "GPT", ids: /gpt/, before: [6, 2], facts: GPT_6_1 },
  { family: "GPT", ids: /gpt/, facts: GPT_6_2 },
  // platform.openai.com, "Reasoning models", 2026-11: o1, o3 and o4 refuse what GPT-5 refuses.
  // "Unsupported parameter: 'parallel_tool_calls' is not supported with this model." (langchain-ai/langchain#29704,
  // evalstate/fast-agent#279, 2025).
  {
    family: "OpenAI o",
    ids: /(?:^|-)o(?=\d(?:-|$))/,
    facts: {
      ...GPT_5,
      levels: { off: null, minimal: null },
      takesInPlace: ["text"],
      refuses: [...(GPT_5.refuses ?? []), "parallel_tool_calls", "verbosity"],
    },
  },

  // ai.google.dev, "Gemini thinking", "Thought signatures" and "Structured outputs", 2026-11. Gemini 2 refuses JSON beside
  // functions (googleapis/python-genai#867, 2025-05).
  { family: "Gemini", ids: /gemini-robotics/, facts: {} },
  { family: "Gemini", ids: /gemini-1/, facts: {}, google: { imagesInFunctionResponse: false } },
  {
    family: "Gemini",
    ids: /gemini-2-5-flash-lite/,
    facts: { structuredOutput: "withoutTools" },
    google: {
      imagesInFunctionResponse: false,
      thinkingBudgets: { minimal: 512, low: 2048, medium: 8192, high: 24576 },
    },
  },
  {
    family: "Gemini",
    ids: /gemini-2-5-flash/,
    facts: { structuredOutput: "withoutTools" },
    google: {
      imagesInFunctionResponse: false,
      thinkingBudgets: { minimal: 128, low: 2048, medium: 8192, high: 24576 },
    },
  },
  {
    // Its thinking cannot be switched off, and it refuses a smaller budget.
    family: "Gemini",
    ids: /gemini-2-5-pro/,
    facts: { structuredOutput: "withoutTools" },
    google: {
      imagesInFunctionResponse: false,
      thinkingBudgets: { minimal: 128, low: 2048, medium: 8192, high: 32768 },
      offBudget: 128,
    },
  },
  {
    family: "Gemini",
    ids: /gemini/,
    before: [3, 0],
    facts: { structuredOutput: "withoutTools" },
    google: { imagesInFunctionResponse: false },
  },
  {
    family: "Gemini",
    ids: /gemini(?=-\d+-(?:\d+-)?pro)/,
    before: [4, 0],
    facts: GEMINI_3,
    google: GEMINI_3_PRO,
  },
  { family: "Gemini", ids: /gemini-pro/, facts: GEMINI_3, google: GEMINI_3_PRO },
  { family: "Gemini", ids: /gemini/, before: [4, 0], facts: GEMINI_3, google: GEMINI_3_FLASH },
  // Names without a version, such as gemini-flash-latest, stand for models of the third generation (2026-11).
  { family: "Gemini", ids: /gemini(?!-\d)/, facts: GEMINI_3, google: GEMINI_3_FLASH },
  // ai.google.dev, "Gemini 4" and "Thinking", and docs.cloud.google.com, "gemini-4-argon", 2026-11: no MINIMAL, no budget, no
  // explicit caches; penalties are refused, and sampling is ignored, which a caller should hear of. Argon and Carbon have
  // no XHIGH.
  { family: "Gemini", ids: /gemini-4-(?:argon|carbon)/, facts: GEMINI_4_ARGON, google: GEMINI_4_GOOGLE },
  { family: "Gemini", ids: /gemini/, facts: GEMINI_4, google: GEMINI_4_GOOGLE },
  // ai.google.dev, "Gemma on the Gemini API", 2026-11: neither functions nor JSON before Gemma 4.
  { family: "Gemma", ids: /gemma/, before: [4, 0], facts: { structuredOutput: "none" } },
  {
    family: "Gemma",
    ids: /gemma/,
    facts: {},
    google: { thinkingLevels: { off: "MINIMAL", minimal: "MINIMAL", low: "MINIMAL", medium: "HIGH", high: "HIGH" } },
  },

  // mastra-ai/mastra#12592, openclaw/openclaw#74846 (2026): the field is missing. theopenco/llmgateway#2093 and
  // earendil-works/pi#4178, both tried live: K2 Thinking takes an empty text; K2.5 and K2.6 take it for a missing one, and
  // a single space passes. K2.7 Code keeps all earlier thinking and refuses "disabled" (theopenco/llmgateway#3065,
  // lobehub/lobehub#15722, 2026-06); which text it takes is not documented, the space is as with K2.6.
  { family: "Kimi", ids: /moonshot-v1|kimi-k2(?=-(?:\d{4}|instruct|turbo))/, facts: {} },
  { family: "Kimi", ids: /kimi-k2-thinking/, facts: { ...KIMI, alwaysThinks: true } },
  { family: "Kimi", ids: /kimi-k/, before: [2, 7], facts: { ...KIMI, missingThinking: " " } },
  { family: "Kimi", ids: /kimi-k/, before: [3, 0], facts: { ...KIMI, missingThinking: " ", alwaysThinks: true } },
  // platform.kimi.ai, "Thinking models", 2026-07: K3 always reasons and takes an effort instead of `thinking`.
  {
    family: "Kimi",
    ids: /kimi|^k(?=\d(?:-|$))/,
    facts: { ...KIMI, alwaysThinks: true, hasEfforts: true, levels: LOW_HIGH_MAX },
  },

  // api-docs.deepseek.com, "Reasoning model" (R1 refuses earlier thinking) and "Thinking mode" (from V3.2 on it has to come
  // back), 2026-11. V4 refuses "required" and a named tool while it thinks (deepseek-ai/DeepSeek-V3#1376, BerriAI/litellm#37470, and at
  // other hosts can1357/oh-my-pi#7315, all tried live, 2026-08).
  { family: "DeepSeek", ids: /deepseek-(?:coder|llm|math|ocr)/, facts: {} },
  { family: "DeepSeek", ids: /deepseek/, before: [3, 2], facts: {} },
  {
    family: "DeepSeek",
    ids: /deepseek/,
    before: [4, 0],
    facts: { requiresReasoningContentOnAssistantMessages: true },
  },
  { family: "DeepSeek", ids: /deepseek/, before: [4, 1], facts: DEEPSEEK_4 },
  // The catalogue of pi-ai 1.6.0, 2026-11: the levels of V4.1 at most hosts.
  {
    family: "DeepSeek",
    ids: /deepseek/,
    facts: { ...DEEPSEEK_4, levels: { minimal: null, medium: null, max: "max" } },
  },

  // docs.mistral.ai, "Reasoning", 2026-11: Magistral has a mode, later models (Small 4, Medium 3.5, Large 4) have efforts.
  { family: "Mistral", ids: /magistral/, facts: { hasEfforts: false } },
  {
    family: "Mistral",
    ids: /mistral-large/,
    facts: { hasEfforts: true, levels: { off: null, minimal: null, low: "low", medium: "medium", high: "high" } },
  },
  { family: "Mistral", ids: /mistral|ministral|(?:dev|code|lean)stral|(?:pix|vox)tral/, facts: { hasEfforts: true } },

  // platform.xiaomimimo.com, "Passing back reasoning_content", 2026-05; VicBilibily/GCMP#171 has the announcement.
  // mimo.mi.com, "Deep thinking", 2026-11: thinking is on or off, without efforts; while it is on, V2 Pro, V2 Omni and
  // later models use their own `temperature` and `top_p`, which a caller should hear of (mnfst/modelparams.dev#70 quotes it).
  { family: "MiMo", ids: /mimo-(?:v2-flash|vl|7b)/, facts: MIMO },
  {
    family: "MiMo",
    ids: /mimo/,
    facts: { ...MIMO, temperature: "refusedWhileThinking", refusesWhileThinking: ["top_p"] },
  },

  // docs.z.ai, "Tool streaming", 2026-11; glm-4.5-air does not take `tool_stream`.
  { family: "GLM", ids: /glm/, before: [4, 6], facts: {} },
  { family: "GLM", ids: /glm/, before: [5, 2], facts: { streamsToolArguments: true } },
  // docs.z.ai, "Thinking mode", 2026-11: efforts from 5.2 on. NousResearch/hermes-agent#85890, 2026: from 5.3 on
  // `thinking.type: "disabled"` is refused (code 1210).
  { family: "GLM", ids: /glm/, before: [5, 3], facts: { streamsToolArguments: true, hasEfforts: true } },
  {
    family: "GLM",
    ids: /glm/,
    facts: { streamsToolArguments: true, hasEfforts: true, alwaysThinks: true, levels: LOW_HIGH_MAX },
  },

  // lobehub/lobehub#17363, 2026-07: "The value of the enable_thinking parameter is restricted to True" from 3.8-max on.
  { family: "Qwen", ids: /qwq|qvq|qwen.*-thinking/, facts: { alwaysThinks: true } },
  { family: "Qwen", ids: /qwen(?=.*-max)/, before: [3, 8], facts: {} },
  // docs.qwencloud.com, "Thinking", 2026-11, and the template of Qwen3.8-27B: low, medium and xhigh from 3.8 on.
  {
    family: "Qwen",
    ids: /qwen-?\d+-\d+-max|qwen-?\d+-max/,
    facts: { alwaysThinks: true, levels: { ...QWEN_LEVELS, off: null } },
  },
  { family: "Qwen", ids: /qwen/, before: [3, 8], facts: {} },
  // A name without a version, such as qwen-plus, says nothing about levels.
  { family: "Qwen", ids: /^(?!.*qwen-?\d).*qwen/, facts: {} },
  { family: "Qwen", ids: /qwen/, facts: { levels: QWEN_LEVELS } },

  // platform.minimax.io, "Text generation, OpenAI compatible", 2026-06: M2 takes `thinking.type: "disabled"` and thinks
  // nevertheless, so that nothing has to be left out. No source for other facts.
  { family: "MiniMax", ids: /minimax/, before: [3, 0], facts: {} },
  // platform.minimax.io, "Thinking", 2026-11: from M3 on adaptive thinking on Anthropic's wire; from 3.1 on efforts.
  { family: "MiniMax", ids: /minimax/, before: [3, 1], facts: { thinking: "adaptive" } },
  {
    family: "MiniMax",
    ids: /minimax/,
    facts: { thinking: "adaptive", levels: { off: null, minimal: null, xhigh: "xhigh", max: "max" } },
  },

  // mnfst/modelparams.dev#330, 2026-08: from 4.5 on Grok always thinks, and refuses the effort `none` and `stop`.
  { family: "Grok", ids: /grok-3-mini|grok-4-20-multi-agent/, facts: GROK },
  { family: "Grok", ids: /grok-(?:code|build|4-20)/, facts: GROK_WITHOUT_EFFORT },
  { family: "Grok", ids: /grok/, before: [4, 3], facts: GROK_WITHOUT_EFFORT },
  { family: "Grok", ids: /grok/, before: [4, 5], facts: GROK },
  {
    family: "Grok",
    ids: /grok/,
    facts: { ...GROK, alwaysThinks: true, levels: { off: null, minimal: null, xhigh: "xhigh" } },
  },
];

/** The row of a model; undefined if it belongs to no known family. */
export function familyOf(model: Pick<Model, "id"> & { name?: string }): FamilyRow | undefined {
  return findFamilyRow(FAMILIES, model);
}

/** The facts of a model's family; none for a model that belongs to no known family. */
export function factsOf(model: Pick<Model, "id"> & { name?: string }): ModelFacts {
  return familyOf(model)?.facts ?? {};
}

/**
 * Whether the model binds its thinking to everything before it. If the system prompt, the tools or an earlier message
 * change, the provider drops the thinking that follows, or rejects the request.
 */
export function bindsThinking(model: Pick<Model, "id" | "name">): boolean {
  return factsOf(model).bindsThinking === true;
}
