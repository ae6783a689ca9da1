/**
 * The models that pages and examples name. A row's id is the only one of its kind in them: after a change of an id here,
 * `npm run task docs:models` writes it wherever a page names another model of that kind.
 */

export interface ExampleModel {
  id: string;
  /** Those where the pages ask for it; the catalogue has it at each. */
  providers: readonly string[];
  /** Matches the ids that this one stands for, old ones and its own. */
  kind: RegExp;
}

export const EXAMPLE_MODELS: readonly ExampleModel[] = [
  { id: "claude-sonnet-5-5", providers: ["anthropic"], kind: /^claude-sonnet-\d+(-\d+)?$/ },
  { id: "claude-opus-5-5", providers: ["anthropic"], kind: /^claude-opus-\d+(-\d+)?$/ },
  { id: "claude-haiku-5-5", providers: ["anthropic"], kind: /^claude-haiku-\d+(-\d+)?$/ },
  { id: "claude-fable-5-2", providers: ["anthropic"], kind: /^claude-fable-\d+(-\d+)?$/ },
  { id: "gpt-6.2-sol", providers: ["openai", "azure"], kind: /^gpt-[\d.]+(-sol)?$/ },
  { id: "gpt-6-luna", providers: ["openai", "azure"], kind: /^gpt-[\d.]+-(mini|luna)$/ },
  {
    id: "gemini-4-hydrogen",
    providers: ["google", "google-vertex"],
    kind: /^gemini-(?:[\d.]+-flash(-preview)?|4-(?:argon|carbon|hydrogen|neon))$/,
  },
  {
    id: "us.anthropic.claude-sonnet-5-5",
    providers: ["amazon-bedrock"],
    kind: /^(\w+\.)?anthropic\.claude-sonnet-\d+(-\d+)*(-v1(:0)?)?$/,
  },
  {
    id: "anthropic/claude-sonnet-5.5",
    providers: ["openrouter"],
    kind: /^anthropic\/claude-sonnet-\d+\.\d+$/,
  },
  { id: "openai/gpt-oss-120b", providers: ["groq", "openrouter"], kind: /^openai\/gpt-oss-\d+b$/ },
  { id: "grok-4.7", providers: ["xai"], kind: /^grok-[\d.]+$/ },
];

export interface Exception {
  page: string;
  /** Why this page names other models. */
  reason: string;
}

/** Pages that are about particular models, or that a command writes from the catalogue. */
export const EXCEPTIONS: readonly Exception[] = [
  { page: "docs/migration.md", reason: "names the ids that the catalogue has, or has no longer, beside the reference" },
  {
    page: "packages/ai/src/list-models/merge-model.ts",
    reason: "shows how names of a model differ from server to server",
  },
  { page: "examples/migrate/pi-0.74/theirs.ts", reason: "is a program for a catalogue that has no newer ones" },
  { page: "examples/migrate/src/pi-0.74.ts", reason: "is the same program, with the same model" },
  { page: "docs/long-context.md", reason: "shows contents that Gemini 4 has no longer" },
  { page: "docs/model-families.md", reason: "is written from the catalogue" },
];
