/** Checks the options of `compact` at once. Otherwise a mistake would only show as a conversation that is never compacted. */
import type { Model } from "pi-ai";
import {
  type Check,
  type Checks,
  checkOptions,
  describeValue,
  isFlag,
  isFunction,
  isObject,
  isText,
} from "../settings/check-options.js";
import type { CompactOptions } from "./compact-options.js";

const EXAMPLE = 'getModel("anthropic", "claude-sonnet-4-6")';

// A record, so that a new option fails to compile here.
const OPTIONS: Checks<keyof CompactOptions> = {
  model: (name, value) => {
    // A function is called when the conversation is measured. Anything else is checked as a model.
    if (typeof value !== "function") checkModel(name, value as Model);
  },
  summaryModel: (name, value) => void checkModel(name, value as Model),
  at: (name, value) => {
    isNumber(name, value);
    if (!(Number(value) > 0 && Number(value) <= 1))
      throw new RangeError(`${name} must be above 0 and at most 1, not ${value}`);
  },
  keep: (name, value) => {
    isNumber(name, value);
    if (!(Number(value) >= 0)) throw new RangeError(`${name} must be a number of tokens, not ${value}`);
  },
  prompt: isText,
  streamFn: isFunction,
  requestOptions: isObject,
  convertToLlm: isFunction,
  onEvent: isFunction,
  now: isFunction,
  clearToolResults: isFlag,
};

const isNumber: Check = (name, value) => {
  if (typeof value !== "number") throw new TypeError(`${name} must be a number, not ${describeValue(value)}`);
};

/**
 * @throws TypeError for an unknown option, one of another type, and a missing model; RangeError for a number out of range,
 *   and for a model without a window
 */
export function checkCompactOptions(options: CompactOptions): void {
  // JavaScript callers may pass anything.
  const given: unknown = options;
  if (typeof given !== "object" || given === null)
    throw new TypeError(`compact needs an object of options, such as { model: ${EXAMPLE} }, but got ${String(given)}`);
  checkOptions(given, OPTIONS);
  if (options.model === undefined) checkModel("model", options.model);
}

/**
 * Returns the model. Without its window, nothing would ever be compacted.
 *
 * @throws TypeError unless it is a model; RangeError unless it has a window
 */
export function checkModel(name: string, model: Model): Model {
  // JavaScript callers may pass anything.
  const given: unknown = model;
  if (typeof given !== "object" || given === null || typeof Reflect.get(given, "id") !== "string")
    throw new TypeError(`${name} must be a model, such as ${EXAMPLE}, not ${describeValue(given)}`);
  if (!(model.contextWindow > 0))
    throw new RangeError(
      `The contextWindow of ${name} "${model.id}" must be a number of tokens above 0, not ${String(model.contextWindow)}`,
    );
  return model;
}

/** @throws TypeError for anything but a list, such as the agent itself */
export function checkMessages(messages: readonly unknown[]): void {
  if (!Array.isArray(messages))
    throw new TypeError(`messages must be a list, such as agent.state.messages, not ${describeValue(messages)}`);
}
