/** The rows of GPT, gpt-oss, and o1 to o4. */
import type { FamilyRow, ModelFacts } from "../family.js";

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
  // `additional_tools`: the models of pi-ai 1.6.0, 2026-11.
  takesInPlace: ["text", "toolsAdded", "toolsRemoved"],
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

function withoutLevels({ levels: _, ...facts }: ModelFacts): ModelFacts {
  return facts;
}

export const OPENAI: readonly FamilyRow[] = [
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
];
