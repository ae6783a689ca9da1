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

/** pi-ai 1.6.0 sends references to Opus, Sonnet and Fable from 4.5 on, to no Haiku (earendil-works/pi#6474, 2026-07). */
const WITHOUT_FINDS = /haiku/;

/**
 * Whether a tool that was added later is sent as the result of a search, because the model takes no added tools as such. "When new
 * tools are discovered by the model, they are injected at the end of the context window" (developers.openai.com, "Tool search"), and
 * deferred tools are not part of the cached beginning (platform.claude.com, "Tool search tool"; both 2026-11). The model need not have
 * asked for the search: `pi_tool_load` of pi-ai 1.6.0, 2026-11.
 *
 * GPT-5.6 and later get `additional_tools`. pi-ai 1.6.0 sends 6.1 and 6.2 all tools in such an item at the beginning. Then a removed
 * tool could not be left out: no source says that a choice of tools may name one of an item. So the first tools stay in `tools`.
 */
export function addsToolsAsFinds(model: Model): boolean {
  const { searchesTools, takesInPlace = [] } = factsOf(model);
  return searchesTools === true && !takesInPlace.includes("toolsAdded") && !WITHOUT_FINDS.test(model.id);
}

/** Whether a removed tool stays declared. */
export function keepsRemovedTools(model: Model): boolean {
  return rowOf(model)?.keepsRemoved === true;
}

/** The changes that the model takes in the list. */
export function changesOf(model: Model): ReadonlySet<ChangeKind> {
  const row = rowOf(model);
  const taken = factsOf(model).takesInPlace ?? [];
  const found = new Set(row ? taken.filter((kind) => row.passes.includes(kind)) : []);
  if (row?.passes.includes("toolsAdded") && addsToolsAsFinds(model)) found.add("toolsAdded");
  if (WITHOUT_LEVELS.test(model.id)) found.delete("thinkingLevel");
  return found;
}
