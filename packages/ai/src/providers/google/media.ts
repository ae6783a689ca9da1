/** Images and files as parts of a Gemini message. */
import type { MessageSink } from "../../message/index.js";
import { inputKindOf } from "../../request/index.js";
import type { AssistantImage, FileContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { isBase64 } from "./signed-spans.js";

type Fields = Record<string, unknown>;

/** Maps a part that holds a file. Returns whether it does. */
export function mapMedia(part: { inlineData?: unknown; fileData?: unknown }, sink: MessageSink): boolean {
  const { inlineData, fileData, ...fields } = part;
  if (isRecord(inlineData) && isText(inlineData["data"]) && isText(inlineData["mimeType"])) {
    const { data, mimeType, displayName } = inlineData;
    const type = mimeType.startsWith("image/") ? "image" : "file";
    const name = type === "file" && isText(displayName) ? { name: displayName } : {};
    sink.open(`media:${sink.length}`, { type, data, mimeType, ...name, signature: writeFields(fields) });
    return true;
  }
  if (!isRecord(fileData) || !isText(fileData["fileUri"])) return false;
  const { fileUri, mimeType, displayName } = fileData;
  sink.open(`media:${sink.length}`, {
    type: "file",
    fileId: fileUri,
    mimeType: isText(mimeType) ? mimeType : "application/octet-stream",
    name: isText(displayName) ? displayName : undefined,
    signature: writeFields(fields),
  });
  return true;
}

/** The part for an image or a file of a user, of a tool result or of the model itself. */
export function toMediaPart(media: AssistantImage | FileContent): Fields {
  return { ...toData(media), ...readFields(media.signature) };
}

/** ai.google.dev, "File input methods", 2026-11: a file of the Files API, of Cloud Storage or at a public address. */
function toData(media: AssistantImage | FileContent): Fields {
  const { mimeType } = media;
  if (media.type === "image") return { inlineData: { mimeType, data: media.data } };
  const { data, fileId, url } = media;
  // The field is optional, and takes neither `image/*` nor a type that says nothing.
  const type = /\/\*$|octet-stream|^$/.test(mimeType) ? {} : { mimeType };
  if (data === undefined) return { fileData: { ...type, fileUri: fileId ?? url } };
  return { inlineData: { mimeType: acceptedType(mimeType), data } };
}

/** Gemini accepts text files only under a `text/*` type. */
function acceptedType(mimeType: string): string {
  return inputKindOf(mimeType) === "text" && !mimeType.startsWith("text/") ? "text/plain" : mimeType;
}

/** The other fields of the part as a signature. If there is only a thought signature, it is kept unchanged. */
function writeFields(fields: Fields): string | undefined {
  const names = Object.keys(fields);
  if (names.length === 0) return undefined;
  const { thoughtSignature } = fields;
  return names.length === 1 && isText(thoughtSignature) ? thoughtSignature : JSON.stringify(fields);
}

function readFields(signature: string | undefined): Fields {
  if (signature === undefined) return {};
  if (isBase64(signature)) return { thoughtSignature: signature };
  const fields = tryParseJson(signature);
  return isRecord(fields) ? fields : {};
}
