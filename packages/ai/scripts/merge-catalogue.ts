/** Refreshes the catalogue: prices and limits come from the source, everything else stays. */

import { isDeepStrictEqual } from "node:util";
import type { Accounts } from "../src/catalogue/compat/host.js";
import { findModelFault } from "../src/catalogue/find-model-fault.ts";
import type { Model, ModelCost } from "../src/types/model.js";
import { priceAt } from "../src/utils/dated-price.js";
import type { Source, SourceModel } from "./models-dev.ts";

/** One difference between two states of the catalogue. */
export type Change =
  /** `like`: the model whose flags it copied. */
  | { kind: "added"; provider: string; id: string; like?: string }
  /** `replacement`: the id of the model that its users are told. */
  | { kind: "retired"; provider: string; id: string; replacement?: string | undefined }
  | { kind: "removed"; provider: string; id: string }
  /** Fields other than prices and limits. */
  | { kind: "edited"; provider: string; id: string; names: string[] }
  | {
      kind: "changed";
      provider: string;
      id: string;
      fields: { field: string; from: number; to: number }[];
      hasTiers: boolean;
    }
  | { kind: "missing"; provider: string; id: string }
  | { kind: "unlisted"; provider: string }
  /** The source has it, and the table of hosts does not. */
  | { kind: "stranger"; provider: string };

export interface MergedCatalogue {
  models: Model[];
  changes: Change[];
}

/**
 * Merges the source into the catalogue. A model that the source no longer has is kept and reported: a person
 * decides whether to remove it. A new model copies the flags of the provider's model with the most similar id.
 *
 * @throws Error if a merged model is invalid, or if the source has none of our providers
 */
export function mergeCatalogue(
  models: readonly Model[],
  source: Source,
  accounts: Accounts = new Map(),
): MergedCatalogue {
  const merged: MergedCatalogue = { models: [], changes: [] };
  const providers = Map.groupBy(models, (model) => model.provider);
  let listed = 0;
  for (const [provider, own] of providers) {
    const theirs = source.get(accounts.get(provider)?.listing ?? provider);
    if (theirs) {
      listed += 1;
      mergeProvider(own, theirs, merged);
    } else {
      merged.models.push(...own);
      merged.changes.push({ kind: "unlisted", provider });
    }
  }
  if (listed === 0) throw new Error("The source knows none of our providers: is it the right file?");
  merged.models = toCatalogue(merged.models);
  return merged;
}

/**
 * The models in the order of the catalogue.
 *
 * @throws Error if a model is invalid, or if two have the same provider and id
 */
export function toCatalogue(models: readonly Model[]): Model[] {
  for (const model of models) {
    const fault = findModelFault(model);
    if (fault !== undefined) throw new Error(`${model.provider}/${model.id}: ${fault}`);
  }
  const sorted = [...models].sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
  for (const [index, model] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next && sortKey(next) === sortKey(model)) throw new Error(`${model.provider}/${model.id} is listed twice`);
  }
  return sorted;
}

function mergeProvider(own: Model[], theirs: ReadonlyMap<string, SourceModel>, merged: MergedCatalogue): void {
  const known = new Set(own.map((model) => model.id));
  for (const model of own) {
    const update = theirs.get(model.id);
    if (update) updateModel(model, update, merged);
    else {
      merged.models.push(model);
      merged.changes.push({ kind: "missing", provider: model.provider, id: model.id });
    }
  }
  for (const candidate of theirs.values()) {
    if (!known.has(candidate.id) && candidate.suitable) addModel(candidate, own, merged);
  }
}

function updateModel(model: Model, update: SourceModel, merged: MergedCatalogue): void {
  // Sources list models of a subscription as free, which is not their price.
  const prices = Object.values(update.cost).some((price) => price > 0) ? update.cost : {};
  const next: Model = {
    ...model,
    cost: updatedCost(model.cost, { ...model.cost, ...prices }),
    contextWindow: update.contextWindow ?? model.contextWindow,
    maxTokens: update.maxTokens ?? model.maxTokens,
  };
  merged.models.push(next);
  merged.changes.push(...findChangedNumbers(model, next));
}

/** A source knows one price, of its day: the changes with a date are ours. */
export function updatedCost(cost: ModelCost, update: ModelCost): ModelCost {
  if (!cost.changes) return update;
  const { input, output, cacheRead, cacheWrite } = priceAt(cost);
  const isKnown = isDeepStrictEqual(
    [input, output, cacheRead, cacheWrite],
    [update.input, update.output, update.cacheRead, update.cacheWrite],
  );
  return isKnown ? cost : { ...update, changes: cost.changes };
}

/** One change if any price or limit differs, else none. */
export function findChangedNumbers(model: Model, next: Model): Change[] {
  const before = refreshedFields(model);
  const fields = Object.entries(refreshedFields(next))
    .map(([field, to]) => ({ field, from: before[field] ?? 0, to }))
    .filter(({ from, to }) => from !== to);
  const { provider, id, cost } = model;
  return fields.length === 0 ? [] : [{ kind: "changed", provider, id, fields, hasTiers: cost.tiers !== undefined }];
}

function refreshedFields({ cost, contextWindow, maxTokens }: Model): Record<string, number> {
  const { input, output, cacheRead, cacheWrite } = cost;
  return { input, output, cacheRead, cacheWrite, contextWindow, maxTokens };
}

function addModel(candidate: SourceModel, own: readonly Model[], merged: MergedCatalogue): void {
  const { id, name, reasoning, cost, contextWindow, maxTokens } = candidate;
  const like = findMostAlike(candidate, own);
  // A model without limits cannot be used.
  if (!like || contextWindow === undefined || maxTokens === undefined) return;
  const { thinkingLevelMap, ...rest } = like;
  merged.models.push({
    ...rest,
    id,
    name,
    reasoning,
    ...(thinkingLevelMap && reasoning && like.reasoning ? { thinkingLevelMap } : {}),
    input: candidate.readsImages ? ["text", "image"] : ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...cost },
    contextWindow,
    maxTokens,
  });
  merged.changes.push({ kind: "added", provider: like.provider, id, like: like.id });
}

/** The model whose id has the longest common prefix; preferably with the same `reasoning`. */
export function findMostAlike(
  candidate: Pick<SourceModel, "id" | "reasoning">,
  own: readonly Model[],
): Model | undefined {
  const alike = own.filter((model) => model.reasoning === candidate.reasoning);
  let best: Model | undefined;
  let bestLength = -1;
  for (const model of alike.length > 0 ? alike : own) {
    const length = commonStart(model.id, candidate.id);
    if (length > bestLength) [best, bestLength] = [model, length];
  }
  return best;
}

function commonStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}

function sortKey({ provider, id }: Model): string {
  return `${provider}\0${id}`;
}
