/** The ids of items in a request. */
import { isText } from "../../utils/read-text.js";

/** Longest id of a tool call or an item (OpenAI API reference, "Responses", 2026-11). */
export const MAX_ID_LENGTH = 64;

type Item = Record<string, unknown> & { type?: string };

/**
 * Gives each item an id of its own: compatible servers count the items of each response anew, and OpenAI refuses a request
 * that has an id twice.
 */
export function withOwnIds(items: readonly Item[]): Item[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const { id, ...rest } = item;
    // The output of a tool may have the id of its call.
    if (!isText(id) || item.type?.endsWith("_output")) return item;
    // The id of a call's item is optional.
    if (taken.has(id) && item.type === "function_call") return rest;
    let own = id;
    for (let count = 2; taken.has(own); count++) own = `${id.slice(0, MAX_ID_LENGTH - 6)}_${count}`;
    taken.add(own);
    return own === id ? item : { ...item, id: own };
  });
}
