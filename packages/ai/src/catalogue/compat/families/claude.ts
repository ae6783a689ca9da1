/** The rows of Claude. */
import type { FamilyRow, ModelFacts } from "../family.js";

const CLAUDE_BASE: ModelFacts = {
  thinking: "budget",
  signsThinking: true,
  takesCacheMarks: true,
  forcedToolCalls: "refusedWhileThinking",
  temperature: "refusedWhileThinking",
  // With thinking only from 0.95 to 1 (platform.claude.com, "Extended thinking"); "`temperature` and `top_p` cannot both be
  // specified for this model" (Claude Opus 4.1 and later, the release notes of 2025-08).
  refusesWhileThinking: ["top_p"],
  samplesByOne: true,
  // "stop_sequences: each stop sequence must contain non-whitespace" (the api's error, quoted by several clients, 2026).
  refusesBlankStops: true,
};
/**
 * platform.claude.com, "Extended thinking", 2026-11: with interleaved thinking and tools the budget may exceed `max_tokens`,
 * because it then ends at the window. Interleaved thinking came with Claude 4.
 */
const CLAUDE_4: ModelFacts = { ...CLAUDE_BASE, budgetMayExceedLimit: true };
/** platform.claude.com, "Structured outputs" and "Tool search tool", 2026-11. */
const CLAUDE_4_5: ModelFacts = { ...CLAUDE_4, structuredOutput: "full", searchesTools: true };
/** platform.claude.com, "Adaptive thinking", 2026-11. */
const CLAUDE_4_6: ModelFacts = {
  ...CLAUDE_4_5,
  thinking: "adaptive",
  // "This model does not support assistant message prefill." (platform.claude.com, "What's new in Claude 4.6", 2026-02).
  refusesPrefill: true,
  levels: { max: "max" },
};
/** Refuses a budget and a temperature (the same page; a budget also by nvda-OpenAI#126, 2026). */
const CLAUDE_4_7: ModelFacts = {
  ...CLAUDE_4_6,
  hasXhighEffort: true,
  temperature: "refused",
  refuses: ["top_p"],
  levels: { xhigh: "xhigh", max: "max" },
};
/**
 * platform.claude.com, "Mid-conversation system messages and tool changes", 2026-11: from Opus 4.8 and Fable 5 on, not Sonnet 5.
 * The catalogue of pi-ai 1.6.0 has the same models for changes of tools.
 */
const CLAUDE_4_8: ModelFacts = { ...CLAUDE_4_7, takesInPlace: ["text", "toolsAdded", "toolsRemoved"] };
/** platform.claude.com, "Per-message effort", 2026-11; the models: catalogue of pi-ai 1.6.0, 2026-11. */
const CLAUDE_5: ModelFacts = { ...CLAUDE_4_8, takesInPlace: ["text", "toolsAdded", "toolsRemoved", "thinkingLevel"] };
/** platform.claude.com, "Preserved thinking"; docs.aws.amazon.com, Bedrock user guide, "Preserved thinking", 2026-11. */
const CLAUDE_BOUND: ModelFacts = {
  ...CLAUDE_5,
  bindsThinking: true,
  levels: { minimal: null, xhigh: "xhigh", max: "max" },
};
const CLAUDE_NEWEST: ModelFacts = alwaysThinking(CLAUDE_BOUND);

/** The names whose versions go back to Claude 2. One that came later, such as Mythos, counts its own versions from 1. */
const OLD_CLAUDE = /claude(?=-(?:opus|sonnet|haiku|instant|v?\d))/;

/** `claude-opus-4-8`, and with the version first: `claude-4.8-opus`. */
const OPUS = /claude(?=-(?:[\d-]+-)?opus)/;

/** The facts of a model whose thinking cannot be switched off. */
function alwaysThinking(facts: ModelFacts): ModelFacts {
  return { ...facts, alwaysThinks: true, levels: { ...facts.levels, off: null } };
}

export const CLAUDE: readonly FamilyRow[] = [
  // docs.aws.amazon.com, Bedrock user guide, "Prompt caching", 2026-11: these models have no cache.
  {
    family: "Claude",
    ids: /claude-instant|claude-v?2\b|claude-3-(?:haiku|sonnet|opus)|claude-3-5-sonnet/,
    facts: { ...CLAUDE_BASE, takesCacheMarks: false },
  },
  // platform.claude.com, "Extended thinking" and "Structured outputs", 2026-11.
  { family: "Claude", ids: OLD_CLAUDE, before: [4, 0], facts: CLAUDE_BASE },
  // platform.claude.com, "Context editing", 2026-11: from Opus 4.5 and Sonnet 4.6 on, and from the Haiku after 4.5, all thinking stays.
  { family: "Claude", ids: OLD_CLAUDE, before: [4, 5], facts: { ...CLAUDE_4, leavesOutThinking: true } },
  { family: "Claude", ids: OPUS, before: [4, 6], facts: CLAUDE_4_5 },
  { family: "Claude", ids: OLD_CLAUDE, before: [4, 6], facts: { ...CLAUDE_4_5, leavesOutThinking: true } },
  { family: "Claude", ids: OLD_CLAUDE, before: [4, 7], facts: CLAUDE_4_6 },
  // platform.claude.com, "Adaptive thinking" and "Migrating to Claude Fable 5.1", 2026-11: Fable and Mythos always think.
  { family: "Claude", ids: /claude-mythos-preview/, facts: alwaysThinking(CLAUDE_4_7) },
  { family: "Claude", ids: /claude-mythos/, before: [6, 0], facts: alwaysThinking(CLAUDE_4_7) },
  { family: "Claude", ids: /claude-fable/, before: [5, 1], facts: alwaysThinking(CLAUDE_4_8) },
  { family: "Claude", ids: OPUS, before: [4, 8], facts: CLAUDE_4_7 },
  { family: "Claude", ids: OPUS, before: [5, 0], facts: CLAUDE_4_8 },
  { family: "Claude", ids: OPUS, before: [5, 5], facts: CLAUDE_5 },
  { family: "Claude", ids: /claude(?=-(?:[\d-]+-)?(?:sonnet|haiku))/, before: [5, 5], facts: CLAUDE_4_7 },
  { family: "Claude", ids: /claude(?=-(?:[\d-]+-)?haiku)/, facts: CLAUDE_BOUND },
  { family: "Claude", ids: /claude/, facts: CLAUDE_NEWEST },
];
