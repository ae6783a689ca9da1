/** The image of an image generation: its data stands in the block only, and the rest of the item in the signature. */
import { readWireItems, writeWireItems } from "../../handoff/wire-items.js";
import type { ImageContent } from "../../types/message.js";
import { isText } from "../../utils/is-text.js";
import type { WireItem } from "./wire-item.js";

/** MIME types by `output_format` (OpenAI API reference, "Image generation", 2026-11). */
const FORMATS: Readonly<Record<string, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  svg: "image/svg+xml",
};
/** How base64 of these formats begins, for servers that do not name the format. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"],
  ["R0lGOD", "image/gif"],
];

/** An image with a type; the API's default is PNG. */
export function imageOf(data: string, format: unknown): Pick<ImageContent, "data" | "mimeType"> {
  const named = isText(format) && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  const guessed = BEGINNINGS.find(([beginning]) => data.startsWith(beginning))?.[1];
  return { data, mimeType: named ?? guessed ?? "image/png" };
}

/** The block of an image generation that has a result. */
export function generatedImage(item: WireItem): ImageContent | undefined {
  const { result } = item;
  if (!isText(result)) return undefined;
  // The key stays at its place, so that the item is sent back with its fields in the same order.
  const signature = writeWireItems([{ item: { ...item, result: null } }]);
  return { type: "image", ...imageOf(result, item["output_format"]), signature };
}

/** The item of such a block, complete again; none for other images. */
export function imageItem({ signature, data }: ImageContent): WireItem | undefined {
  const [item] = readWireItems(signature);
  return item?.["type"] === "image_generation_call" ? { ...item, result: data } : undefined;
}
