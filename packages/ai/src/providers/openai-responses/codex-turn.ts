/**
 * Continues from the last response on a connection: the server keeps the conversation up to that response, so only new
 * items are sent.
 */
import { isText } from "../../utils/read-text.js";
import { argumentsOf, fieldOf, kindOf, messageText, objectsOf, requestForm, type WireItem } from "./wire-items.js";

/** The parts of a request and its response that are compared with the next request. */
export interface CodexTurn {
  responseId: string;
  /** All fields of the request except the input. */
  settings: string;
  /** The full input, as sent without a continuation: one entry for each item. */
  input: string[];
  /** The items that the response adds to the conversation. */
  output: string[];
}

/** Splits the body into the parts that are compared; undefined if `onPayload` replaced it with another shape. */
function splitCodexBody(body: unknown): { settings: string; input: unknown[] } | undefined {
  const input = fieldOf(body, "input");
  if (!Array.isArray(input) || fieldOf(body, "previous_response_id") !== undefined) return undefined;
  return { settings: JSON.stringify({ ...Object(body), input: null }), input };
}

/** @param output the completed items of the response, as received */
export function toCodexTurn(body: unknown, responseId: unknown, output: readonly WireItem[]): CodexTurn | undefined {
  const parts = splitCodexBody(body);
  if (!parts || !isText(responseId)) return undefined;
  const input = parts.input.map((item) => JSON.stringify(item));
  return { responseId, settings: parts.settings, input, output: output.flatMap(summarize) };
}

/** The body that continues a turn; undefined if the new request does not continue it. */
export function continueCodexTurn(body: unknown, turn: CodexTurn): Record<string, unknown> | undefined {
  const parts = splitCodexBody(body);
  if (!parts || parts.settings !== turn.settings) return undefined;
  const known = turn.input.length + turn.output.length;
  const { input } = parts;
  if (input.length <= known) return undefined;
  const same =
    turn.input.every((item, index) => item === JSON.stringify(input[index])) &&
    turn.output.every((item, index) => item === summarize(input[turn.input.length + index])[0]);
  return same ? { ...Object(body), previous_response_id: turn.responseId, input: input.slice(known) } : undefined;
}

/** A key of an item's content, equal for its received and sent form. Empty for a message without text, never sent. */
function summarize(value: unknown): string[] {
  const [item] = objectsOf<WireItem>([value]);
  const kind = item && kindOf(item);
  if (!item) return [];
  if (!kind) return [JSON.stringify(requestForm(item))];
  if (kind === "thinking") return [JSON.stringify([kind, item.id, fieldOf(item, "encrypted_content")])];
  if (kind === "toolCall") return [JSON.stringify([kind, item.call_id, item.name, canonical(argumentsOf(item))])];
  const text = messageText(item);
  return text === "" ? [] : [JSON.stringify([kind, item.id, text])];
}

function canonical(json: string): unknown {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}
