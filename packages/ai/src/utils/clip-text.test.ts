import { expect, it } from "vitest";
import { clipText } from "./clip-text.js";

it("does not change a text of 2,048 characters", () => {
  const text = "a".repeat(2048);
  expect(clipText(text)).toBe(text);
});

it("keeps the head and the tail of a longer text, and states how much is missing", () => {
  const clipped = clipText(`head${"-".repeat(5_000_000)}tail`);
  expect(clipped.startsWith("head-")).toBe(true);
  expect(clipped.endsWith("-tail")).toBe(true);
  expect(clipped).toContain("… (4997960 characters left out) …");
  expect(clipped.length).toBeLessThan(2100);
});

it("leaves no lone surrogate", () => {
  const clipped = clipText(`a${"😀".repeat(2000)}`);
  expect(clipped.isWellFormed()).toBe(true);
});
