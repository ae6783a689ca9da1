/** Single bytes of base64, without decoding all of it. */

/** One character for each byte; fewer if the data ends. */
export function readBytes(base64: string, from: number, length: number): string {
  const start = Math.max(0, from);
  const first = Math.floor(start / 3);
  const last = Math.ceil((start + length) / 3);
  return atob(base64.slice(first * 4, last * 4)).slice(start - first * 3, start - first * 3 + length);
}

export function big16(bytes: string, index: number): number {
  return bytes.charCodeAt(index) * 256 + bytes.charCodeAt(index + 1);
}

export function big32(bytes: string, index: number): number {
  return big16(bytes, index) * 65_536 + big16(bytes, index + 2);
}

export function little16(bytes: string, index: number): number {
  return bytes.charCodeAt(index) + bytes.charCodeAt(index + 1) * 256;
}

export function little32(bytes: string, index: number): number {
  return little16(bytes, index) + little16(bytes, index + 2) * 65_536;
}
