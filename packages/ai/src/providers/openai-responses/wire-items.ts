/** Reads the output items of the Responses API. */
import { isObject } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";

export interface WireItem {
  /** Each kind of item has more fields. */
  [field: string]: unknown;
  type?: string;
  id?: string | null;
  call_id?: string | null;
  name?: string | null;
  phase?: string | null;
  arguments?: unknown;
  input?: unknown;
  content?: unknown;
  summary?: unknown;
  namespace?: unknown;
  caller?: unknown;
}

/** A part of a message or of reasoning. */
export interface WirePart {
  type?: string;
  text?: unknown;
  refusal?: unknown;
  annotations?: unknown;
  logprobs?: unknown;
}

export type ItemKind = "text" | "thinking" | "toolCall";

/** Items of other types are tools in the provider's own format, see `ServerItems`. */
const KINDS: Readonly<Record<string, ItemKind>> = {
  message: "text",
  reasoning: "thinking",
  function_call: "toolCall",
  custom_tool_call: "toolCall",
};

export function kindOf({ type }: WireItem): ItemKind | undefined {
  return ownValue(KINDS, type);
}

/** The id of a tool call: the call's own id and the item's id, which the next request repeats. */
export function toolCallIdOf({ call_id: call, id }: WireItem): string {
  return [call, id].filter(isText).join("|");
}

/** The input of a custom tool may not be JSON; the argument parser checks it. */
export function argumentsOf(item: WireItem): string {
  const value = item.arguments ?? item.input;
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return isText(value) ? value : "";
}

/** Some servers send the text of a message alone in place of its parts. */
export function messageText({ content }: WireItem): string {
  if (typeof content === "string") return content;
  return partTexts(content).join("");
}

/** Reasoning may have a content text, a summary text, or both. */
export function reasoningTexts({ content, summary }: WireItem): Record<"content" | "summary", string> {
  return { content: joinParts(partTexts(content)), summary: joinParts(partTexts(summary)) };
}

/** The separator between two parts of reasoning. */
export const PART_SEPARATOR = "\n\n";

/** A refusal counts as text. */
export function partText(part: WirePart | null | undefined): string {
  const text = part?.text ?? part?.refusal;
  return isText(text) ? text : "";
}

/** The objects of a value that may not be a list. */
export function objectsOf<TObject extends object>(value: unknown): TObject[] {
  // The fields of wire objects are all optional, and are checked where they are read.
  return Array.isArray(value) ? value.filter((one): one is TObject => typeof one === "object" && one !== null) : [];
}

function partTexts(parts: unknown): string[] {
  return objectsOf<WirePart>(parts).map(partText);
}

function joinParts(texts: readonly string[]): string {
  return texts.filter(isText).join(PART_SEPARATOR);
}

/** An item as a request accepts it: `created_by` exists only in responses (openai SDK 7.57, `ResponseInputItem`). */
export function requestForm({ created_by: _, ...item }: WireItem): WireItem {
  return item;
}

/** A field of an unknown value. */
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}
