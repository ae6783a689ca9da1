/** Options and events of compaction. */
import type { Message, Model, SimpleStreamOptions } from "pi-ai";
import type { StreamFn } from "../types/config.js";
import type { AgentMessage } from "../types/message.js";
import type { CompactionMessage, CompactionReason } from "./compaction-message.js";

/** How `compact` keeps a conversation in its window. */
export interface CompactOptions {
  /** The model of the conversation, or a function that returns it. Its `contextWindow` is the window. */
  model: Model | (() => Model);
  /** The share of the window at which the conversation is compacted, above 0 and up to 1. Default 0.8. */
  at?: number;
  /**
   * The tokens of the latest messages that stay as they are. At most half of the threshold is used; the kept part may be
   * larger where tool calls and results must stay together. Default 20,000.
   */
  keep?: number;
  /** Whether old tool results, images and files become notes before anything is summarised. Default true. */
  clearToolResults?: boolean;
  /** What to write in the summary. Default: goals, decisions, facts, files, and what is left to do. */
  prompt?: string;
  /** The model that writes the summary. Default: `model`. */
  summaryModel?: Model;
  /** Sends the request for a summary. Default: `streamSimple` of pi-ai. */
  streamFn?: StreamFn;
  /** Options for that request, such as an API key. `maxTokens` is 8,192 or an eighth of the window by default. */
  requestOptions?: SimpleStreamOptions;
  /** The `convertToLlm` of the agent, if it has one of its own. */
  convertToLlm?: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  /** Called when a compaction begins and ends. `handleEvent` of `pi-agent/embed` takes these events. */
  onEvent?: (event: CompactionEvent) => void;
  /** The time for records, in Unix milliseconds. Default `Date.now`. */
  now?: () => number;
}

/** The progress of a compaction. */
export type CompactionEvent =
  | { type: "compaction_start"; reason: CompactionReason }
  /** Without a `result`, nothing changed, and `errorMessage` says why. */
  | { type: "compaction_end"; result?: CompactionMessage; aborted?: boolean; errorMessage?: string };
