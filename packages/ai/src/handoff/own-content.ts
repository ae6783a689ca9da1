/** Restores the wire order of a message's content for the model that produced it. */
import type { AssistantBlock } from "../types/message.js";
import type { ServerToolContent } from "../types/provider-content.js";
import { hasLateItems, readPlacedItems, writeWireItems } from "./wire-items.js";

/**
 * Returns the blocks in wire order. An item that arrived after later blocks, such as the result of a slow server tool,
 * becomes a separate block at the position where it arrived.
 */
export function inWireOrder(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  if (!content.some((block) => block?.type === "serverTool" && hasLateItems(block.signature))) return content;
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
