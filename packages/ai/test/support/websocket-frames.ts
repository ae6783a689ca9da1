/** Writes and reads WebSocket frames as a server does (RFC 6455). */

export const CONTINUATION = 0;
export const TEXT = 1;
export const CLOSE = 8;

/** A server's frame: not masked. */
export function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const long = payload.length > 125;
  const head = Buffer.alloc(long ? 10 : 2);
  head[0] = 0x80 | opcode;
  head[1] = long ? 127 : payload.length;
  if (long) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** The first client frame of the bytes, unmasked; undefined if it is incomplete. */
export function takeFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const extra = short === 127 ? 8 : short === 126 ? 2 : 0;
  const start = 2 + extra + 4;
  if (bytes.length < start) return undefined;
  const size = extra === 8 ? Number(bytes.readBigUInt64BE(2)) : extra === 2 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, start + size).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { opcode: bytes.readUInt8(0) & 0x0f, payload, length: start + size };
}
