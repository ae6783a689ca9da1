/** The content of a message for the model that produced it. */
import type { AssistantBlock } from "../types/message.js";
import type { ServerToolContent } from "../types/provider-content.js";
import { hasLateItems, readPlacedItems, writeWireItems } from "./wire-items.js";

/**
 * The blocks in the order of the wire: an item that came after later blocks, such as the result of a server tool that ran
 * for a while, becomes a block of its own at the place where it came.
 */
export function inWireOrder(content: readonly AssistantBlock[]): AssistantBlock[] {
  if (!content.some((block) => block?.type === "serverTool" && hasLateItems(block.signature))) return [...content];
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

/** Blocks of single items, by their place. */
type LateParts = Map<number, { part: ServerToolContent; order: number }[]>;

/** The block with the items of its own place. The others are added to `late`, by place. */
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
