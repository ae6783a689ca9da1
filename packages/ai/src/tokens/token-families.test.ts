import { readFileSync } from "node:fs";
import { estimateTokens } from "pi-ai";
import { describe, expect, it } from "vitest";
import { estimateImage } from "./estimate-image.js";
import { estimateMessageTokens } from "./estimate-tokens.js";
import { familyOf } from "./token-families.js";

interface CountedText {
  kind: string;
  text: string;
  /** The counts of each family's tokenizer, by one of its models. */
  tokens: Record<string, number>;
}

// `npm run task count:error` measures many more texts, with tokenizers that are too large for this repository.
const TEXTS: CountedText[] = JSON.parse(
  readFileSync(new URL("../../test/fixtures/token-counts.json", import.meta.url), "utf8"),
);
const MODELS = Object.keys(TEXTS[0]?.tokens ?? {});

function errorOf(text: string, id: string, tokens: number): number {
  const model = { id, input: ["text" as const] };
  // The tokenizer's count does not include the message overhead.
  const frame = estimateTokens({ messages: [{ role: "user", content: " ", timestamp: 0 }] }, model);
  const estimate = estimateTokens({ messages: [{ role: "user", content: text, timestamp: 0 }] }, model);
  return Math.abs((estimate - frame) / tokens - 1);
}

describe.each(MODELS)("the estimate for %s", (id) => {
  it("is within 10 % of the tokenizer for most texts", () => {
    const errors = TEXTS.map(({ text, tokens }) => errorOf(text, id, tokens[id] ?? 0)).sort((a, b) => a - b);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.1);
  });

  it.each(TEXTS)("is within 30 % of the tokenizer for $kind", ({ text, tokens }) => {
    expect(errorOf(text, id, tokens[id] ?? 0)).toBeLessThan(0.3);
  });
});

it("is higher for newer Claude models", () => {
  const context = { messages: [{ role: "user" as const, content: "word ".repeat(1000), timestamp: 0 }] };
  const [old, now] = ["claude-opus-4-6", "claude-opus-4-7"].map((id) =>
    estimateTokens(context, { id, input: ["text"] }),
  );
  expect((now ?? 0) / (old ?? 0)).toBeCloseTo(1.4, 1);
});

it("stays finite for lone surrogates and other scripts", () => {
  const content = "\ud800\udfff\u0000\uffff\u{1f600}ሴ";
  const tokens = estimateTokens({ messages: [{ role: "user", content, timestamp: 0 }] });
  expect(tokens).toBeGreaterThan(4);
  expect(tokens).toBeLessThan(30);
});

/** The beginning of an image, as in a file. */
function encode(...bytes: (number | string)[]): string {
  return Buffer.concat(
    bytes.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from([part]))),
  ).toString("base64");
}

/** 1000 x 500 pixels. */
const [WIDTH, HEIGHT] = ["\x03\xe8", "\x01\xf4"];
const swap = (word: string): string => word.slice(1) + word.slice(0, 1);
const less = (word: string): string => String.fromCharCode(word.charCodeAt(1) - 1, word.charCodeAt(0));
const exif = `\xff\xe1${"\x40\x02"}${"x".repeat(0x4000)}`;
const lossless = (999 | (499 << 14)) >>> 0;

const FILES = {
  PNG: encode(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0${WIDTH}\0\0${HEIGHT}\x08\x02`),
  GIF: encode(`GIF89a${swap(WIDTH)}${swap(HEIGHT)}\0\0\0`),
  JPEG: encode(`\xff\xd8\xff\xe0\0\x10JFIF${"\0".repeat(10)}${exif}\xff\xc2\0\x11\x08${HEIGHT}${WIDTH}\x03`),
  "WebP with a header": encode(`RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0${less(WIDTH)}\0${less(HEIGHT)}\0`),
  "lossy WebP": encode(`RIFF\0\0\0\0WEBPVP8 \n\0\0\0\0\0\0\x9d\x01\x2a${swap(WIDTH)}${swap(HEIGHT)}`),
  "lossless WebP": encode(
    "RIFF\0\0\0\0WEBPVP8L\n\0\0\0\x2f",
    ...[0, 8, 16, 24].map((shift) => (lossless >>> shift) & 255),
    "\0\0\0\0\0",
  ),
};

describe("an image", () => {
  it.each(Object.entries(FILES))("in %s counts by its size", (_, data) => {
    expect(estimateImage(data, familyOf({ id: "claude-opus-4-6" }).image)).toBe(36 * 18);
  });

  it.each([
    ["claude-opus-4-6", 36 * 18],
    ["claude-opus-4-7", 36 * 18],
    ["gpt-5", 85 + 2 * 170],
    ["gemini-2.5-pro", 2 * 258],
    ["gemini-3-pro", 1120],
    ["pixtral-12b", 36 * 18],
    ["qwen3-vl", 36 * 18],
  ])("counts for %s by the vendor's rule", (id, tokens) => {
    expect(estimateImage(FILES.PNG, familyOf({ id }).image)).toBe(tokens);
  });

  it("counts as scaled down by the vendor", () => {
    const large = encode("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x20\0\0\0\x20\0\x08\x02");
    const estimate = (id: string): number => estimateImage(large, familyOf({ id }).image);
    expect([estimate("claude-opus-4-6"), estimate("claude-opus-4-7"), estimate("gpt-4o")]).toEqual([1568, 4784, 765]);
  });

  it.each([
    "",
    "A".repeat(100_000),
    "not base64!",
    encode("\x89PNG"),
    encode(`\x89PNG${"\0".repeat(40)}`),
    encode("\xff\xd8", "\xff\xe0\0\0".repeat(1000)),
    encode("\xff\xd8", "\xff\xe0\0\x02".repeat(1000)),
    encode("RIFF\0\0\0\0WEBPXXXX", "\0".repeat(20)),
  ])("of unknown size counts 1,200 tokens (%#)", (data) => {
    expect(estimateImage(data, familyOf({ id: "gpt-5" }).image)).toBe(1200);
  });

  it("counts as 0 for a model without image input", () => {
    const image = { type: "image", data: FILES.PNG, mimeType: "image/png" } as const;
    const message = { role: "user" as const, content: [image], timestamp: 0 };
    const model = { id: "claude-opus-4-6" };
    const seen = estimateMessageTokens(message, { ...model, input: ["text", "image"] });
    expect(seen - estimateMessageTokens(message, { ...model, input: ["text"] })).toBe(36 * 18);
  });
});
