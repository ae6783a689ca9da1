/** Whole answers of Chat Completions and of apis modelled on it: a message stands where a stream has deltas. */
import type { WireEvent } from "../driver/index.js";
import { isRecord } from "../utils/is-object.js";
import { DONE } from "../wire/index.js";

type Fields = Record<string, unknown>;

/** Returns the events of the stream of a `chat.completion`. A choice with a delta is a chunk, and no whole answer. */
export function readWholeChat(answer: object): WireEvent[] | undefined {
  const { choices, ...rest }: Fields = { ...answer };
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isWholeChoice)) return undefined;
  return [
    { ...rest, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: toDelta(message) })) },
    DONE,
  ];
}

function isWholeChoice(choice: unknown): choice is Fields & { message: Fields } {
  return isRecord(choice) && isRecord(choice["message"]) && !isRecord(choice["delta"]);
}

/** The tool calls of a message have no index. */
function toDelta(message: Fields): Fields {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call, index) => (isRecord(call) ? { index, ...call } : call)) };
}
