/** Stores a generated image: the data in the block, and the rest of the item in the block's signature. */
import { readWireItems, writeWireItems } from "../../request/index.js";
import type { AssistantImage } from "../../types/message.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";
import type { WireItem } from "./wire-items.js";

/** MIME types by `output_format` (OpenAI API reference, "Image generation", 2026-11). */
const FORMATS: Readonly<Record<string, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  svg: "image/svg+xml",
};
/** The first base64 characters of each format, for servers that do not name the format. */
const BASE64_PREFIXES: readonly (readonly [string, string])[] = [
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"],
  ["R0lGOD", "image/gif"],
];

/** An image with a type; the API's default is PNG. */
export function imageOf(data: string, format: unknown): Pick<AssistantImage, "data" | "mimeType"> {
  const named = ownValue(FORMATS, format);
  const guessed = BASE64_PREFIXES.find(([prefix]) => data.startsWith(prefix))?.[1];
  return { data, mimeType: named ?? guessed ?? "image/png" };
}

/** The block of an image generation that has a result. */
export function generatedImage(item: WireItem): AssistantImage | undefined {
  const { result } = item;
  if (!isText(result)) return undefined;
  // `result` keeps its place, so that the item is sent back with its fields in the same order.
  const signature = writeWireItems([{ item: { ...item, result: null } }]);
  return { type: "image", ...imageOf(result, item["output_format"]), signature };
}

/** Restores the item from the block; undefined for other images. */
export function imageItem({ signature, data }: AssistantImage): WireItem | undefined {
  const [item] = readWireItems(signature);
  return item?.["type"] === "image_generation_call" ? { ...item, result: data } : undefined;
}
