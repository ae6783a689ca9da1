/** Adds to a request: headers from several sources, and fields and beta features beside what an adapter has built. */
import { isRecord } from "../utils/is-object.js";
import type { WireRequest } from "./wire-request.js";

type Fields = Record<string, unknown>;

const BETA_HEADER = "anthropic-beta";

/** Headers by name. `null` removes a header that the SDK would add. */
export type HeaderSet = Readonly<Record<string, string | null>>;

/** Headers that list features. The features of all sets are sent. */
const LISTS: ReadonlySet<string> = new Set([BETA_HEADER]);

/**
 * Merges sets of headers. Later sets override earlier ones, except for lists, which they extend; `null` clears a list too.
 * Names are compared without regard to case.
 */
export function mergeHeaders(...sets: readonly (HeaderSet | undefined)[]): Record<string, string | null> {
  const merged = new Map<string, { name: string; value: string | null }>();
  for (const set of sets)
    for (const [name, value] of Object.entries(set ?? {})) {
      const key = name.toLowerCase();
      // Plain JavaScript may pass undefined.
      if (value === undefined) continue;
      merged.set(
        key,
        LISTS.has(key) ? { name: key, value: extendList(merged.get(key)?.value, value) } : { name, value },
      );
    }
  return Object.fromEntries(Array.from(merged.values(), ({ name, value }) => [name, value]));
}

function extendList(known: string | null | undefined, value: string | null): string | null {
  return known && value !== null ? joinLists(known, value) : value;
}

/** Joins comma-separated lists, each name once. */
export function joinLists(...lists: readonly string[]): string {
  const names = lists.flatMap((list) => list.split(",")).map((name) => name.trim());
  return [...new Set(names.filter(Boolean))].join(",");
}

/** Merges lists and objects into those that the target already has; sets other values. */
export function mergeFields(target: Fields, fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    const known = target[name];
    if (Array.isArray(value)) target[name] = [...new Set([...listOf(known), ...value])];
    else target[name] = isRecord(value) && isRecord(known) ? { ...known, ...value } : value;
  }
}

/** The value if it is a list, else an empty list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Adds beta features to those in the headers. A header that the caller set to `null` stays off. */
export function withBetas(headers: WireRequest["headers"], betas: readonly string[]): WireRequest["headers"] {
  const known = headers[BETA_HEADER];
  if (betas.length === 0 || known === null) return headers;
  return { ...headers, [BETA_HEADER]: joinLists(known ?? "", ...betas) };
}
