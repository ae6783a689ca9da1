/** The rows of Gemini and Gemma. */
import type { FamilyRow, ModelFacts } from "../family.js";

/** "Requests ending with a model turn are not supported." (anomalyco/opencode#45359 and google/oss-rebuild#1559, 2026-09). */
const GEMINI_3: ModelFacts = {
  structuredOutput: "full",
  refusesPrefill: true,
  // The mode `VALIDATED` with a list of names (@google/genai 3.3, `FunctionCallingConfigMode`, 2026-11).
  takesInPlace: ["toolsRemoved"],
};
/** ai.google.dev, "Gemini thinking", 2026-11: Gemini 3 Pro has LOW and HIGH; from 3.1 on it has MEDIUM, too. */
const GEMINI_3_0_PRO: ModelFacts = { ...GEMINI_3, levels: { off: null, minimal: null, medium: null } };
const GEMINI_3_PRO: ModelFacts = { ...GEMINI_3, levels: { off: null, minimal: null } };
const GEMINI_3_PRO_GOOGLE: FamilyRow["google"] = {
  requiresCallSignature: true,
  thinkingLevels: { off: "LOW", minimal: "LOW", low: "LOW", medium: "MEDIUM", high: "HIGH" },
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

export const GOOGLE: readonly FamilyRow[] = [
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
  { family: "Gemini", ids: /gemini(?=-3-pro)/, facts: GEMINI_3_0_PRO, google: GEMINI_3_PRO_GOOGLE },
  {
    family: "Gemini",
    ids: /gemini(?=-\d+-(?:\d+-)?pro)/,
    before: [4, 0],
    facts: GEMINI_3_PRO,
    google: GEMINI_3_PRO_GOOGLE,
  },
  { family: "Gemini", ids: /gemini-pro/, facts: GEMINI_3_PRO, google: GEMINI_3_PRO_GOOGLE },
  { family: "Gemini", ids: /gemini/, before: [3, 7], facts: GEMINI_3, google: GEMINI_3_FLASH },
  // "What's new in Gemini 3.7" (low, medium, high); 3.7 and 3.8 refuse `minimal` (dzivkovi/video-intel 2.7.1, 2026-09).
  { family: "Gemini", ids: /gemini/, before: [4, 0], facts: GEMINI_3_PRO, google: GEMINI_3_PRO_GOOGLE },
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
];
