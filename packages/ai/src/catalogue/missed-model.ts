/**
 * Remembers the last lookup that found no model. Its result, `undefined`, usually causes an error elsewhere, which
 * should name the id. It is kept apart from the catalogue, which a request does not load.
 */
import type { Model } from "../types/model.js";
import { processState } from "../utils/process-state.js";

const latest = /* @__PURE__ */ processState("missed model", (): { describe?: () => string } => ({}));

const lookup = /* @__PURE__ */ processState("lookup of models", () => ({
  find: undefined as ((provider: string, id: string) => Model | undefined) | undefined, // set by the first lookup
}));

/** Keeps the lookup of a program that has used it, for code that must not load the catalogue by itself. */
export function rememberLookup(find: (provider: string, id: string) => Model | undefined): void {
  lookup.find = find;
}

/** The model of an id, if the program has looked models up. */
export function findKnownModel(provider: string, id: string): Model | undefined {
  return lookup.find?.(provider, id);
}

/** Stores a lookup that found nothing, as a sentence that is made when an error needs it. */
export function rememberMissedModel(describe: () => string): void {
  latest.describe = describe;
}

/** A sentence about the last failed lookup; empty if there was none. */
export function describeMissedModel(): string {
  return latest.describe?.() ?? "";
}
