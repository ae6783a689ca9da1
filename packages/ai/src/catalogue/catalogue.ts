/** The built-in models. Importing this parses nothing; the first lookup of a provider parses that provider's models. */

import { packedCatalogue } from "../models.generated.js";
import type { Model } from "../types/model.js";
import { withPriceAt } from "../utils/dated-price.js";
import { ownValue } from "../utils/own-value.js";
import { type PackedCatalogue, unpackProvider, unpackValues } from "./packed-catalogue.js";

let packed: PackedCatalogue | undefined;
let values: readonly unknown[] | undefined;
const unpacked = new Map<string, Map<string, Model>>();
/** The models whose prices have dates, by the models of their provider. */
const dated = new WeakMap<ReadonlyMap<string, Model>, readonly Model[]>();

/** The names of the providers that have built-in models. */
export function catalogueProviders(): string[] {
  packed ??= packedCatalogue();
  return Object.keys(packed.providers);
}

/** Provider names of earlier pi-ai versions, and their names in the catalogue. */
const PROVIDER_ALIASES: ReadonlyMap<string, string> = new Map([["azure-openai-responses", "azure"]]);

/** A provider's built-in models by id, with today's prices; empty for an unknown provider. */
export function catalogueModels(name: string): ReadonlyMap<string, Model> {
  const models = unpackedModels(PROVIDER_ALIASES.get(name) ?? name);
  for (const model of dated.get(models) ?? []) models.set(model.id, withPriceAt(models.get(model.id) ?? model));
  return models;
}

function unpackedModels(provider: string): Map<string, Model> {
  const known = unpacked.get(provider);
  if (known) return known;
  packed ??= packedCatalogue();
  const text = ownValue(packed.providers, provider);
  if (text === undefined) return new Map();
  values ??= unpackValues(packed.values);
  const models = unpackProvider(provider, text, values);
  unpacked.set(provider, models);
  const changing = [...models.values()].filter(({ cost }) => cost.changes);
  if (changing.length > 0) dated.set(models, changing);
  return models;
}
