/** Checks the options of `compact` at once. Otherwise a mistake would only show as a conversation that is never compacted. */
import type { Model } from "pi-ai";
import type { CompactOptions } from "./compact-options.js";

const EXAMPLE = 'getModel("anthropic", "claude-sonnet-4-6")';

/** The types of options. TypeScript does not check those of JavaScript callers, or of values of the type `any`. */
const TYPES = {
  at: "number",
  keep: "number",
  prompt: "string",
  streamFn: "function",
  convertToLlm: "function",
  onEvent: "function",
  now: "function",
  clearToolResults: "boolean",
} as const satisfies { readonly [TName in keyof CompactOptions]?: string };

/**
 * @throws TypeError for an option of another type, and for a missing model; RangeError for a number out of range, and for a
 *   model without a window
 */
export function checkOptions(options: CompactOptions): void {
  // JavaScript callers may pass anything.
  const given: unknown = options;
  if (typeof given !== "object" || given === null)
    throw new TypeError(`compact needs an object of options, such as { model: ${EXAMPLE} }, but got ${String(given)}`);
  for (const [name, type] of Object.entries(TYPES)) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined && typeof value !== type)
      throw new TypeError(`${name} must be a ${type}, not ${describe(value)}`);
  }
  const { at, keep, model, summaryModel } = options;
  if (at !== undefined && !(at > 0 && at <= 1)) throw new RangeError(`at must be above 0 and at most 1, not ${at}`);
  if (keep !== undefined && !(keep >= 0)) throw new RangeError(`keep must be a number of tokens, not ${keep}`);
  if (typeof model !== "function") checkModel("model", model);
  if (summaryModel !== undefined) checkModel("summaryModel", summaryModel);
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
    throw new TypeError(`${name} must be a model, such as ${EXAMPLE}, not ${describe(given)}`);
  if (!(model.contextWindow > 0))
    throw new RangeError(
      `The contextWindow of ${name} "${model.id}" must be a number of tokens above 0, not ${String(model.contextWindow)}`,
    );
  return model;
}

/** @throws TypeError for anything but a list, such as the agent itself */
export function checkMessages(messages: readonly unknown[]): void {
  if (!Array.isArray(messages))
    throw new TypeError(`messages must be a list, such as agent.state.messages, not ${describe(messages)}`);
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "another object";
  return typeof value === "function" ? "a function" : String(value);
}
