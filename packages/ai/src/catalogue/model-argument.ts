/**
 * Checks the model that a caller passes. JavaScript callers, and ids that `getModel` does not know, bypass the types.
 */
import { ConfigError } from "../errors.js";
import type { Model } from "../types/model.js";
import { nearestNames } from "../utils/nearest-names.js";
import { processState } from "../utils/process-state.js";

const EXAMPLE = 'getModel("anthropic", "claude-sonnet-4-6")';

/**
 * Throws unless the argument has the fields of a model.
 *
 * @throws ConfigError that says what was passed and what to write instead
 */
export function assertModel(model: unknown): asserts model is Model {
  if (typeof model === "object" && model !== null && "api" in model && typeof model.api === "string") return;
  throw new ConfigError(describeFault(model));
}

/**
 * The error for an agent without a model. The agent's placeholder model has the value "unknown" in every name field.
 */
export function missingModelError(): ConfigError {
  return new ConfigError(
    `No model was given. An Agent takes it as initialState.model: new Agent({ initialState: { model: ${EXAMPLE} } }).${describeMissedModel()}`,
  );
}

function describeFault(model: unknown): string {
  const fault = `The argument "model" must be a model object, such as ${EXAMPLE}, but it is`;
  if (model === undefined || model === null) return `${fault} ${model}.${describeMissedModel()}`;
  if (typeof model === "string") return `${fault} the string ${JSON.stringify(model)}. ${suggestLookup(model)}`;
  return `${fault} ${typeof model === "object" ? "an object without an api" : `a ${typeof model}`}.`;
}

/** Other libraries name a model by `provider/id`. */
function suggestLookup(name: string): string {
  const slash = name.indexOf("/");
  if (slash < 1) return `Write getModel(provider, ${JSON.stringify(name)}).`;
  return `Write getModel(${JSON.stringify(name.slice(0, slash))}, ${JSON.stringify(name.slice(slash + 1))}).`;
}

// Remembers the last lookup that found no model. Its result, `undefined`, usually causes an error elsewhere, which
// should name the id. It is kept apart from the catalogue, which a request does not load.

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
