/** Stores a provider's own items in the `signature` of a block, whole, so that they can be sent back unchanged. */

import type { AssistantBlock, ServerToolContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { tryParseJson } from "../../utils/read-text.js";
import { toWellFormed } from "../../utils/sanitize-unicode.js";

/** One item of a provider's wire format. */
export type WireItem = Record<string, unknown>;

/** An item, and its position in the message if other blocks began between it and the previous item. */
export interface PlacedItem {
  item: WireItem;
  /** The number of blocks in the message when the item arrived; see `MessageSink.length`. */
  at?: number;
  /** The order among items at the same position, ascending. */
  order?: number;
}

/** The signature of a block that stands for these items: a JSON list of `{ at?, order?, item }`. */
export function writeWireItems(items: readonly PlacedItem[]): string {
  // `at` comes first, so that `hasLateItems` finds it without parsing what may be megabytes.
  return JSON.stringify(items.map(({ item, at, order }) => (at === undefined ? { item } : { at, order, item })));
}

/** The items of a signature, safe to send; none if the signature is not one of {@link writeWireItems}. */
export function readWireItems(signature: string | undefined): WireItem[] {
  return readPlacedItems(signature).map(({ item }) => toWellFormed(item));
}

/** The items with their places. */
function readPlacedItems(signature: string | undefined): PlacedItem[] {
  const list = signature?.startsWith("[") ? tryParseJson(signature) : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown): PlacedItem[] => {
    if (!isRecord(entry) || !isRecord(entry["item"])) return [];
    const { item, at, order } = entry;
    if (!Number.isSafeInteger(at)) return [{ item }];
    return [{ item, at: Number(at), ...(Number.isSafeInteger(order) ? { order: Number(order) } : {}) }];
  });
}

/**
 * Returns the blocks in wire order. An item that arrived after later blocks, such as the result of a slow server tool,
 * becomes a separate block at the position where it arrived.
 */
export function inWireOrder(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  if (!content.some(hasLateItems)) return content;
  const late: LateParts = new Map();
  const inPlace = content.map((block) =>
    block?.type === "serverTool" ? withoutLateItems(block, content.length, late) : block,
  );
  return [...inPlace.keys(), content.length].flatMap((index) => {
    const block = inPlace[index];
    const parts = late.get(index)?.toSorted((one, other) => one.order - other.order) ?? [];
    return [...parts.map(({ part }) => part), ...(block ? [block] : [])];
  });
}

function hasLateItems(block: AssistantBlock | undefined): boolean {
  // Cheaper than parsing what may be megabytes: `writeWireItems` puts `at` first.
  return block?.type === "serverTool" && (block.signature?.includes('{"at":') ?? false);
}

/** The blocks of late items, by position. */
type LateParts = Map<number, { part: ServerToolContent; order: number }[]>;

/** Returns the block without its late items, and adds those to `late` by position. */
function withoutLateItems(block: ServerToolContent, end: number, late: LateParts): ServerToolContent {
  const items = readPlacedItems(block.signature);
  for (const { item, at, order = 0 } of items) {
    if (at === undefined) continue;
    const part = { part: { ...block, signature: writeWireItems([{ item }]) }, order };
    const place = Math.min(at, end);
    const others = late.get(place);
    if (others) others.push(part);
    else late.set(place, [part]);
  }
  return { ...block, signature: writeWireItems(items.filter(({ at }) => at === undefined)) };
}
