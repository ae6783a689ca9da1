/** The options of a message builder. */
import type { AssistantMessageEvent } from "../types/event.js";
import type { Model } from "../types/model.js";

/** Options of an `AssistantMessageBuilder`. */
export interface BuilderOptions {
  /** The requested model: its names go into the message, its prices into the cost. */
  model: Model;
  /** Receives the events, in order and synchronously. */
  emit: (event: AssistantMessageEvent) => void;
  /** Unix time in milliseconds. */
  timestamp?: number;
  /** Creates ids for tool calls without one. */
  createId?: () => string;
  /** The maximum length of the arguments of one tool call, in characters. */
  maxArgumentsLength?: number | undefined;
}
