/** Checks inline files and images against the server's limits before the request is sent. */
import { ConfigError } from "../errors.js";
import { inputKindOf } from "../request/index.js";
import type { FileContent, ImageContent, Message } from "../types/message.js";
import { fileBlocksOf } from "../utils/file-blocks.js";

/** In bytes of the decoded files. Undefined: unknown or unlimited. */
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
  for (const block of messages.flatMap(fileBlocksOf)) {
    const size = byteLength(block.data ?? "");
    total += size;
    if (size <= documentBytes || inputKindOf(block.mimeType) !== "pdf") continue;
    const name = block.type === "file" && block.name ? `"${block.name}"` : "A document";
    throw new ConfigError(
      `${name} is ${inMegabytes(size)}. ${provider} accepts at most ${inMegabytes(documentBytes)}.`,
    );
  }
  if (total <= totalBytes) return;
  throw new ConfigError(
    `The files and images of the conversation are ${inMegabytes(total)}. ${provider} accepts at most ${inMegabytes(totalBytes)} in a request.`,
  );
}

/** Why a document of the earlier conversation cannot be sent, for the note in its place. */
export function largeDocumentFault(block: ImageContent | FileContent, documentBytes: number): string | undefined {
  const size = byteLength(block.data ?? "");
  if (size <= documentBytes || inputKindOf(block.mimeType) !== "pdf") return undefined;
  return `it is ${inMegabytes(size)}; at most ${inMegabytes(documentBytes)} are accepted`;
}

/** The decoded length of base64 data. */
function byteLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil((bytes / MEBIBYTE) * 10) / 10} MB`;
}
