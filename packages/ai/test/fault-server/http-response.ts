/** Builds the bytes of an HTTP/1.1 response by hand, so that any of them can be wrong. */

export function httpHead(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`;
}

/** A chunk of a body in chunked encoding. */
export function httpChunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

export const LAST_CHUNK = "0\r\n\r\n";
