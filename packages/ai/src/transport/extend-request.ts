/** Adds fields and beta features to a request that an adapter has built. */
import { isRecord } from "../utils/is-object.js";
import { joinLists } from "./headers.js";
import type { WireRequest } from "./wire-request.js";

type Fields = Record<string, unknown>;

const BETA_HEADER = "anthropic-beta";

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
