/** Models that were added at run time: a company's own gateway, or a model that is newer than the catalogue. */
import { ConfigError } from "../errors.js";
import type { Model } from "../types/model.js";
import { findModelFault } from "./model-fault.js";

/** By provider and id, the registrations of that model; the last one counts. */
const registered = new Map<string, Map<string, Model[]>>();

/**
 * Adds models, or puts them in the place of the ones with the same provider and id. All of them or, at the first
 * fault, none. The objects are kept as they are.
 *
 * @returns takes these models away again; what they replaced is back then
 * @throws ConfigError that names the model and its bad field
 */
export function registerModels(models: readonly Model[]): () => void {
  const added = [...models];
  for (const [index, model] of added.entries()) {
    const fault = findModelFault(model);
    if (fault !== undefined) throw new ConfigError(`registerModels: models[${index}]: ${fault}`);
  }
  // Where each one went is remembered, since its owner may change the object.
  const places = added.map((model) => ({ model, provider: model.provider, id: model.id }));
  for (const { model, provider, id } of places) {
    const ids = registered.get(provider) ?? new Map<string, Model[]>();
    registered.set(provider, ids);
    ids.set(id, [...(ids.get(id) ?? []), model]);
  }
  return () => {
    for (const place of places.splice(0)) remove(place);
  };
}

/** The names of the providers that have registered models. */
export function registeredProviders(): Iterable<string> {
  return registered.keys();
}

/** The registered model, where there is one. */
export function registeredModel(provider: string, id: string): Model | undefined {
  return registered.get(provider)?.get(id)?.at(-1);
}

/** A provider's registered models, in the order in which their ids came. */
export function registeredModels(provider: string): Model[] {
  return [...(registered.get(provider)?.values() ?? [])].flatMap((models) => models.slice(-1));
}

function remove({ model, provider, id }: { model: Model; provider: string; id: string }): void {
  const ids = registered.get(provider);
  const models = ids?.get(id);
  if (!ids || !models) return;
  models.splice(models.lastIndexOf(model), 1);
  if (models.length === 0) ids.delete(id);
  if (ids.size === 0) registered.delete(provider);
}
