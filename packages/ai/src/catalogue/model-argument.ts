/**
 * Checks the model that a caller passes. JavaScript callers, and ids that `getModel` does not know, bypass the types.
 */
import { ConfigError } from "../errors.js";
import type { Model } from "../types/model.js";
import { findCostFault } from "../utils/cost-fault.js";
import { isObject } from "../utils/is-object.js";
import { isPromise, nameValue } from "../utils/name-value.js";
import { describeMissedModel } from "./missed-model.js";

const EXAMPLE = 'getModel("anthropic", "claude-sonnet-5-5")';

/**
 * Throws unless the argument has the fields of a model.
 *
 * @throws ConfigError that says what was passed and what to write instead
 */
export function assertModel(model: unknown): asserts model is Model {
  if (typeof Object(model).api !== "string") throw new ConfigError(describeFault(model));
}

/**
 * Throws unless a model has the fields that each request reads. The type demands more, without which a request does well.
 *
 * @throws ConfigError that says what to write
 */
export function assertModelFields({ id, input, cost }: Readonly<Partial<Model>>): void {
  const missing = Array.isArray(input) ? (isObject(cost) ? undefined : COST) : INPUT;
  if (missing !== undefined) throw new ConfigError(`The model ${nameValue(id)} lacks a field. Write ${missing}.`);
  const wrong = findCostFault(cost);
  if (wrong !== undefined) throw new ConfigError(`The model ${nameValue(id)} has a wrong price: ${wrong}`);
}

const INPUT = 'input: ["text"], or ["text", "image"]';
const COST = "cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, in US dollars per million tokens";

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
  if (isPromise(model)) return `${fault} ${nameValue(model)}.`;
  return `${fault} ${typeof model === "object" ? "an object without an api" : `a ${typeof model}`}.`;
}

/** Other libraries name a model by `provider/id`. */
function suggestLookup(name: string): string {
  const slash = name.indexOf("/");
  if (slash < 1) return `Write getModel(provider, ${JSON.stringify(name)}).`;
  return `Write getModel(${JSON.stringify(name.slice(0, slash))}, ${JSON.stringify(name.slice(slash + 1))}).`;
}
