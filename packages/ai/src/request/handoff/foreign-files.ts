/** Images and files that another model wrote or was sent. */
import type { AssistantMessage, TextContent, UserBlock } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { isFileBlock } from "../../utils/file-blocks.js";
import { type InputKind, inputKindOf } from "../../utils/input-kind.js";
import { unknownBlock } from "../replayed-block.js";

/** The longest name of a file that is quoted, in characters. */
const MAX_NAME_LENGTH = 200;

/** The model that reads images and files. */
export interface Reader {
  model: Model;
  /** Those that models of the api accept beside their `input`. */
  files: readonly FileRow[];
}

/** The part if the model accepts it, else a note in its place. */
export function readOrNote(part: UserBlock, reader: Reader, prefix: "" | "tool "): UserBlock {
  return part.type === "text" || isReadable(part, reader) ? part : { type: "text", text: noteOf(part, prefix) };
}

/** The note that replaces an image or a file that the model does not accept. The model can tell the user what is missing. */
function noteOf(part: Exclude<UserBlock, TextContent>, prefix: "" | "tool "): string {
  if (part.type === "image") return `(${prefix}image omitted: model does not support images)`;
  const name = part.name ? ` ${part.name.slice(0, MAX_NAME_LENGTH)}` : "";
  return `(${prefix}file${name} omitted: model does not support ${part.mimeType})`;
}

/** Whether the model accepts an image or a file. */
function isReadable(part: Exclude<UserBlock, TextContent>, { model, files }: Reader): boolean {
  switch (part.type) {
    case "image":
      return model.input.includes("image");
    case "file":
      return takesKind(model, inputKindOf(part.mimeType), files);
    default:
      throw unknownBlock(part);
  }
}

/** The images and files of a response that the model accepts, without opaque data. */
export function filesOf({ content }: AssistantMessage, reader: Reader): UserBlock[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block): UserBlock[] => {
    if (!isFileBlock(block) || !isReadable(block, reader)) return [];
    const { signature: _, ...file } = block;
    // A file id is known to one provider only.
    return file.type === "file" && file.data === undefined && file.url === undefined ? [] : [file];
  });
}

/**
 * Files that models accept in addition to their `input`, for which the catalogue knows only text and images. Not here, because
 * the api takes no data of a file but only an address or an id for a search: Grok (docs.x.ai, "Chat with Files", 2026-11).
 */
export interface FileRow {
  /** Default: all. */
  providers?: readonly string[];
  /** By the id of the model. Default: all. */
  models?: RegExp;
  /** Only models that also accept images. */
  ifImages?: true;
  /** The kinds that they accept. */
  kinds: readonly InputKind[];
  /** The types of documents that they accept. Default: any. */
  documents?: readonly string[];
}

/** Whether a model accepts files of this kind, according to its `input` or to the rows of its api. */
export function takesKind(model: Model, kind: InputKind, files: readonly FileRow[]): boolean {
  return model.input.includes(kind) || rowOf(model, kind, files) !== undefined;
}

export function rowOf({ provider, id, input }: Model, kind: InputKind, files: readonly FileRow[]): FileRow | undefined {
  return files.find(
    ({ providers, models, ifImages, kinds }) =>
      kinds.includes(kind) &&
      (providers?.includes(provider) ?? true) &&
      (models?.test(id) ?? true) &&
      (!ifImages || input.includes("image")),
  );
}
