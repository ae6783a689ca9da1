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
  const late = new Map<number, ServerToolContent[]>();
  const inPlace = content.map((block) => (block?.type === "serverTool" ? withoutLateItems(block, late) : block));
  return [...inPlace.keys(), content.length].flatMap((index) => {
    const block = inPlace[index];
    return [...(late.get(index) ?? []), ...(block ? [block] : [])];
  });
}

/** The block with the items of its own place. The others are added to `late`, by place. */
function withoutLateItems(block: ServerToolContent, late: Map<number, ServerToolContent[]>): ServerToolContent {
  const items = readPlacedItems(block.signature);
  for (const { item, at } of items) {
    if (at === undefined) continue;
    const part: ServerToolContent = { ...block, signature: writeWireItems([{ item }]) };
    const others = late.get(at);
    if (others) others.push(part);
    else late.set(at, [part]);
  }
  return { ...block, signature: writeWireItems(items.filter(({ at }) => at === undefined)) };
}
