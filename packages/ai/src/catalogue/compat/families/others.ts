/** The rows of Kimi, DeepSeek, Mistral, MiMo, GLM, Qwen, MiniMax and Grok. */
import type { FamilyRow, ModelFacts } from "../family.js";

/** "thinking is enabled but reasoning_content is missing in assistant tool call message" (see the rows of Kimi). */
const KIMI: ModelFacts = { requiresReasoningContentOnAssistantMessages: true };

/** The catalogue of pi-ai 1.6.0, 2026-11: Kimi K3, and GLM from 5.3 on. */
const LOW_HIGH_MAX: ModelFacts["levels"] = { off: null, minimal: null, medium: null, max: "max" };

/** The catalogue of pi-ai 1.6.0, 2026-11, at the vendors themselves: DeepSeek V4 and GLM 5.2. */
const HIGH_MAX: ModelFacts["levels"] = { minimal: null, low: null, medium: null, max: "max" };

const GROK: ModelFacts = {
  refuses: ["stop", "presence_penalty", "frequency_penalty"],
  levels: { minimal: null },
};
/** NousResearch/hermes-agent#23435: every model was tried at api.x.ai, 2026-05-10. */
const GROK_WITHOUT_EFFORT: ModelFacts = { ...GROK, supportsReasoningEffort: false };

const DEEPSEEK_4: ModelFacts = {
  requiresReasoningContentOnAssistantMessages: true,
  forcedToolCalls: "refusedWhileThinking",
};

/** Thinking that is on or off. */
const ON_OFF: ModelFacts["levels"] = { minimal: null, low: null, medium: null };

const MIMO: ModelFacts = { requiresReasoningContentOnAssistantMessages: true, levels: ON_OFF };

const QWEN_LEVELS: ModelFacts["levels"] = { minimal: null, high: null, xhigh: "xhigh" };

export const OTHERS: readonly FamilyRow[] = [
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
  { family: "DeepSeek", ids: /deepseek/, before: [4, 1], facts: { ...DEEPSEEK_4, levels: HIGH_MAX } },
  // The catalogue of pi-ai 1.6.0, 2026-11: the levels of V4.1 at most hosts.
  {
    family: "DeepSeek",
    ids: /deepseek/,
    facts: { ...DEEPSEEK_4, levels: { minimal: null, medium: null, max: "max" } },
  },

  // docs.mistral.ai, "Reasoning", 2026-11: Magistral has a mode, later models (Small 4, Medium 3.5, Large 4) have efforts.
  // The words of other models are `none` and `high`.
  { family: "Mistral", ids: /magistral/, facts: { hasEfforts: false, levels: ON_OFF } },
  {
    family: "Mistral",
    ids: /mistral-large/,
    facts: { hasEfforts: true, levels: { off: null, minimal: null, low: "low", medium: "medium", high: "high" } },
  },
  {
    family: "Mistral",
    ids: /mistral|ministral|(?:dev|code|lean)stral|(?:pix|vox)tral/,
    facts: { hasEfforts: true, levels: ON_OFF },
  },

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
  {
    family: "GLM",
    ids: /glm/,
    before: [5, 3],
    facts: { streamsToolArguments: true, hasEfforts: true, levels: HIGH_MAX },
  },
  {
    family: "GLM",
    ids: /glm/,
    facts: { streamsToolArguments: true, hasEfforts: true, alwaysThinks: true, levels: LOW_HIGH_MAX },
  },

  // lobehub/lobehub#17363, 2026-07: "The value of the enable_thinking parameter is restricted to True" from 3.8-max on.
  { family: "Qwen", ids: /qwq|qvq|^(?!.*qwen-?\d).*qwen.*-thinking/, facts: { alwaysThinks: true } },
  { family: "Qwen", ids: /qwen(?=.*-thinking)/, before: [3, 8], facts: { alwaysThinks: true } },
  { family: "Qwen", ids: /qwen(?=.*-max)/, before: [3, 8], facts: {} },
  // docs.qwencloud.com, "Thinking", 2026-11, and the template of Qwen3.8-27B: low, medium and xhigh from 3.8 on.
  {
    family: "Qwen",
    ids: /qwen-?\d+-\d+-max|qwen-?\d+-max|qwen-?\d.*-thinking/,
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

  // mnfst/modelparams.dev#330, 2026-08: from 4.5 on Grok always thinks, and refuses the effort `none` and `stop`. None takes
  // `minimal` (the catalogue of pi-ai 1.6.0, 2026-11).
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
