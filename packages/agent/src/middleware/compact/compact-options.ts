/** The options of compaction, their checks, and its events. */
import type { Message, Model, SimpleStreamOptions } from "pi-ai";
import {
  type Check,
  type Checks,
  checkOptions,
  describeValue,
  mayBeAnything,
  mustBeFlag,
  mustBeFunction,
  mustBeObject,
  mustBeText,
} from "../../checks.js";
import type { StreamFn } from "../../types/hooks.js";
import type { AgentMessage } from "../../types/message.js";
import type { CompactionMessage, CompactionReason } from "./context-view.js";

/** How `compact` keeps a conversation in the window of its model. */
export interface CompactOptions {
  /** The share of the window above which the conversation is compacted, above 0 and up to 1. Default 0.8. */
  at?: number | undefined;
  /**
   * How many tokens of the latest messages stay as they are, at most half of what `at` allows. From half as many on stay if
   * a user message begins there; more if a tool call and its result, or an interrupted response and its continuation, would
   * be separated; fewer if the rest is still too large. Default 20,000.
   */
  keep?: number | undefined;
  /** Whether notes replace old tool results, images and files before anything is summarised. Default true. */
  clearToolResults?: boolean | undefined;
  /** The instructions for the summary. Default: goals, decisions, what was done with all exact names, what is left to do. */
  prompt?: string | undefined;
  /** The model that writes the summary. Default: that of the conversation. */
  summaryModel?: Model | undefined;
  /**
   * Options for the requests for a summary, which replace those of the run. `maxTokens` is by default the smallest of 8,192,
   * the maximum of the summary model, and an eighth of its window.
   */
  requestOptions?: SimpleStreamOptions | undefined;
  /** Called when a compaction starts and ends. `handleEvent` of `subscribeEmbedded` accepts these events. */
  onEvent?: ((event: CompactionEvent) => void) | undefined;
}

/** Options of a compaction outside a run. */
export interface ManualCompactOptions extends Pick<CompactOptions, "prompt" | "requestOptions"> {
  /** The model of the conversation. Its `contextWindow` is the window, in tokens. */
  model: Model;
  /** Aborts the compaction. */
  signal?: AbortSignal | undefined;
  /** Sends the requests for a summary. Default: `streamSimple` of pi-ai. */
  streamFn?: StreamFn | undefined;
  /** Converts messages for a summary. Default: messages that a model cannot read are left out. */
  convertToLlm?: ((messages: AgentMessage[]) => Message[] | Promise<Message[]>) | undefined;
}

/** An event of a compaction. Each has one start and one end. */
export type CompactionEvent =
  | { type: "compaction_start"; reason: CompactionReason }
  /** `result` is the new record. Without it, nothing has changed, and `errorMessage` says why. */
  | { type: "compaction_end"; result?: CompactionMessage; aborted?: boolean; errorMessage?: string };

const EXAMPLE = 'getModel("anthropic", "claude-sonnet-5-5")';

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

const mustBeNumber: Check = (name, value) => {
  if (typeof value !== "number") throw new TypeError(`${name} must be a number, not ${describeValue(value)}`);
};

// The functions take the value as JavaScript callers pass it.
const mustBeModel: Check = (name, value) => void checkModel(name, value as Model);

// Records, so that a new option fails to compile here.
const OPTIONS: Checks<keyof CompactOptions> = {
  summaryModel: mustBeModel,
  at: (name, value) => {
    mustBeNumber(name, value);
    if (!(Number(value) > 0 && Number(value) <= 1))
      throw new RangeError(`${name} must be above 0 and at most 1, not ${value}`);
  },
  keep: (name, value) => {
    mustBeNumber(name, value);
    // A share, as `at` is one, would keep nothing.
    if (!(Number(value) >= 0) || (Number(value) > 0 && Number(value) < 1))
      throw new RangeError(`${name} must be a number of tokens, not ${value}`);
  },
  prompt: mustBeText,
  requestOptions: mustBeObject,
  onEvent: mustBeFunction,
  clearToolResults: mustBeFlag,
};
const MANUAL: Checks<keyof ManualCompactOptions> = {
  model: mayBeAnything,
  prompt: mustBeText,
  requestOptions: mustBeObject,
  signal: mayBeAnything,
  streamFn: mustBeFunction,
  convertToLlm: mustBeFunction,
};

export function checkCompactOptions(options: CompactOptions): void {
  // JavaScript callers may pass anything.
  const given: unknown = options;
  if (typeof given !== "object" || given === null)
    throw new TypeError(`compact needs an object of options, such as { at: 0.8 }, but got ${String(given)}`);
  checkOptions(given, OPTIONS);
}

/** Checks the options of a compaction by hand, except the model. */
export function checkManualOptions(manual: ManualCompactOptions): void {
  // JavaScript callers may pass nothing.
  checkOptions(Object(manual), MANUAL);
}

/** @throws TypeError for anything but a list, such as the agent itself */
export function checkMessages(messages: readonly unknown[]): void {
  if (!Array.isArray(messages))
    throw new TypeError(`messages must be a list, such as agent.state.messages, not ${describeValue(messages)}`);
}
