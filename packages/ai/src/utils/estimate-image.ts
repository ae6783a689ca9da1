/** Estimates the tokens of an image from its size and the vendor's rule. */

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

interface Size {
  width: number;
  height: number;
}

/** Tokens of an image of unknown size: between a small image and the largest that vendors do not scale down. */
const DEFAULT_TOKENS = 1200;
/** The number of JPEG segments to search for the size. Metadata takes a few. */
const MAX_SEGMENTS = 64;

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
function readSize(data: string): Size | undefined {
  try {
    const size = readHeader(data);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    return undefined; // not base64
  }
}

function readHeader(data: string): Size | undefined {
  const head = readBytes(data, 0, 30);
  const at = (index: number): number => head.charCodeAt(index);
  const little = (index: number): number => at(index) + at(index + 1) * 256;
  if (head.startsWith("\x89PNG"))
    return { width: at(18) * 256 + at(19) + at(17) * 65_536, height: at(22) * 256 + at(23) + at(21) * 65_536 };
  if (head.startsWith("GIF8")) return { width: little(6), height: little(8) };
  if (head.startsWith("\xff\xd8")) return readJpeg(data);
  switch (head.slice(8, 16)) {
    case "WEBPVP8X":
      return { width: little(24) + at(26) * 65_536 + 1, height: little(27) + at(29) * 65_536 + 1 };
    case "WEBPVP8L":
      return { width: (little(21) % 16_384) + 1, height: ((little(22) >> 6) % 1024) + (at(24) % 16) * 1024 + 1 };
    case "WEBPVP8 ":
      return { width: little(26) % 16_384, height: little(28) % 16_384 };
    default:
      return undefined;
  }
}

/** The size is in the start-of-frame segment, which follows segments of any length. */
function readJpeg(data: string): Size | undefined {
  let offset = 2;
  for (let segment = 0; segment < MAX_SEGMENTS; segment++) {
    const bytes = readBytes(data, offset, 9);
    const word = (index: number): number => bytes.charCodeAt(index) * 256 + bytes.charCodeAt(index + 1);
    const marker = bytes.charCodeAt(1);
    // The start-of-frame markers; the other markers in this range are tables.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return { width: word(7), height: word(5) };
    if (!(bytes.startsWith("\xff") && word(2) >= 2)) return undefined;
    offset += 2 + word(2);
  }
  return undefined;
}

function readBytes(data: string, from: number, length: number): string {
  const first = Math.floor(from / 3);
  const last = Math.ceil((from + length) / 3);
  return atob(data.slice(first * 4, last * 4)).slice(from - first * 3, from - first * 3 + length);
}
