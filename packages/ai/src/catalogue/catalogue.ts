/** The built-in models. Importing this parses nothing; the first lookup of a provider parses that provider's models. */

import { packedCatalogue } from "../models.generated.js";
import type { Model } from "../types/model.js";
import { ownValue } from "../utils/own-value.js";
import { type PackedCatalogue, unpackProvider, unpackValues } from "./packed-catalogue.js";

let packed: PackedCatalogue | undefined;
let values: readonly unknown[] | undefined;
const unpacked = new Map<string, ReadonlyMap<string, Model>>();
const NO_MODELS: ReadonlyMap<string, Model> = new Map();

/** The names of the providers that have built-in models. */
export function catalogueProviders(): string[] {
  packed ??= packedCatalogue();
  return Object.keys(packed.providers);
}

/** Provider names of earlier pi-ai versions, and their names in the catalogue. */
const PROVIDER_ALIASES: ReadonlyMap<string, string> = new Map([["azure-openai-responses", "azure"]]);

/** A provider's built-in models by id; empty for an unknown provider. */
export function catalogueModels(name: string): ReadonlyMap<string, Model> {
  const provider = PROVIDER_ALIASES.get(name) ?? name;
  const known = unpacked.get(provider);
  if (known) return known;
  packed ??= packedCatalogue();
  const text = ownValue(packed.providers, provider);
  if (text === undefined) return NO_MODELS;
  values ??= unpackValues(packed.values);
  const models = unpackProvider(provider, text, values);
  unpacked.set(provider, models);
  return models;
}
