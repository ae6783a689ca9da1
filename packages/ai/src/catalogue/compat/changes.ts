/**
 * The changes that a model takes in the middle of a conversation, without a change of its beginning: its family says what it takes, and a
 * host of one of these rows passes it on.
 */
import type { Api, Model } from "../../types/model.js";
import { factsOf } from "./families.js";
import type { ChangeKind } from "./family.js";
import { type ModelMatch, matchesModel } from "./match.js";

/** One row: the hosts of an api that pass changes on. */
export interface ChangeRow {
  api: Api;
  /** The name of the api and the host, for the docs. */
  name: string;
  when: ModelMatch;
  /** The changes that the host passes on, of those that the family takes. */
  passes: readonly ChangeKind[];
  /** A removed tool stays declared, and the request names those that may be called. */
  keepsRemoved?: true;
}

const ALL: readonly ChangeKind[] = ["text", "toolsAdded", "toolsRemoved", "thinkingLevel"];
/** No item of the Responses api removes a tool, and only OpenAI itself is known to take a list of those that are allowed. */
const WITHOUT_REMOVALS: readonly ChangeKind[] = ["text", "toolsAdded", "thinkingLevel"];

export const CHANGE_ROWS: readonly ChangeRow[] = [
  {
    // Other hosts take system messages, too, but not all of the rest (platform.claude.com, the pages named in `families.ts`).
    api: "anthropic-messages",
    name: "Claude API",
    when: { providers: ["anthropic"], hosts: ["api.anthropic.com"] },
    passes: ALL,
  },
  {
    api: "openai-responses",
    name: "OpenAI Responses",
    when: { providers: ["openai"], hosts: ["api.openai.com"] },
    passes: ALL,
    keepsRemoved: true,
  },
  { api: "azure-openai-responses", name: "Azure OpenAI Responses", when: {}, passes: ["text"] },
  { api: "openai-codex-responses", name: "Codex", when: {}, passes: WITHOUT_REMOVALS },
  {
    api: "openai-completions",
    name: "OpenAI Chat Completions",
    when: { providers: ["openai"], hosts: ["api.openai.com"] },
    passes: ["text", "toolsRemoved"],
    keepsRemoved: true,
  },
  {
    api: "google-generative-ai",
    name: "Gemini API",
    when: { providers: ["google"], hosts: ["generativelanguage.googleapis.com"] },
    passes: ["toolsRemoved"],
    keepsRemoved: true,
  },
];

/** "The 'configuration_update' item type is not supported with pro or tournament models" (openrouter.ai, 2026-11). */
const WITHOUT_LEVELS = /gpt-.*-pro\b/;

const rowOf = (model: Model): ChangeRow | undefined =>
  CHANGE_ROWS.find(({ api, when }) => api === model.api && matchesModel(model, when));

/** Whether a removed tool stays declared. */
export function keepsRemovedTools(model: Model): boolean {
  return rowOf(model)?.keepsRemoved === true;
}

/** The changes that the model takes in the list. */
export function changesOf(model: Model): ReadonlySet<ChangeKind> {
  const row = rowOf(model);
  const taken = factsOf(model).takesInPlace ?? [];
  const found = new Set(row ? taken.filter((kind) => row.passes.includes(kind)) : []);
  if (WITHOUT_LEVELS.test(model.id)) found.delete("thinkingLevel");
  return found;
}
