/** The output of the Mistral API. */
import { NUMBER_KEYWORDS, OPENAI_SUBSET, type OutputRow, PRIMITIVES, type SchemaSubset, UNLIMITED } from "./rules.js";

/** The subset is not documented. The examples close every object. */
const MISTRAL_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "docs.mistral.ai, Custom structured outputs, 2026-11",
  keywords: ["const", "format", "pattern", ...NUMBER_KEYWORDS, "minLength", "maxLength", "minItems", "maxItems"],
  formats: OPENAI_SUBSET.formats,
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: true,
  limits: {},
};

export const MISTRAL_OUTPUT: readonly OutputRow[] = [
  { when: {}, flags: { native: true, strictTools: true, subset: MISTRAL_SUBSET } },
  { when: { ids: ["codestral-mamba"] }, flags: { native: false } },
];
