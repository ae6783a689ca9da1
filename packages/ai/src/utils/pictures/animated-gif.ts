/** Whether a GIF holds more than one picture (W3C, "GIF89a"). Reads a part of bounded length, whatever the data. */

/** In characters of base64. What does not show a second picture up to here is one, or says that it repeats. */
const READ_LENGTH = 512 * 1024;
const REPEATS = /NETSCAPE2\.0|ANIMEXTS1\.0/;
const IMAGE = 0x2c;
const EXTENSION = 0x21;

/** @param base64 of a GIF */
export function isAnimated(base64: string): boolean {
  const bytes = atob(base64.slice(0, READ_LENGTH));
  let pictures = 0;
  let at = 13 + tableLength(bytes.charCodeAt(10));
  while (at < bytes.length && pictures < 2) {
    const kind = bytes.charCodeAt(at);
    if (kind === IMAGE) {
      pictures++;
      // Its place and size, its colours, and the size of its codes.
      at = afterBlocks(bytes, at + 11 + tableLength(bytes.charCodeAt(at + 9)));
    } else if (kind === EXTENSION) at = afterBlocks(bytes, at + 2);
    else return false;
  }
  return pictures > 1 || REPEATS.test(bytes);
}

/** The colours of a picture or of all, as its flags tell. */
function tableLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Blocks of at most 255 bytes follow each other; an empty one ends them. */
function afterBlocks(bytes: string, from: number): number {
  let at = from;
  for (let length = bytes.charCodeAt(at); length > 0; length = bytes.charCodeAt(at)) at += length + 1;
  return at + 1;
}
