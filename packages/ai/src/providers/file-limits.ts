/** The limits of a server for files and images that a request holds as data, checked before anything is sent. */
import { ConfigError } from "../errors.js";
import { inputKindOf } from "../handoff/input-kind.js";
import type { AssistantBlock, ImageContent, Message } from "../types/message.js";
import type { FileContent } from "../types/provider-content.js";

/** In bytes of the files themselves, not of their base64. Undefined: unknown, or none. */
export interface FileLimits {
  /** The largest document. */
  documentBytes?: number | undefined;
  /** All files and images of a request. */
  totalBytes?: number | undefined;
}

const MEBIBYTE = 1024 * 1024;

/** @throws {@link ConfigError} for files that are too large */
export function checkFileSizes(messages: readonly Message[], limits: FileLimits, provider: string): void {
  const { documentBytes = Number.POSITIVE_INFINITY, totalBytes = Number.POSITIVE_INFINITY } = limits;
  let total = 0;
  for (const block of messages.flatMap(filesOf)) {
    const size = byteLength(block.data ?? "");
    total += size;
    if (size <= documentBytes || inputKindOf(block.mimeType) !== "pdf") continue;
    const name = block.type === "file" && block.name ? `"${block.name}"` : "A document";
    throw new ConfigError(
      `${name} has ${inMegabytes(size)}. ${provider} accepts at most ${inMegabytes(documentBytes)}.`,
    );
  }
  if (total <= totalBytes) return;
  throw new ConfigError(
    `The files and images of the conversation have ${inMegabytes(total)}. ${provider} accepts at most ${inMegabytes(totalBytes)} in a request.`,
  );
}

function filesOf({ content }: Message): (ImageContent | FileContent)[] {
  if (typeof content === "string") return [];
  const blocks: readonly AssistantBlock[] = content;
  return blocks.flatMap((block) => (block.type === "image" || block.type === "file" ? [block] : []));
}

/** The bytes that base64 stands for. */
function byteLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil((bytes / MEBIBYTE) * 10) / 10} MB`;
}
