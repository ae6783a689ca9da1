/** The catalogue, refreshed: prices and limits from the source, flags and everything else as we have them. */
import { findModelFault } from "../src/models/model-fault.ts";
import type { Model } from "../src/types/model.js";
import { type Source, type SourceModel, sourceIdOf } from "./models-dev.ts";

/** What became different, for people. */
export type Change =
  | { kind: "added"; provider: string; id: string; like: string }
  | {
      kind: "changed";
      provider: string;
      id: string;
      fields: { field: string; from: number; to: number }[];
      hasTiers: boolean;
    }
  | { kind: "missing"; provider: string; id: string }
  | { kind: "unlisted"; provider: string };

export interface MergedCatalogue {
  models: Model[];
  changes: Change[];
}

/**
 * Merges the source into the catalogue. A model that the source no longer has is kept, and reported: dropping it is a
 * decision for people. A new model takes its flags from the model of its provider whose id is most alike.
 *
 * @throws Error if a merged model is not valid, or if the source knows none of our providers
 */
export function mergeCatalogue(models: readonly Model[], source: Source): MergedCatalogue {
  const merged: MergedCatalogue = { models: [], changes: [] };
  const providers = Map.groupBy(models, (model) => model.provider);
  let listed = 0;
  for (const [provider, own] of providers) {
    const theirs = source.get(sourceIdOf(provider));
    if (theirs) {
      listed += 1;
      mergeProvider(own, theirs, merged);
    } else {
      merged.models.push(...own);
      merged.changes.push({ kind: "unlisted", provider });
    }
  }
  if (listed === 0) throw new Error("The source knows none of our providers: is it the right file?");
  for (const model of merged.models) {
    const fault = findModelFault(model);
    if (fault !== undefined) throw new Error(`${model.provider}/${model.id}: ${fault}`);
  }
  merged.models.sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
  return merged;
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
  // Sources list models of a subscription as free; that says nothing about their price.
  const prices = Object.values(update.cost).some((price) => price > 0) ? update.cost : {};
  const next: Model = {
    ...model,
    cost: { ...model.cost, ...prices },
    contextWindow: update.contextWindow ?? model.contextWindow,
    maxTokens: update.maxTokens ?? model.maxTokens,
  };
  const before = refreshedFields(model);
  const fields = Object.entries(refreshedFields(next))
    .map(([field, to]) => ({ field, from: before[field] ?? 0, to }))
    .filter(({ from, to }) => from !== to);
  merged.models.push(next);
  if (fields.length === 0) return;
  const { provider, id, cost } = model;
  merged.changes.push({ kind: "changed", provider, id, fields, hasTiers: cost.tiers !== undefined });
}

function refreshedFields({ cost, contextWindow, maxTokens }: Model): Record<string, number> {
  const { input, output, cacheRead, cacheWrite } = cost;
  return { input, output, cacheRead, cacheWrite, contextWindow, maxTokens };
}

function addModel(candidate: SourceModel, own: readonly Model[], merged: MergedCatalogue): void {
  const { id, name, reasoning, cost, contextWindow, maxTokens } = candidate;
  const like = findMostAlike(candidate, own);
  // Without limits a model is of no use to anybody.
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

/** The model with the longest common start of the id, of those that think as the candidate does if there is one. */
function findMostAlike(candidate: SourceModel, own: readonly Model[]): Model | undefined {
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
