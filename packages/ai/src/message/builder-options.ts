/** The options of an `AssistantMessageBuilder`. */
import type { AssistantMessageEvent } from "../types/event.js";
import type { Model } from "../types/model.js";

/** Options of an `AssistantMessageBuilder`. */
export interface BuilderOptions {
  /** The requested model: its names go into the message, its prices into the cost. */
  model: Model;
  /** Receives the events, in order and synchronously. */
  emit: (event: AssistantMessageEvent) => void;
  /** Unix time in milliseconds. */
  timestamp?: number | undefined;
  /** Creates ids for tool calls without one. */
  createId?: (() => string) | undefined;
  /** The maximum length of the arguments of one tool call, in characters. */
  maxArgumentsLength?: number | undefined;
  /**
   * The maximum number of blocks. What exceeds it throws a ProtocolError. Default 25,000. Citations and diagnostics together
   * may be as many, but not more than 2,000.
   */
  maxBlocks?: number | undefined;
}
