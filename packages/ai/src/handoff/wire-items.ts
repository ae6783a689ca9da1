/** Stores a provider's own items in the `signature` of a block, whole, so that they can be sent back unchanged. */
import { toWellFormed } from "../json/well-formed-data.js";
import { isRecord } from "../utils/is-object.js";
import { tryParseJson } from "../utils/try-parse-json.js";

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

/** Whether {@link writeWireItems} may have placed an item. */
export function hasLateItems(signature: string | undefined): signature is string {
  return signature?.includes('{"at":') ?? false;
}

/** The items with their places. */
export function readPlacedItems(signature: string | undefined): PlacedItem[] {
  const list = signature?.startsWith("[") ? tryParseJson(signature) : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown): PlacedItem[] => {
    if (!isRecord(entry) || !isRecord(entry["item"])) return [];
    const { item, at, order } = entry;
    if (!Number.isSafeInteger(at)) return [{ item }];
    return [{ item, at: Number(at), ...(Number.isSafeInteger(order) ? { order: Number(order) } : {}) }];
  });
}
