/**
 * The model catalogue: about 1,600 models, prices and limits included, and whatever is registered at run time.
 * Importing it parses no data; the first question about a provider parses that provider's models only.
 */
import { catalogueModels, catalogueProviders } from "./models/catalogue.js";
import type { ModelIds, ProviderApis } from "./models/model-ids.generated.js";
import { registeredModel, registeredModels, registeredProviders } from "./models/registered-models.js";
import type { Model, Provider } from "./types/model.js";

export { clampThinkingLevel, getSupportedThinkingLevels } from "./compat/thinking.js";
export { registerModels } from "./models/registered-models.js";

/** A provider in the catalogue. */
export type KnownProvider = keyof ModelIds;

/** The ids of a provider's models in the catalogue. */
export type ModelId<TProvider extends KnownProvider> = ModelIds[TProvider];

/** The wire protocol or protocols that a provider's models in the catalogue speak. */
export type ProviderApi<TProvider extends KnownProvider> = ProviderApis[TProvider];

/** A model; `undefined` where neither the catalogue nor `registerModels` has it. */
export function getModel<TProvider extends KnownProvider>(
  provider: TProvider,
  id: ModelId<TProvider>,
): Model<ProviderApi<TProvider>>;
export function getModel(provider: Provider, id: string): Model | undefined;
export function getModel(provider: Provider, id: string): Model | undefined {
  return registeredModel(provider, id) ?? catalogueModels(provider).get(id);
}

/** A provider's models, sorted by id as the catalogue has them, then the registered ones; none for an unknown provider. */
export function getModels<TProvider extends KnownProvider>(provider: TProvider): Model<ProviderApi<TProvider>>[];
export function getModels(provider: Provider): Model[];
export function getModels(provider: Provider): Model[] {
  const registered = registeredModels(provider);
  if (registered.length === 0) return [...catalogueModels(provider).values()];
  const models = new Map(catalogueModels(provider));
  // A registered model takes the place of the one it overrides.
  for (const model of registered) models.set(model.id, model);
  return [...models.values()];
}

/** The providers that have models: those of the catalogue, then those that only have registered ones. */
export function getProviders(): (KnownProvider | (string & {}))[] {
  return [...new Set([...catalogueProviders(), ...registeredProviders()])];
}

/** Whether two models are the same one: same provider, same id. False if either is missing. */
export function modelsAreEqual(
  left: Pick<Model, "id" | "provider"> | null | undefined,
  right: Pick<Model, "id" | "provider"> | null | undefined,
): boolean {
  return Boolean(left && right && left.id === right.id && left.provider === right.provider);
}
