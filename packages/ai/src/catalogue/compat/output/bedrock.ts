/** The output of Amazon Bedrock. */
import { ANTHROPIC_SUBSET } from "./anthropic.js";
import { FULL, type OutputRow, type SchemaSubset } from "./rules.js";

const BEDROCK_SUBSET: SchemaSubset = {
  ...ANTHROPIC_SUBSET,
  source: "docs.aws.amazon.com, Bedrock user guide, Get validated JSON results from models, 2026-11",
};

/** Bedrock user guide, "Get validated JSON results from models": supported models, 2026-11. */
const OPEN_MODELS = [
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

export const BEDROCK_OUTPUT: readonly OutputRow[] = [
  { when: {}, flags: { subset: BEDROCK_SUBSET } },
  { when: { ids: OPEN_MODELS }, flags: FULL },
  { when: { facts: { structuredOutput: "full", signsThinking: true } }, flags: FULL },
];
