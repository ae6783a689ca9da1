/** The type of a file and the size of an image, from the first bytes. Reads a part of bounded length, whatever the data. */

import { big16, big32, little16, readBytes } from "./base64-bytes.js";

/** The type and the size that the data of an image itself states. */
export interface ImageHeader {
  /** The MIME type. */
  type: string;
  /** In pixels. Absent where the header does not say it. */
  size?: ImageSize;
  /** The data ends before the image can begin. */
  isCutOff?: true;
}

/** Pixels. */
export interface ImageSize {
  /** In pixels. */
  width: number;
  /** In pixels. */
  height: number;
}

/** The bytes that a header needs. */
const HEAD_LENGTH = 64;
/** The number of JPEG segments to search for the size. Metadata takes a few. */
const MAX_SEGMENTS = 64;

/** A format whose size can be read, and the bytes that its smallest image has. */
interface ImageFormat {
  type: string;
  matches: (head: string) => boolean;
  least: number;
  size: (head: string) => ImageSize;
}

/** W3C, "PNG"; "GIF89a"; developers.google.com, "WebP Container Specification". A PNG has at least its header, data and end. */
const FORMATS: readonly ImageFormat[] = [
  { type: "image/png", matches: (head) => head.startsWith("\x89PNG"), least: 57, size: sizeOfPng },
  { type: "image/gif", matches: (head) => head.startsWith("GIF8"), least: 14, size: sizeOfGif },
  {
    type: "image/webp",
    matches: (head) => head.startsWith("RIFF") && head.slice(8, 12) === "WEBP",
    least: 25,
    size: sizeOfWebp,
  },
];

/** Bytes at a place of the head. */
type Mark = readonly [at: number, bytes: string];

/** Other formats (their own specifications). */
const OTHERS: readonly { type: string; marks: readonly Mark[] }[] = [
  // Two letters alone could be any text; the reserved bytes are 0.
  {
    type: "image/bmp",
    marks: [
      [0, "BM"],
      [6, "\0\0\0\0"],
    ],
  },
  { type: "image/tiff", marks: [[0, "II*\0"]] },
  { type: "image/tiff", marks: [[0, "MM\0*"]] },
  { type: "image/avif", marks: [[4, "ftypavi"]] },
  { type: "image/heic", marks: [[4, "ftyphe"]] },
  { type: "image/heif", marks: [[4, "ftypmif1"]] },
  { type: "image/x-icon", marks: [[0, "\0\0\x01\0"]] },
  { type: "application/pdf", marks: [[0, "%PDF-"]] },
  {
    type: "audio/wav",
    marks: [
      [0, "RIFF"],
      [8, "WAVE"],
    ],
  },
  {
    type: "audio/aiff",
    marks: [
      [0, "FORM"],
      [8, "AIF"],
    ],
  },
  { type: "audio/mpeg", marks: [[0, "ID3"]] },
  { type: "audio/mpeg", marks: [[0, "\xff\xfb"]] },
  { type: "audio/mpeg", marks: [[0, "\xff\xf3"]] },
  { type: "audio/aac", marks: [[0, "\xff\xf1"]] },
  { type: "audio/ogg", marks: [[0, "OggS"]] },
  { type: "audio/flac", marks: [[0, "fLaC"]] },
  { type: "audio/mp4", marks: [[4, "ftypM4A"]] },
  { type: "video/quicktime", marks: [[4, "ftypqt"]] },
  // After those of pictures: films have many brands.
  { type: "video/mp4", marks: [[4, "ftyp"]] },
  { type: "video/webm", marks: [[0, "\x1aE\xdf\xa3"]] },
];
const SVG = /^\s*<(?:svg|\?xml|!doctype svg)/i;
const BYTE_ORDER_MARK = "\xef\xbb\xbf";

/**
 * Reads the header of an image in base64. Undefined if the bytes name no format that is known here.
 *
 * @throws an error if the first characters are not base64
 */
export function readImageHeader(data: string): ImageHeader | undefined {
  const head = readBytes(data, 0, HEAD_LENGTH);
  if (head.startsWith("\xff\xd8\xff")) return readJpeg(data);
  const format = FORMATS.find(({ matches }) => matches(head));
  if (!format) return readOther(head);
  const { type, least } = format;
  const size = format.size(head);
  if (!hasPixels(size)) return { type, isCutOff: true };
  return head.length < least ? { type, size, isCutOff: true } : { type, size };
}

function readOther(head: string): ImageHeader | undefined {
  const has = ([at, bytes]: Mark): boolean => head.startsWith(bytes, at);
  const type = OTHERS.find(({ marks }) => marks.every(has))?.type;
  if (type !== undefined) return { type };
  const text = head.startsWith(BYTE_ORDER_MARK) ? head.slice(BYTE_ORDER_MARK.length) : head;
  return SVG.test(text) ? { type: "image/svg+xml" } : undefined;
}

function hasPixels({ width, height }: ImageSize): boolean {
  return width > 0 && height > 0;
}

function sizeOfPng(head: string): ImageSize {
  return { width: big32(head, 16), height: big32(head, 20) };
}

function sizeOfGif(head: string): ImageSize {
  return { width: little16(head, 6), height: little16(head, 8) };
}

function sizeOfWebp(head: string): ImageSize {
  const at = (index: number): number => head.charCodeAt(index);
  switch (head.slice(12, 16)) {
    case "VP8X":
      return { width: little16(head, 24) + at(26) * 65_536 + 1, height: little16(head, 27) + at(29) * 65_536 + 1 };
    case "VP8L":
      return {
        width: (little16(head, 21) % 16_384) + 1,
        height: ((little16(head, 22) >> 6) % 1024) + (at(24) % 16) * 1024 + 1,
      };
    default:
      return { width: little16(head, 26) % 16_384, height: little16(head, 28) % 16_384 };
  }
}

/** The size is in the start-of-frame segment, which follows segments of any length (ITU-T T.81). */
function readJpeg(data: string): ImageHeader {
  const type = "image/jpeg";
  let offset = 2;
  for (let segment = 0; segment < MAX_SEGMENTS; segment++) {
    const bytes = readBytes(data, offset, 9);
    if (bytes.length < 4) return { type, isCutOff: true };
    const marker = bytes.charCodeAt(1);
    // The start-of-frame markers; the other markers in this range are tables.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      if (bytes.length < 9) return { type, isCutOff: true };
      const size = { width: big16(bytes, 7), height: big16(bytes, 5) };
      // A height of 0 is stated after the first scan.
      return hasPixels(size) ? { type, size } : { type };
    }
    const length = big16(bytes, 2);
    if (!(bytes.startsWith("\xff") && length >= 2)) return { type };
    offset += 2 + length;
  }
  return { type };
}
