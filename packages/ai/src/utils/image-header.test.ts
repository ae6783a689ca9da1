import { describe, expect, it } from "vitest";
import { readImageHeader } from "./image-header.js";

const base64 = (...parts: (string | number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  ).toString("base64");
const rest = "x".repeat(60);
const png = (width: number[], height: number[]): string =>
  base64("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", width, height, rest);
const segment = (marker: number, length: number): (string | number[])[] => [
  [0xff, marker, length >> 8, length & 255],
  "s".repeat(length - 2),
];
const frame = [0xff, 0xc0, 0, 17, 8, 1, 44, 2, 88]; // 300 high, 600 wide

describe("readImageHeader", () => {
  it.each<[string, string, object]>([
    ["PNG", png([0, 0, 5, 160], [0, 0, 33, 122]), { type: "image/png", size: { width: 1440, height: 8570 } }],
    ["GIF", base64("GIF89a", [44, 1, 200, 0], rest), { type: "image/gif", size: { width: 300, height: 200 } }],
    [
      "WebP with a canvas",
      base64("RIFF", [1, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0, 43, 1, 0, 199, 0, 0], rest),
      { type: "image/webp", size: { width: 300, height: 200 } },
    ],
    [
      "WebP",
      base64("RIFF", [1, 0, 0, 0], "WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 42, 44, 1, 200, 0], rest),
      { type: "image/webp", size: { width: 300, height: 200 } },
    ],
    [
      "JPEG after other segments",
      base64([0xff, 0xd8], ...segment(0xe0, 16), ...segment(0xe1, 60_000), frame),
      { type: "image/jpeg", size: { width: 600, height: 300 } },
    ],
  ])("reads type and size: %s", (_, data, expected) => {
    expect(readImageHeader(data)).toEqual(expected);
  });

  it.each<[string, string]>([
    ["image/bmp", base64("BM", [1, 2, 3, 4, 0, 0, 0, 0], rest)],
    ["image/tiff", base64("II*\0", rest)],
    ["image/avif", base64([0, 0, 0, 32], "ftypavif", rest)],
    ["image/heic", base64([0, 0, 0, 32], "ftypheic", rest)],
    ["image/svg+xml", base64('\xef\xbb\xbf  <svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["image/svg+xml", base64('<?xml version="1.0"?><svg/>')],
    ["application/pdf", base64("%PDF-1.7")],
    ["audio/wav", base64("RIFF", [1, 0, 0, 0], "WAVEfmt ")],
    ["audio/mpeg", base64("ID3", [3, 0])],
    ["video/mp4", base64([0, 0, 0, 32], "ftypisom", rest)],
  ])("knows %s", (type, data) => {
    expect(readImageHeader(data)).toEqual({ type });
  });

  it("says nothing about other bytes", () => {
    expect(readImageHeader(base64("hello"))).toBeUndefined();
    expect(readImageHeader(base64("BMW is a car"))).toBeUndefined();
    expect(readImageHeader("")).toBeUndefined();
  });

  it.each<[string, string]>([
    ["a PNG before its size", base64("\x89PNG\r\n\x1a\n")],
    ["a PNG before its pixels", base64("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 0, 4, 0, 0, 0, 4])],
    ["a PNG without pixels", png([0, 0, 0, 0], [0, 0, 0, 4])],
    ["a GIF", base64("GIF89a")],
    ["a WebP", base64("RIFF", [1, 0, 0, 0], "WEBPVP8 ")],
    ["a JPEG in a segment", base64([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JF")],
    ["a JPEG in its frame", base64([0xff, 0xd8], frame.slice(0, 6))],
  ])("says that the data ends too early: %s", (_, data) => {
    expect(readImageHeader(data)).toMatchObject({ isCutOff: true });
  });

  it("gives up after 64 segments of a JPEG", () => {
    const segments = Array.from({ length: 70 }, () => segment(0xfe, 10)).flat();
    expect(readImageHeader(base64([0xff, 0xd8], ...segments, frame))).toEqual({ type: "image/jpeg" });
  });

  it("refuses what is not base64", () => {
    expect(() => readImageHeader("data:image/png;base64,AAAA")).toThrow();
  });
});
