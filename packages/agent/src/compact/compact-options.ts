/** Options and events of compaction. */
import type { Message, Model, SimpleStreamOptions } from "pi-ai";
import type { StreamFn } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { CompactionMessage, CompactionReason } from "./compaction-message.js";

/** How `compact` keeps a conversation in its window. */
export interface CompactOptions {
  /** The model of the conversation, or a function that returns it. Its `contextWindow` is the window, in tokens. */
  model: Model | (() => Model);
  /** The share of the window above which the conversation is compacted, above 0 and up to 1. Default 0.8. */
  at?: number;
  /**
   * How many tokens of the latest messages stay as they are, at most half of what `at` allows. More stay if a tool call and its
   * result, or a paused response and its continuation, would be separated; fewer if the rest is still too large. Default 20,000.
   */
  keep?: number;
  /** Whether notes replace old tool results, images and files before anything is summarised. Default true. */
  clearToolResults?: boolean;
  /** The instructions for the summary. Default: goals, decisions, what was done with all exact names, what is left to do. */
  prompt?: string;
  /** The model that writes the summary. Default: `model`. */
  summaryModel?: Model;
  /** Sends the requests for a summary. Default: the stream function of the run; outside a run `streamSimple` of pi-ai. */
  streamFn?: StreamFn;
  /**
   * Options for these requests, in addition to the key and the options of the run; outside a run such as an API key. They
   * replace those of the run. `maxTokens` is by default the smallest of 8,192, the maximum of the
   * summary model, and an eighth of its window.
   */
  requestOptions?: SimpleStreamOptions;
  /**
   * Converts messages for a summary outside a run. In a run they pass the agent's `transformContext` and `convertToLlm`.
   * Default: messages that a model cannot read are left out.
   */
  convertToLlm?: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  /** Called when a compaction starts and ends. `handleEvent` of `subscribeEmbedded` accepts these events. */
  onEvent?: (event: CompactionEvent) => void;
  /** Returns the timestamp of a record, in Unix milliseconds. Default: the clock of the run, or `Date.now`. */
  now?: () => number;
}

/** An event of a compaction. Each has one start and one end. */
export type CompactionEvent =
  | { type: "compaction_start"; reason: CompactionReason }
  /** `result` is the new record. Without it, nothing has changed, and `errorMessage` says why. */
  | { type: "compaction_end"; result?: CompactionMessage; aborted?: boolean; errorMessage?: string };
