import { crc32 as zlibCrc32 } from "node:zlib";
import { expect, test } from "vitest";
import { crc32, crc32FromTable } from "./crc32.js";

test.each([crc32, crc32FromTable])("returns the check value of the standard", (checksum) => {
  expect(checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});

test.each([crc32, crc32FromTable])("agrees with zlib on every byte, and on no bytes", (checksum) => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(checksum(bytes)).toBe(zlibCrc32(bytes));
  expect(checksum(new Uint8Array())).toBe(0);
});
