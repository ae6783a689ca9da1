/** Reads images that a model generated, sent as data URLs or addresses. */
import type { MessageSink } from "../message/index.js";

/** Opens the block of an image. An image known only by its address becomes a file. */
export function openImage(key: string, address: string, signature: string, sink: MessageSink): void {
  const comma = address.indexOf(",");
  const [mimeType, ...parameters] = address.startsWith("data:") ? address.slice(5, Math.max(comma, 5)).split(";") : [];
  if (!mimeType || parameters.at(-1) !== "base64")
    sink.open(key, { type: "file", mimeType: "image/*", url: address, signature });
  else sink.open(key, { type: "image", mimeType, data: address.slice(comma + 1), signature });
}
