/** How each api puts a model's flags together, and which flags of a model repeat or contradict what is known without them. */

import { ANTHROPIC_ROWS, anthropicFacts, resolveAnthropicFlags } from "../src/catalogue/compat/anthropic.js";
import { BEDROCK_ROWS, bedrockFacts, resolveBedrockFlags } from "../src/catalogue/compat/bedrock.js";
import { factsOf, familyOf } from "../src/catalogue/compat/families.js";
import { GOOGLE_ROWS, resolveGoogleFlags } from "../src/catalogue/compat/google.js";
import { hostRows } from "../src/catalogue/compat/host-rows.js";
import { type CompatRow, matchesModel } from "../src/catalogue/compat/match.js";
import { resolveMistralFlags } from "../src/catalogue/compat/mistral.js";
import { resolveCompletionsFlags } from "../src/catalogue/compat/openai-completions.js";
import { resolveResponsesFlags } from "../src/catalogue/compat/openai-responses.js";
import type { KnownApi } from "../src/index.js";
import type { Model } from "../src/types/model.js";

/** How an api puts its flags together: what a model's family states, then the rows of hosts, then the model's own. */
export interface Compat {
  resolve: (model: Model) => object;
  facts: (model: Model) => object;
  rows: readonly CompatRow<object>[];
}

/** What a family states, without the flags that a model of no family has as well. */
const stated =
  (facts: (model: Model) => object) =>
  (model: Model): object => {
    const unknown = new Map<string, unknown>(Object.entries(facts({ ...model, id: "", name: "" })));
    return Object.fromEntries(Object.entries(facts(model)).filter(([flag, value]) => unknown.get(flag) !== value));
  };

const RESPONSES: Compat = { resolve: resolveResponsesFlags, facts: factsOf, rows: hostRows("responses") };
const GOOGLE: Compat = {
  resolve: resolveGoogleFlags,
  facts: (model) => familyOf(model)?.google ?? {},
  rows: GOOGLE_ROWS,
};
/** An api without flags, such as a new one, has no row. */
export const FLAG_TABLES: Readonly<Partial<Record<KnownApi, Compat>>> = {
  "openai-completions": { resolve: resolveCompletionsFlags, facts: factsOf, rows: hostRows("chat") },
  "openai-responses": RESPONSES,
  "azure-openai-responses": RESPONSES,
  "openai-codex-responses": RESPONSES,
  "anthropic-messages": { resolve: resolveAnthropicFlags, facts: stated(anthropicFacts), rows: ANTHROPIC_ROWS },
  "bedrock-converse-stream": { resolve: resolveBedrockFlags, facts: stated(bedrockFacts), rows: BEDROCK_ROWS },
  "google-generative-ai": GOOGLE,
  "google-vertex": GOOGLE,
  "google-gemini-cli": GOOGLE,
  "mistral-conversations": { resolve: resolveMistralFlags, facts: () => ({}), rows: [] },
};

export const flagTableOf = (api: string): Compat | undefined =>
  Object.hasOwn(FLAG_TABLES, api) ? FLAG_TABLES[api as KnownApi] : undefined; // asked on the line above

/** A flag of a model that says what is known without it, or something else than the row of its host. */
export interface FlagFault {
  flag: string;
  kind: "repeats" | "contradicts";
}

export function findFlagFaults(model: Model): FlagFault[] {
  const table = flagTableOf(model.api);
  if (!table || !model.compat) return [];
  const { compat, ...bare } = model;
  const known = new Map(Object.entries(table.resolve(bare)));
  const rows = table.rows.filter(({ when }) => matchesModel(model, when)).flatMap(({ flags }) => Object.keys(flags));
  return Object.entries(compat).flatMap(([flag, value]): FlagFault[] => {
    if (JSON.stringify(known.get(flag)) === JSON.stringify(value)) return [{ flag, kind: "repeats" }];
    return rows.includes(flag) ? [{ flag, kind: "contradicts" }] : [];
  });
}
