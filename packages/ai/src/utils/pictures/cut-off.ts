/** Whether the data of an image ends before the image does: its last part never came. Reads a part of bounded length, but for a JPEG. */
import { big32, little32, readBytes } from "../base64-bytes.js";

/** The number of chunks of a PNG to look at. Encoders write one for each 8 KB. */
const MAX_CHUNKS = 4096;
/** In bytes. The end of a JPEG stands at the end of most files; others have something after it. */
const TAIL = 4096;
/** W3C, "PNG", third edition: the chunks that it lists. What follows another one is not judged. */
const CHUNK =
  /^(?:IHDR|PLTE|IDAT|acTL|bKGD|cHRM|cICP|cLLI|eXIf|fcTL|fdAT|gAMA|hIST|iCCP|iTXt|mDCV|pHYs|sBIT|sPLT|sRGB|tEXt|tIME|tRNS|zTXt)$/;
const JPEG_END = "\xff\xd9";

/**
 * A picture whose format does not say it counts as whole.
 *
 * @param base64 without blanks
 */
export function isCutOff(type: string, base64: string): boolean {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const length = Math.floor((base64.length * 3) / 4) - padding;
  if (type === "image/png") return isPngCut(base64, length);
  if (type === "image/webp") return 8 + little32(readBytes(base64, 4, 4), 0) > length;
  return type === "image/jpeg" && isJpegCut(base64, length);
}

/** Each chunk states its length; the last one is named IEND (W3C, "PNG"). */
function isPngCut(base64: string, length: number): boolean {
  let at = 8;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const head = readBytes(base64, at, 8);
    const name = head.slice(4);
    if (name === "IEND") return false;
    if (head.length === 8 && !CHUNK.test(name)) return false;
    at += 12 + big32(head, 0);
    if (head.length < 8 || at > length) return true;
  }
  return false;
}

/** The picture follows a start of scan, and ends with a mark (ITU-T T.81). */
function isJpegCut(base64: string, length: number): boolean {
  if (readBytes(base64, length - TAIL, TAIL).includes(JPEG_END)) return false;
  const bytes = readBytes(base64, 0, length);
  let at = 2;
  while (bytes[at] === "\xff" && bytes[at + 1] !== "\xda")
    at += 2 + bytes.charCodeAt(at + 2) * 256 + bytes.charCodeAt(at + 3);
  return bytes.startsWith("\xff\xda", at) && !bytes.includes(JPEG_END, at);
}
