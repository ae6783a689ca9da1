/** Assembles a wire item whose type is not known from its deltas. */
import type { WireItem } from "../handoff/wire-items.js";
import { setOwn } from "../json/set-own.js";

/** Adds what a delta brings to what there is: text to text, a list to a list. Anything else replaces the value. */
export function addToItem(item: WireItem, name: string, value: unknown): void {
  const before = Object.hasOwn(item, name) ? item[name] : undefined;
  if (typeof value === "string" && typeof before === "string") setOwn(item, name, before + value);
  else if (Array.isArray(value) && Array.isArray(before)) setOwn(item, name, [...before, ...value]);
  else setOwn(item, name, value);
}
