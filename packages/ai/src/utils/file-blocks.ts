/** The blocks of a message that are an image or a file. */
import type { FileContent, ImageContent, Message, UserBlock } from "../types/message.js";
import { inputKindOf } from "./input-kind.js";

type FileType = Exclude<UserBlock["type"], "text">;

/** A record, so that a new type of block fails to compile here. */
const FILE_TYPES: Readonly<Record<FileType, true>> = { image: true, file: true };

/** A transcript may hold anything in place of a block. */
export function isFileBlock<TBlock extends { readonly type: string }>(
  block: TBlock | null | undefined,
): block is Extract<TBlock, { type: FileType }> {
  return typeof block?.type === "string" && Object.hasOwn(FILE_TYPES, block.type);
}

/** Those of a message, in their order. */
export function fileBlocksOf({ content }: Message): (ImageContent | FileContent)[] {
  const blocks: readonly Exclude<Message["content"], string>[number][] = Array.isArray(content) ? content : [];
  return blocks.filter(isFileBlock);
}

/** True for an image, also for one that came as a file. */
export function isPicture({ type, mimeType }: ImageContent | FileContent): boolean {
  return type === "image" || inputKindOf(mimeType) === "image";
}
