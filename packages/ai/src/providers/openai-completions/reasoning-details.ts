/**
 * Stores the `reasoning_details` of gateways. The whole sequence must be sent back unchanged (openrouter.ai/docs,
 * "Reasoning tokens: preserving reasoning", 2026-11). The details of a tool call are kept in the tool call, see
 * `ToolCallTracker`; the others are kept in the signature of the thinking block.
 */
import type { BlockKey, MessageSink } from "../../message/index.js";
import type { ThinkingContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { toWellFormed } from "../../utils/sanitize-unicode.js";

type Detail = Record<string, unknown>;

/** The content of a thinking signature with details. */
interface DetailsSignature {
  /** The reasoning field that held the same text. */
  field?: string | undefined;
  /**
   * The details in order. `true` instead of a text stands for the text of the block, and `{ toolCall }` for a detail
   * that the tool call keeps.
   */
  details: Detail[];
}

/** The field with the text, by the type of a detail. */
const TEXT_FIELDS: Readonly<Record<string, string>> = { "reasoning.text": "text", "reasoning.summary": "summary" };
/** The fields of a detail that holds nothing but its text. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(["type", "index", "format", "text", "summary"]);

export class ReasoningDetails {
  readonly #details: Detail[] = [];
  /** Texts that may grow, by type and index. */
  readonly #growing = new Map<string, Detail>();

  /** Texts of one index arrive in pieces; other details arrive whole. */
  add(details: readonly unknown[]): void {
    for (const detail of details) {
      if (!isRecord(detail) || isEmptyDetail(detail)) continue;
      const field = textFieldOf(detail);
      const key = JSON.stringify([detail["type"], detail["index"]]);
      const grown = field === undefined ? undefined : this.#growing.get(key);
      if (grown && field !== undefined) grow(grown, detail, field);
      else {
        const copy = { ...detail };
        this.#details.push(copy);
        if (field !== undefined) this.#growing.set(key, copy);
      }
    }
  }

  /**
   * The signature of the thinking block; undefined if the details add nothing to the reasoning field.
   *
   * @param isCall whether a tool call has this id, and so keeps the encrypted details with that id
   */
  signature(field: string | undefined, thinking: string, isCall: (id: string) => boolean): string | undefined {
    const details = this.#details.map((detail) => {
      const { type, id } = detail;
      if (type === "reasoning.encrypted" && isText(id) && isCall(id)) return { toolCall: id };
      const text = textFieldOf(detail);
      return text !== undefined && thinking !== "" && detail[text] === thinking ? { ...detail, [text]: true } : detail;
    });
    const isElsewhere = details.every((detail) => "toolCall" in detail);
    const isPlain = field !== undefined && this.#details.every(isPlainDetail);
    if (isElsewhere || isPlain) return undefined;
    const signature: DetailsSignature = { field, details };
    return JSON.stringify(signature);
  }
}

/** Writes the signature to the thinking block, or to a new one if only encrypted reasoning arrived. */
export function signThinking(key: BlockKey, isOpen: boolean, thinkingSignature: string, sink: MessageSink): void {
  if (isOpen) sink.patch(key, { thinkingSignature });
  else sink.open(key, { type: "thinking", thinkingSignature });
}

/** The name of the reasoning field of a thinking block. */
export function reasoningFieldOf({ thinkingSignature }: ThinkingContent): string | undefined {
  return parseSignature(thinkingSignature)?.field ?? thinkingSignature;
}

/** All details of a message in order. `ofCalls` are those that its tool calls keep. */
export function allDetails(thinking: readonly ThinkingContent[], ofCalls: readonly Detail[]): Detail[] {
  const rest = new Set(ofCalls);
  const details = thinking.flatMap((block) =>
    (parseSignature(block.thinkingSignature)?.details ?? []).flatMap((detail): Detail[] => {
      const { toolCall } = detail;
      if (toolCall === undefined) return [toWellFormed(withText(detail, block.thinking))];
      const kept = ofCalls.find(({ id }) => id === toolCall);
      if (kept) rest.delete(kept);
      return kept ? [kept] : [];
    }),
  );
  return [...details, ...rest];
}

function parseSignature(signature: string | undefined): DetailsSignature | undefined {
  const value = signature?.startsWith("{") ? tryParseJson(signature) : undefined;
  if (!isRecord(value)) return undefined;
  const { field, details } = value;
  if (!Array.isArray(details)) return undefined;
  return {
    field: isText(field) ? field : undefined,
    details: details.flatMap((detail): Detail[] => (isRecord(detail) ? [detail] : [])),
  };
}

function withText(detail: Detail, thinking: string): Detail {
  const field = textFieldOf(detail);
  return field !== undefined && detail[field] === true ? { ...detail, [field]: thinking } : detail;
}

function grow(detail: Detail, piece: Detail, field: string): void {
  const text = `${isText(detail[field]) ? detail[field] : ""}${isText(piece[field]) ? piece[field] : ""}`;
  for (const [name, value] of Object.entries(piece)) {
    if (value !== null && value !== "") Reflect.set(detail, name, value);
  }
  if (text !== "") detail[field] = text;
}

function isEmptyDetail({ type, data }: Detail): boolean {
  return type === "reasoning.encrypted" && !isText(data);
}

function isPlainDetail(detail: Detail): boolean {
  return Object.entries(detail).every(([name, value]) => PLAIN_FIELDS.has(name) || value === null);
}

function textFieldOf({ type }: Detail): string | undefined {
  return ownValue(TEXT_FIELDS, type);
}
