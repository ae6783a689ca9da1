/**
 * Models that are added at run time: models of a company's own gateway, or models newer than the catalogue. They come
 * from outside of the library, so they are checked.
 */
import { ConfigError } from "../errors.js";
import type { Model } from "../types/model.js";
import { processState } from "../utils/process-state.js";
import { findModelFault } from "./find-model-fault.js";

/** The registrations of each model, by provider and id. The last one wins. */
const registered = /* @__PURE__ */ processState("models", () => new Map<string, Map<string, Model[]>>());

/**
 * Adds models, or replaces those with the same provider and id. If one model is invalid, none is added. The objects are
 * not copied.
 *
 * @returns a function that removes these models and restores what they replaced
 * @throws ConfigError that names the model and its invalid field
 */
export function registerModels(models: readonly Model[]): () => void {
  if (!Array.isArray(models))
    throw new ConfigError("registerModels needs a list of models, such as registerModels([model])");
  const added = [...models];
  for (const [index, model] of added.entries()) {
    const fault = findModelFault(model);
    if (fault !== undefined) throw new ConfigError(`registerModels: models[${index}]: ${fault}`);
  }
  // Remember the place of each model, because the caller may change the object later.
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

/** The registered model, if there is one. */
export function registeredModel(provider: string, id: string): Model | undefined {
  return registered.get(provider)?.get(id)?.at(-1);
}

/** A provider's registered models, in the order in which their ids were first registered. */
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
