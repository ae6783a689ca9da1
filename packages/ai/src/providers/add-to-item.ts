/** Assembles a wire item of unknown type from its deltas. */
import type { WireItem } from "../request/index.js";
import { ownValue } from "../utils/own-value.js";
import { setOwn } from "../wire/index.js";

/** Appends a delta to a field: text to text, a list to a list. Any other value replaces the field. */
export function addToItem(item: WireItem, name: string, value: unknown): void {
  const before = ownValue(item, name);
  if (typeof value === "string" && typeof before === "string") setOwn(item, name, before + value);
  else if (Array.isArray(value) && Array.isArray(before)) setOwn(item, name, [...before, ...value]);
  else setOwn(item, name, value);
}
