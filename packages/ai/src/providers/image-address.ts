/** Reads images that a model generated, sent as data URLs or addresses. */
import type { MessageSink } from "../message/index.js";

const DATA_URL = /^data:([^;,]+)[^,]*;base64,/;

/** Opens the block of an image. An image known only by its address becomes a file. */
export function openImage(key: string, address: string, signature: string, sink: MessageSink): void {
  const [prefix, mimeType = ""] = DATA_URL.exec(address) ?? [];
  if (prefix === undefined) sink.open(key, { type: "file", mimeType: "image/*", url: address, signature });
  else sink.open(key, { type: "image", mimeType, data: address.slice(prefix.length), signature });
}
