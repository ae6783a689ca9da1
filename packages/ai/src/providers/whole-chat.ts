/** Whole answers of Chat Completions and of apis modelled on it: a message stands where a stream has deltas. */
import type { WireEvent } from "../driver/index.js";
import { isRecord } from "../utils/is-object.js";
import { isText } from "../utils/read-text.js";
import { DONE } from "../wire/index.js";

type Fields = Record<string, unknown>;

/**
 * Returns the events of the stream of a `chat.completion`. A choice with a delta is a chunk, and no whole answer.
 *
 * @param isEvent whether it is the first event of a stream: without a reason to end, more follow
 */
export function readWholeChat(answer: object, isEvent = false): WireEvent[] | undefined {
  const { choices, ...rest }: Fields = { ...answer };
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isWholeChoice)) return undefined;
  if (isEvent && !choices.some((choice) => choice.finish_reason)) return undefined;
  return [
    { ...rest, choices: choices.map(({ message, text, ...choice }) => ({ ...choice, delta: toDelta(message, text) })) },
    DONE,
  ];
}

/** Servers that answer as the older Completions API does have a text in place of the message. */
function isWholeChoice(choice: unknown): choice is Fields & { finish_reason?: unknown } {
  return isRecord(choice) && (isRecord(choice["message"]) || isText(choice["text"])) && !isRecord(choice["delta"]);
}

/** The tool calls of a message have no index. */
function toDelta(message: unknown, text: unknown): Fields {
  if (!isRecord(message)) return { content: text };
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call, index) => (isRecord(call) ? { index, ...call } : call)) };
}
