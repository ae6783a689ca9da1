/** The CRC-32 of zlib and Ethernet (IEEE 802.3). */
import { zlib } from "../utils/node/builtins.js";

type Checksum = (bytes: Uint8Array) => number;

let chosen: Checksum | undefined;

export const crc32: Checksum = (bytes) => {
  // Node's own is six times as fast as the table.
  chosen ??= zlib()?.crc32 ?? crc32FromTable;
  return chosen(bytes);
};

let table: Uint32Array | undefined;

function createTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
}

/** Computes the CRC-32 on platforms without a native one. */
export function crc32FromTable(bytes: Uint8Array): number {
  table ??= createTable();
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0); // the index is a byte
  return ~crc >>> 0;
}
