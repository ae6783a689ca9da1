/** Assembles a wire item of unknown type from its deltas. */
import type { WireItem } from "../request/index.js";
import { ownValue } from "../utils/own-value.js";
import { setOwn } from "../wire/index.js";

/** The lists that were made here. Those of the wire are not changed, and a list that grows is not copied for each delta. */
const grown = new WeakSet<unknown[]>();

/** Appends a delta to a field: text to text, a list to a list. Any other value replaces the field. */
export function addToItem(item: WireItem, name: string, value: unknown): void {
  const before = ownValue(item, name);
  if (typeof value === "string" && typeof before === "string") setOwn(item, name, before + value);
  else if (Array.isArray(value) && Array.isArray(before)) {
    const list = grown.has(before) ? before : before.slice();
    for (const entry of value) list.push(entry);
    grown.add(list);
    setOwn(item, name, list);
  } else setOwn(item, name, value);
}
