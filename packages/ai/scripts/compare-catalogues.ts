/** Compares two states of the catalogue. */
import { isDeepStrictEqual } from "node:util";
import type { Model } from "../src/types/model.js";
import { type Change, findChangedNumbers } from "./merge-catalogue.ts";

/** Prices and limits, which `changed` describes, without the price tiers. */
const NUMBERS: ReadonlySet<string> = new Set(["cost", "contextWindow", "maxTokens"]);

export function compareCatalogues(before: readonly Model[], after: readonly Model[]): Change[] {
  const known = new Map(before.map((model) => [keyOf(model), model]));
  const changes = after.flatMap((model): Change[] => {
    const old = known.get(keyOf(model));
    known.delete(keyOf(model));
    const { provider, id } = model;
    return old ? compareModels(old, model) : [{ kind: "added", provider, id }];
  });
  const removed = [...known.values()].map(({ provider, id }): Change => ({ kind: "removed", provider, id }));
  return [...changes, ...removed];
}

function compareModels(old: Model, model: Model): Change[] {
  const { provider, id, lifecycle } = model;
  if (lifecycle?.status === "retired" && old.lifecycle?.status !== "retired") {
    return [{ kind: "retired", provider, id, replacement: lifecycle.replacement }];
  }
  const numbers = findChangedNumbers(old, model);
  const fields = new Map([...Object.entries(old), ...Object.entries(model)].filter(([name]) => !NUMBERS.has(name)));
  const before: Record<string, unknown> = { ...old };
  const after: Record<string, unknown> = { ...model };
  const names = [...fields.keys()].filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (!isDeepStrictEqual(old.cost.tiers, model.cost.tiers)) names.push("cost.tiers");
  if (!isDeepStrictEqual(old.cost.changes, model.cost.changes)) names.push("cost.changes");
  return names.length === 0 ? numbers : [...numbers, { kind: "edited", provider, id, names: names.sort() }];
}

function keyOf({ provider, id }: Model): string {
  return `${provider}\0${id}`;
}
