/** Looks up models of the catalogue for the hand-off tests. */
import { getModel, getModels, type Model } from "pi-ai";

/** @throws Error if the catalogue has no such model */
export function catalogueModel(provider: string, id: string): Model {
  const model = getModel(provider, id);
  if (!model) throw new Error(`The catalogue has no ${provider}/${id}`);
  return model;
}

/** The provider's first model of the api. */
export function firstModelOf(provider: string, api: string): Model {
  const model = getModels(provider).find((candidate) => candidate.api === api);
  if (!model) throw new Error(`The catalogue has no model of ${provider} with the api ${api}`);
  return model;
}
