/** Which kind of input a file is for a model. */
import type { Model } from "../types/model.js";

type InputKind = Model["input"][number];

/** By the first part of a MIME type; other types count as documents. */
const KINDS: Readonly<Record<string, InputKind>> = { text: "text", image: "image", audio: "audio", video: "video" };
/** Text by another name (IANA media types, 2026-11). */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/xml",
  "application/yaml",
  "application/javascript",
  "application/x-ndjson",
]);

/** The kind of input as which a file counts. */
export function inputKindOf(mimeType: string): InputKind {
  const type = mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
  if (TEXT_TYPES.has(type)) return "text";
  const family = type.split("/")[0] ?? "";
  return (Object.hasOwn(KINDS, family) ? KINDS[family] : undefined) ?? "pdf";
}

/** Whether a model takes a file of this type. */
export function takesFile(model: Pick<Model, "input">, mimeType: string): boolean {
  return model.input.includes(inputKindOf(mimeType));
}
