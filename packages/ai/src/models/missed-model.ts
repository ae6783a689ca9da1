/**
 * Remembers the last lookup that found no model. Its result, `undefined`, usually causes an error elsewhere, which
 * should name the id. This is a separate file so that a request does not load the catalogue.
 */
import { nearestNames } from "../utils/nearest-names.js";
import { processState } from "../utils/process-state.js";

interface MissedModel {
  provider: string;
  id: string;
  /** The provider's ids, computed only if an error needs them. */
  knownIds: () => Iterable<string>;
}

const latest = /* @__PURE__ */ processState("missed model", (): { missed?: MissedModel } => ({}));

/** Stores a lookup that found nothing. */
export function rememberMissedModel(model: MissedModel): void {
  latest.missed = model;
}

/** A sentence about the last failed lookup, with similar ids; empty if there was none. */
export function describeMissedModel(): string {
  if (!latest.missed) return "";
  const { provider, id, knownIds } = latest.missed;
  const lookup = ` getModel(${JSON.stringify(provider)}, ${JSON.stringify(id)}) found no model`;
  const nearest = nearestNames(String(id), knownIds()).map((name) => JSON.stringify(name));
  return nearest.length === 0
    ? `${lookup}: no model of this provider is known.`
    : `${lookup}; the nearest known ids are ${nearest.join(", ")}.`;
}
