/** The kinds of input that files count as. */
import type { Model } from "../types/model.js";
import { ownValue } from "./own-value.js";

export type InputKind = Model["input"][number];

/** By the first part of a MIME type; other types count as documents. */
const KINDS: Readonly<Record<string, InputKind>> = { text: "text", image: "image", audio: "audio", video: "video" };
/** Text types outside of `text/` (IANA media types, 2026-11). */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/xml",
  "application/yaml",
  "application/javascript",
  "application/x-ndjson",
]);

/** A type without parameters and capitals. */
export function plainType(mimeType: string): string {
  return mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
}

/** The kind of input that a file of this type counts as. */
export function inputKindOf(mimeType: string): InputKind {
  const type = plainType(mimeType);
  if (TEXT_TYPES.has(type)) return "text";
  const family = type.split("/")[0] ?? "";
  return ownValue(KINDS, family) ?? "pdf";
}
