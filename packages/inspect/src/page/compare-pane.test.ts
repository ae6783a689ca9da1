import { expect, it } from "vitest";
import { diffWords } from "./compare-pane.js";

const marked = (pieces: { text: string; changed: boolean }[]): string =>
  pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join("");

it.each([
  ["", "", "", ""],
  ["same words", "same words", "same words", "same words"],
  ["", "new", "", "[new]"],
  ["the red house", "the blue house", "the [red] house", "the [blue] house"],
  ["a b c d", "a c d e", "a [b ]c d", "a c d[ e]"],
  ["größer, oder?", "größer oder!", "größer[,] oder[?]", "größer oder[!]"],
  ["x x", "x x x", "x x", "x x[ x]"],
])("marks the words that the other text lacks: %j and %j", (left, right, markedLeft, markedRight) => {
  const pieces = diffWords(left, right);
  expect([marked(pieces.left), marked(pieces.right)]).toEqual([markedLeft, markedRight]);
});

it("keeps every character, and marks everything between the equal ends of texts that are too long to compare", () => {
  const words = (seed: string): string => Array.from({ length: 2000 }, (_, index) => `${seed}${index}`).join(" ");
  const [left, right] = [`same ${words("a")} end`, `same ${words("b")} end`];
  const pieces = diffWords(left, right);
  expect(pieces.left.map(({ text }) => text).join("")).toBe(left);
  expect(pieces.right.map(({ changed }) => changed)).toEqual([false, true, false]);
});
