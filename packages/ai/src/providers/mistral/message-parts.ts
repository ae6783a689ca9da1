/** Texts, images and files as parts of a Mistral message. */
import { describeFile, inputKindOf, readWireItems } from "../../request/index.js";
import type {
  AssistantImage,
  CompactionContent,
  FileContent,
  ServerToolContent,
  TextContent,
  UserBlock,
} from "../../types/message.js";
import { isFileBlock } from "../../utils/file-blocks.js";
import { isRecord } from "../../utils/is-object.js";
import { tryParseJson } from "../../utils/read-text.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { fileDataUrl, fileText, toDataUrl } from "../content.js";

export interface WirePart {
  type: string;
  text?: string;
  [field: string]: unknown;
}

/** The part for a block of a user message or of a tool result. */
export function toPart(part: UserBlock): WirePart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") return { type: "image_url", image_url: toDataUrl(part) };
  return toFilePart(part) ?? { type: "text", text: describeFile(part) };
}

/** docs.mistral.ai, "Document QnA" and "Audio", 2026-11. */
function toFilePart(file: FileContent): WirePart | undefined {
  const { data, url, fileId, name } = file;
  const kind = inputKindOf(file.mimeType);
  if (kind === "text" && data !== undefined) return { type: "text", text: fileText(file, data) };
  if (kind === "audio")
    return data === undefined && url === undefined ? undefined : { type: "input_audio", input_audio: data ?? url };
  if (kind === "video") return undefined;
  if (fileId !== undefined) return { type: "file", file_id: fileId };
  const address = data === undefined ? url : fileDataUrl(file, data);
  if (address === undefined) return undefined;
  if (kind === "image") return { type: "image_url", image_url: address };
  return { type: "document_url", document_url: address, ...(name === undefined ? {} : { document_name: name }) };
}

/** A text of the model, split where its references belong. */
export function toTextParts({ text, citations = [] }: TextContent): WirePart[] {
  const parts: WirePart[] = [];
  let from = 0;
  for (const { end, signature } of citations) {
    const reference = signature === undefined ? undefined : tryParseJson(signature);
    if (end === undefined || end < from || !isRecord(reference) || reference["type"] !== "reference") continue;
    if (end > from) parts.push({ type: "text", text: sanitizeSurrogates(text.slice(from, end)) });
    parts.push({ ...reference, type: "reference" });
    from = end;
  }
  if (from < text.length) parts.push({ type: "text", text: sanitizeSurrogates(text.slice(from)) });
  return parts;
}

/** The parts that the model itself sent. A hand-written file becomes a note. */
export function toOwnParts(block: ServerToolContent | CompactionContent | AssistantImage | FileContent): WirePart[] {
  if (isFileBlock(block) && block.signature === undefined) return [{ type: "text", text: describeFile(block) }];
  return readWireItems(block.signature).flatMap((item): WirePart[] => {
    const { type } = item;
    return typeof type === "string" ? [{ ...item, type }] : [];
  });
}
