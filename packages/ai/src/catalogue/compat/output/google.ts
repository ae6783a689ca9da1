/** The output of Google's apis. */
import { type OutputRow, type SchemaSubset, UNLIMITED } from "./rules.js";

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

export const GOOGLE_OUTPUT: readonly OutputRow[] = [
  { when: {}, flags: { subset: GOOGLE_SUBSET } },
  { when: { facts: { structuredOutput: "withoutTools" } }, flags: { native: true } },
  {
    when: { facts: { structuredOutput: "full" }, ids: ["gemini"] },
    flags: { native: true, nativeWithTools: true },
  },
  // Neither functions nor JSON output (ai.google.dev, "Gemma on the Gemini API", 2026-11).
  { when: { ids: ["gemma-3"] }, flags: { tools: false } },
];
