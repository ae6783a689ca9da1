/**
 * Merges a whole catalogue into ours. What it says about a model wins: name, limits, prices, levels. Our own flags stay, and
 * of those of a new model only what neither its host's nor its family's row states. A model that is gone is kept as retired
 * until a release has said so.
 */
import { familyOf } from "../src/catalogue/compat/families.js";
import { plainId } from "../src/catalogue/compat/family.js";
import type { Model } from "../src/types/model.js";
import type { CatalogueSource } from "./catalogue-source.ts";
import { compareCatalogues } from "./compare-catalogues.ts";
import { findFlagFaults } from "./flag-tables.ts";
import { type Change, findMostAlike, type MergedCatalogue, toCatalogue, updatedCost } from "./merge-catalogue.ts";

/** What sources state wrongly. ai.google.dev, "Gemini 4", 2026-11: a stream ends after 65,536 tokens, as at Vertex AI. */
const CORRECTIONS: ReadonlyMap<string, Partial<Model>> = new Map([
  ["google/gemini-4-argon", { maxTokens: 65_536 }],
  ["google/gemini-4-carbon", { maxTokens: 65_536 }],
]);

export interface MergeOptions {
  /** Drop the models that were retired before: a release has told their users. */
  dropRetired?: boolean | undefined;
}

export function mergeModels(
  models: readonly Model[],
  source: CatalogueSource,
  { dropRetired = false }: MergeOptions = {},
): MergedCatalogue {
  const ours = new Map([...Map.groupBy(models, ({ provider }) => provider)]);
  const merged: Model[] = [];
  const notes: Change[] = [];
  for (const [provider, own] of ours) {
    const theirs = source.get(provider);
    if (theirs) mergeProvider(own, theirs, { merged, notes, dropRetired });
    else {
      merged.push(...own);
      notes.push({ kind: "unlisted", provider });
    }
  }
  // A provider without an account in the table of hosts is refused when the files are written.
  for (const [provider, theirs] of source) if (!ours.has(provider)) merged.push(...theirs.values());
  const sorted = toCatalogue(merged.map(withoutRepeats));
  return { models: sorted, changes: [...compareCatalogues(models, sorted), ...notes] };
}

interface Merging {
  merged: Model[];
  notes: Change[];
  dropRetired: boolean;
}

function mergeProvider(own: Model[], theirs: ReadonlyMap<string, Model>, merging: Merging): void {
  const known = new Set(own.map(({ id }) => id));
  for (const model of own) {
    const update = theirs.get(model.id);
    if (update) merging.merged.push(updated(model, update));
    else if (model.lifecycle?.status !== "retired") merging.merged.push(retired(model, [...theirs.values()]));
    else if (!merging.dropRetired) merging.merged.push(model);
  }
  for (const candidate of theirs.values()) {
    if (!known.has(candidate.id)) merging.merged.push(added(candidate, own));
  }
}

/** Our flags, headers, dates and ends stay where the source says nothing; its word for a level wins over ours. */
function updated(model: Model, update: Model): Model {
  const { compat: _compat, headers: _headers, thinkingLevelMap, ...said } = update;
  const map = { ...model.thinkingLevelMap, ...thinkingLevelMap };
  const correct = CORRECTIONS.get(`${model.provider}/${model.id}`);
  const next: Model = { ...model, ...said, ...correct, cost: updatedCost(model.cost, update.cost) };
  if (Object.keys(map).length > 0) next.thinkingLevelMap = map;
  return next;
}

function added(candidate: Model, own: readonly Model[]): Model {
  const { compat, headers: _headers, ...rest } = candidate;
  const headers = findMostAlike(candidate, own)?.headers;
  const faults = new Set(findFlagFaults(candidate).map(({ flag }) => flag));
  // What is known of the host contradicts a flag only where somebody has looked it up.
  const kept = Object.entries(compat ?? {}).filter(([flag]) => !faults.has(flag));
  return {
    ...rest,
    ...(headers && { headers }),
    ...(kept.length > 0 && { compat: Object.fromEntries(kept) }),
  };
}

/** The model without flags that its host's or its family's row states by now, too. */
function withoutRepeats(model: Model): Model {
  const repeated = findFlagFaults(model).filter(({ kind }) => kind === "repeats");
  if (repeated.length === 0) return model;
  const { compat = {}, ...rest } = model;
  const names = new Set(repeated.map(({ flag }) => flag));
  const kept = Object.entries(compat).filter(([flag]) => !names.has(flag));
  return kept.length === 0 ? rest : { ...rest, compat: Object.fromEntries(kept) };
}

function retired(model: Model, listed: readonly Model[]): Model {
  const replacement = model.lifecycle?.replacement ?? replacementOf(model, listed);
  return {
    ...model,
    lifecycle: { ...model.lifecycle, status: "retired", ...(replacement !== undefined && { replacement }) },
  };
}

/** The model of the same family whose id begins with the same words; of two of them the newer one. */
function replacementOf(model: Model, listed: readonly Model[]): string | undefined {
  const family = familyOf(model)?.family;
  const wanted = wordsOf(model.id);
  let best: { id: string; shared: number } | undefined;
  for (const { id } of listed) {
    if (familyOf({ id })?.family !== family) continue;
    const shared = sharedWords(wanted, wordsOf(id));
    const isBetter = best === undefined || shared > best.shared || (shared === best.shared && isNewer(id, best.id));
    if (shared > 0 && isBetter) best = { id, shared };
  }
  return best?.id;
}

/** The words of an id without the vendor's name before a slash, and without the numbers, which differ. */
function wordsOf(id: string): string[] {
  return plainId(id.slice(id.lastIndexOf("/") + 1))
    .split(/[\d-]+/)
    .filter((word) => word !== "");
}

/** The words that both have, the first of which must be the same. */
function sharedWords(left: readonly string[], right: readonly string[]): number {
  if (left[0] !== right[0]) return 0;
  const same = left.filter((word) => right.includes(word)).length;
  return same / Math.max(left.length, right.length);
}

function isNewer(left: string, right: string): boolean {
  return plainId(left).localeCompare(plainId(right), "en", { numeric: true }) > 0;
}
