/** Pictures and documents with real headers, for examples and random conversations. */

/** A PNG of this size on paper: its header says so, the rest is filler. */
export function png(width: number, height: number, bytes = 64): string {
  const data = Buffer.alloc(Math.max(bytes, 33));
  data.write("\x89PNG\r\n\x1a\n", "latin1");
  data.writeUInt32BE(13, 8);
  data.write("IHDR", 12, "latin1");
  data.writeUInt32BE(width, 16);
  data.writeUInt32BE(height, 20);
  return data.toString("base64");
}

export function gif(width: number, height: number): string {
  const data = Buffer.alloc(32);
  data.write("GIF89a", "latin1");
  data.writeUInt16LE(width, 6);
  data.writeUInt16LE(height, 8);
  return data.toString("base64");
}

/** A GIF of so many pictures, each of one pixel; from two on it repeats them. */
export function movingGif(frames: number, size = 1): string {
  const loop = frames > 1 ? "!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0" : "";
  const frame = "!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0";
  const data = Buffer.from(`GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff${loop}${frame.repeat(frames)};`, "latin1");
  data.writeUInt16LE(size, 6);
  data.writeUInt16LE(size, 8);
  return data.toString("base64");
}

export function jpeg(width: number, height: number): string {
  const data = Buffer.alloc(64);
  data.writeUInt32BE(0xffd8ffc0, 0);
  data.writeUInt16BE(17, 4);
  data.writeUInt16BE(height, 7);
  data.writeUInt16BE(width, 9);
  return data.toString("base64");
}

export function webp(width: number, height: number): string {
  const data = Buffer.alloc(64);
  data.write("RIFF", 0, "latin1");
  data.write("WEBPVP8X", 8, "latin1");
  data.writeUIntLE(width - 1, 24, 3);
  data.writeUIntLE(height - 1, 27, 3);
  return data.toString("base64");
}

export function bmp(): string {
  return Buffer.from("BM6\0\0\0\0\0\0\0".padEnd(60, "\0"), "latin1").toString("base64");
}

export function json(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Its chunk of data says that it is longer. */
export const BROKEN_PNG: string = Buffer.concat([
  Buffer.from(png(40, 30, 33), "base64"),
  Buffer.from("\0\0\x10\0IDAT and no end of it, because the rest never came", "latin1"),
]).toString("base64");
export const SVG: string = json('<svg xmlns="http://www.w3.org/2000/svg"/>');
export const PNG: string = png(40, 30);
export const PDF: string = json("%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF\n  ");
