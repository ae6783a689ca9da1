/** Estimates the tokens of an image from its size and the vendor's rule. */
import { type ImageSize, readImageHeader } from "../utils/image-header.js";

/**
 * An image costs `base` tokens plus `perTile` for each tile of `tile` pixels. It is first scaled down to `edge` pixels
 * on its longer edge, then to `shortEdge` on the other, then to at most `most` tokens.
 */
export interface ImageRule {
  tile: number;
  perTile: number;
  base: number;
  edge: number;
  shortEdge: number;
  most: number;
}

/** Tokens of an image of unknown size: between a small image and the largest that vendors do not scale down. */
const DEFAULT_TOKENS = 1200;

/** The tokens of an image. Reads a few bytes of its header. */
export function estimateImage(data: string, rule: ImageRule): number {
  const size = readSize(data);
  if (!size) return Math.min(DEFAULT_TOKENS, rule.most);
  const { width, height } = size;
  const long = Math.max(width, height);
  const short = Math.min(width, height);
  const scale = Math.min(1, rule.edge / long, rule.shortEdge / short);
  const tiles = Math.ceil((width * scale) / rule.tile) * Math.ceil((height * scale) / rule.tile);
  return Math.min(rule.most, rule.base + tiles * rule.perTile);
}

/** The size in pixels of a PNG, GIF, WebP or JPEG in base64; undefined for others. */
function readSize(data: string): ImageSize | undefined {
  try {
    return readImageHeader(data)?.size;
  } catch {
    return undefined; // not base64
  }
}
