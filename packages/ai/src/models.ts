/**
 * The model catalogue: about 1,600 models with prices and limits, plus the models registered at run time. Importing it
 * parses no data. The first lookup of a provider parses only that provider's models.
 */
import { catalogueModels, catalogueProviders } from "./catalogue/catalogue.js";
import { rememberLookup, rememberMissedModel } from "./catalogue/missed-model.js";
import type { ModelIds, ProviderApis } from "./catalogue/model-ids.generated.js";
import { registeredModel, registeredModels, registeredProviders } from "./catalogue/registered-models.js";
import type { Model, Provider } from "./types/model.js";
import { withPriceAt } from "./utils/dated-price.js";
import { nearestName, nearestNames } from "./utils/nearest-names.js";

export { registerModels } from "./catalogue/registered-models.js";
export { clampThinkingLevel, getSupportedThinkingLevels } from "./catalogue/thinking-levels.js";

/** A provider in the catalogue. */
export type KnownProvider = keyof ModelIds;

/** The ids of a provider's models in the catalogue. */
export type ModelId<TProvider extends KnownProvider> = ModelIds[TProvider];

/** The names of the apis that a provider's models in the catalogue use. */
export type ProviderApi<TProvider extends KnownProvider> = ProviderApis[TProvider];

/**
 * Returns a model of the catalogue or one that `registerModels` added; `undefined` if there is none.
 *
 * A literal id that is not in the catalogue of a known provider does not compile. An id of type `string` does: it may
 * come from a setting or name a registered model.
 */
export function getModel<TProvider extends KnownProvider>(
  provider: TProvider,
  id: ModelId<TProvider>,
): Model<ProviderApi<TProvider>>;
export function getModel<TProvider extends Provider, TId extends string>(
  provider: TProvider,
  id: DynamicId<TProvider, TId>,
): Model | undefined;
export function getModel(provider: Provider, id: string): Model | undefined {
  rememberLookup(findModel);
  const model = findModel(provider, id);
  if (!model) rememberMissedModel(() => describeMissedModel(provider, id));
  return model;
}

function findModel(provider: string, id: string): Model | undefined {
  const own = registeredModel(provider, id);
  return own ? withPriceAt(own) : catalogueModels(provider).get(id);
}

/** A sentence about a lookup that found nothing, with similar ids. */
function describeMissedModel(provider: Provider, id: string): string {
  const lookup = ` getModel(${JSON.stringify(provider)}, ${JSON.stringify(id)}) found no model`;
  if (id === undefined) return `${lookup}: it takes a provider and an id.`;
  const ids = getModels(provider).map((known) => known.id);
  const owners = getProviders().filter((name) => findModel(name, id));
  if (ids.length === 0)
    return `${lookup}: no model of this provider is known. ${suggestProvider(String(provider), owners)}`;
  const elsewhere = owners.length === 0 ? "" : ` ${nameOwners(owners)}`;
  return `${lookup}; the nearest known ids are ${listNames(nearestNames(String(id), ids))}.${elsewhere}`;
}

/** Most providers to name. */
const MAX_OWNERS = 6;

const listNames = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(", ");

const nameOwners = (owners: readonly string[]): string => `It is a model of ${listNames(owners.slice(0, MAX_OWNERS))}.`;

/** @param owners the providers that have the model */
function suggestProvider(written: string, owners: readonly string[]): string {
  const known = getProviders();
  // A part of a name is enough: `bedrock` for `amazon-bedrock`.
  const near = nearestName(written, known) ?? known.find((name) => name.split("-").includes(written.toLowerCase()));
  if (near !== undefined && (owners.length === 0 || owners.includes(near)))
    return `Did you mean ${JSON.stringify(near)}?`;
  if (owners.length > 0) return nameOwners(owners);
  return "getProviders() lists those that are. A model of a server of your own is an object with its baseUrl.";
}

/** The accepted ids: any `string` variable, but only literals of the catalogue if the provider is known. */
type DynamicId<TProvider extends Provider, TId extends string> = TProvider extends KnownProvider
  ? // Only a type with many values, `string` or a template, makes a record that may be empty.
    Record<never, never> extends Record<TId, unknown>
    ? TId
    : ModelId<TProvider>
  : TId;

/**
 * A provider's models: those of the catalogue sorted by id, then the registered ones. Empty for an unknown provider.
 */
export function getModels<TProvider extends KnownProvider>(provider: TProvider): Model<ProviderApi<TProvider>>[];
export function getModels(provider: Provider): Model[];
export function getModels(provider: Provider): Model[] {
  const registered = registeredModels(provider);
  if (registered.length === 0) return [...catalogueModels(provider).values()];
  const models = new Map(catalogueModels(provider));
  // A registered model replaces the one with the same id.
  for (const model of registered) models.set(model.id, withPriceAt(model));
  return [...models.values()];
}

/** The providers that have models: first those of the catalogue, then those with registered models only. */
export function getProviders(): (KnownProvider | (string & {}))[] {
  return [...new Set([...catalogueProviders(), ...registeredProviders()])];
}

/** Whether two models have the same provider and id. False if either is missing. */
export function modelsAreEqual(
  left: Pick<Model, "id" | "provider"> | null | undefined,
  right: Pick<Model, "id" | "provider"> | null | undefined,
): boolean {
  return Boolean(left && right && left.id === right.id && left.provider === right.provider);
}
