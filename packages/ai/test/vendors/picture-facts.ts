/** What the first bytes of a picture say, as a vendor reads them. Written apart from the library, which it judges. */

export interface PictureFacts {
  /** `png`, `jpeg`, `gif`, `webp`, or `other`. */
  format: string;
  width: number;
  height: number;
  /** The length in bytes. */
  bytes: number;
  /** The picture begins, and its end is missing. */
  isBroken?: boolean;
  /** Of a GIF: how many pictures it holds. */
  frames?: number;
}

/** The part of the base64 that holds all headers that are read. */
const HEADER = 4096;

export function pictureFacts(base64: string): PictureFacts {
  const bytes = Buffer.from(base64.slice(0, HEADER), "base64");
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const size = { bytes: Math.floor((base64.length * 3) / 4) - padding };
  if (bytes.length > 24 && bytes.toString("latin1", 1, 4) === "PNG") {
    const isBroken = lacks(base64, "IDAT", "IEND");
    return { format: "png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), isBroken, ...size };
  }
  if (bytes.length > 10 && bytes.toString("latin1", 0, 3) === "GIF") {
    const frames = framesOf(Buffer.from(base64, "base64"));
    return { format: "gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), frames, ...size };
  }
  if (bytes.length > 2 && bytes[0] === 0xff && bytes[1] === 0xd8)
    return { format: "jpeg", ...jpegSize(bytes), isBroken: lacks(base64, "\xff\xda", "\xff\xd9"), ...size };
  if (bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP") {
    return { format: "webp", ...webpSize(bytes), isBroken: bytes.readUInt32LE(4) + 8 > size.bytes, ...size };
  }
  return { format: "other", width: 0, height: 0, ...size };
}

/** Whether the data of a picture begins and does not end. */
function lacks(base64: string, begin: string, end: string): boolean {
  const bytes = Buffer.from(base64, "base64");
  const at = bytes.indexOf(begin, 0, "latin1");
  return at >= 0 && bytes.indexOf(end, at, "latin1") < 0;
}

/** Each picture is announced by its separator after an empty block, as encoders write it. */
function framesOf(bytes: Buffer): number {
  let frames = 0;
  for (let at = bytes.indexOf("\0,", 0, "latin1"); at >= 0; at = bytes.indexOf("\0,", at + 1, "latin1")) {
    const codeSize = bytes[at + 11] ?? 0;
    if (codeSize >= 2 && codeSize <= 12) frames++;
  }
  return frames;
}

/** The size stands in the first frame header. */
function jpegSize(bytes: Buffer): { width: number; height: number } {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return { width: 0, height: 0 };
}

function webpSize(bytes: Buffer): { width: number; height: number } {
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X" && bytes.length >= 30) {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  return { width: 0, height: 0 };
}
