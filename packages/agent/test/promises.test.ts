/** Each promise of the table stands where the table says, and its test exists. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { PROMISES } from "./promises.js";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** The text on one line, without the stars of a docstring. */
const inOneLine = (text: string): string => text.replace(/\s+(?:\*\s+)?/g, " ");

test.each(PROMISES)("$in: $says", ({ says, in: place, test: [file, name] }) => {
  expect(inOneLine(read(place))).toContain(says);
  const names = [...read(file).matchAll(/\b(?:test|it)(?:\.each\([^;]*?\))?\(\s*["`](.*?)["`],/gs)].map(
    ([, own = ""]) => own,
  );
  expect(names.some((own) => own.startsWith(name))).toBe(true);
});
