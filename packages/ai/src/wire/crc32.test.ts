import { crc32 as zlibCrc32 } from "node:zlib";
import { expect, test } from "vitest";
import { crc32 } from "./crc32.js";

test("the check value of the standard", () => {
  expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});

test("agrees with zlib on every byte, and on none", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(crc32(bytes)).toBe(zlibCrc32(bytes));
  expect(crc32(new Uint8Array())).toBe(0);
});
