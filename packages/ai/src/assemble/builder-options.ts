/** What a builder is made of. */
import type { AssistantMessageEvent } from "../types/event.js";
import type { Model } from "../types/model.js";

/** Options of an `AssistantMessageBuilder`. */
export interface BuilderOptions {
  /** The model that was asked: its names go into the message, its prices into the cost. */
  model: Model;
  /** Takes the events, in order and at once. */
  emit: (event: AssistantMessageEvent) => void;
  /** Unix time in milliseconds. */
  timestamp?: number;
  /** Makes ids for calls that came without one. */
  createId?: () => string;
  /** Longest arguments of one call, in characters. */
  maxArgumentsLength?: number | undefined;
}
