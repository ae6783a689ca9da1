import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isAnimated } from "./animated-gif.js";
import { isCutOff } from "./cut-off.js";

const big = (value: number): Buffer => Buffer.from([value >> 24, value >> 16, value >> 8, value]);
const chunk = (name: string, data: Buffer): Buffer =>
  Buffer.concat([big(data.length), Buffer.from(name, "latin1"), data, big(0)]);
const PNG = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
  chunk("IHDR", Buffer.concat([big(2), big(2), Buffer.from([8, 6, 0, 0, 0])])),
  chunk("tEXt", Buffer.from("Title\0IEND")),
  chunk("IDAT", deflateSync(Buffer.alloc(18, 7))),
  chunk("IEND", Buffer.alloc(0)),
]);
const JPEG = Buffer.from(
  "ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffda0008010100003f00d2cfffd9".replace(/\s/g, ""),
  "hex",
);
const WEBP = Buffer.concat([
  ...[Buffer.from("RIFF"), Buffer.from([22, 0, 0, 0]), Buffer.from("WEBPVP8L"), Buffer.from([10, 0, 0, 0])],
  Buffer.alloc(10, 1),
]);

describe.each([
  ["image/png", PNG],
  ["image/jpeg", JPEG],
  ["image/webp", WEBP],
])("%s", (type, data) => {
  const cut = (bytes: Buffer): boolean => isCutOff(type, bytes.toString("base64"));

  it("is whole with its end, and with something after it", () => {
    expect(cut(data)).toBe(false);
    expect(cut(Buffer.concat([data, Buffer.alloc(9000, 65)]))).toBe(false);
  });

  it("is cut off wherever its data ends before", () => {
    const from = type === "image/jpeg" ? data.indexOf("ffda", 0, "hex") + 2 : 12;
    const last = type === "image/png" ? data.length - 5 : data.length - 1;
    for (let length = from; length < last; length++)
      expect([length, cut(data.subarray(0, length))]).toEqual([length, true]);
  });
});

it("does not judge what no format says", () => {
  expect(isCutOff("image/png", Buffer.from("\x89PNG\r\n\x1a\n and other letters", "latin1").toString("base64"))).toBe(
    false,
  );
  expect(isCutOff("image/bmp", "Qk0=")).toBe(false);
  expect(isCutOff("image/jpeg", Buffer.from([255, 216, 255, 0]).toString("base64"))).toBe(false);
});

it("counts the pictures of a GIF, and trusts one that says it repeats where the data is cut", () => {
  const frame = "!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0";
  const gif = (...parts: string[]): string =>
    Buffer.from(`GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff${parts.join("")}`, "latin1").toString("base64");
  const loop = "!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0";
  expect(isAnimated(gif(frame, ";"))).toBe(false);
  expect(isAnimated(gif(loop, frame, ";"))).toBe(false);
  expect(isAnimated(gif(frame, frame, ";"))).toBe(true);
  expect(isAnimated(gif(loop, frame.slice(0, 20)))).toBe(true);
  expect(isAnimated(gif())).toBe(false);
});
