/** The options of the detection of loops. */
import type { LoopKind } from "../../types/limit-event.js";

/** When a run counts as repeating itself, and what happens then. */
export interface LoopOptions {
  /** The number of occurrences in a row that count as a loop, at least 2; `no_progress` takes one more. Default 3. */
  repeats?: number;
  /**
   * What happens after the event `loop_noticed`: `"nudge"` sends the model a message, `"stop"` ends the run, `"none"` does
   * nothing more. Default `"nudge"`.
   */
  action?: "nudge" | "stop" | "none";
  /** Returns the message to the model. Default: a text of two sentences that names what repeats. */
  nudge?: (loop: LoopKind, repeats: number) => string;
}

export const DEFAULT_REPEATS = 3;

/** What the model reads about each kind of loop. */
const FINDINGS: Readonly<Record<LoopKind, string>> = {
  same_call: "the same tool calls with the same results",
  cycle: "the same sequence of tool calls with the same results",
  invalid_arguments: "tool calls that were refused before they ran",
  same_text: "the same text",
  no_progress: "tool calls that returned nothing new",
};

/** The default message to the model. */
export function describeLoop(loop: LoopKind, repeats: number): string {
  return `You have repeated yourself ${repeats} times: ${FINDINGS[loop]}. Try another way, or say what is missing and stop.`;
}
