/**
 * The last lookup that found no model. Its result, `undefined`, mostly fails somewhere else, and the error there should
 * name the id. Apart from the catalogue, so that calling a model does not load it.
 */
import { nearestNames } from "../utils/nearest-names.js";

interface MissedModel {
  provider: string;
  id: string;
  /** The ids that the provider has, read only when an error needs them. */
  knownIds: () => Iterable<string>;
}

let missed: MissedModel | undefined;

/** Remembers a lookup without a result. */
export function rememberMissedModel(model: MissedModel): void {
  missed = model;
}

/** A sentence about the last lookup without a result, with the nearest known ids; empty where there was none. */
export function describeMissedModel(): string {
  if (!missed) return "";
  const { provider, id, knownIds } = missed;
  const lookup = ` getModel(${JSON.stringify(provider)}, ${JSON.stringify(id)}) found no model`;
  const nearest = nearestNames(String(id), knownIds()).map((name) => JSON.stringify(name));
  return nearest.length === 0
    ? `${lookup}: no model of this provider is known.`
    : `${lookup}; the nearest known ids are ${nearest.join(", ")}.`;
}
