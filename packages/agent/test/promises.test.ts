/** Each promise of the table stands where the table says, its test exists, and no sentence promises without a row. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { findUnknownPromises, inOneLine } from "./promises/sentences.js";
import { PLACES } from "./promises.js";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** Whether a test, or a row of a table of tests, has a name that begins so. */
function hasTest(file: string, name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:\\b(?:test|it)\\(|\\)\\(|\\[|\\btitle: )\\s*["\`]${escaped}`).test(read(file));
}

describe.each(PLACES)("$file", ({ file, promises, others }) => {
  const text = read(file);

  test.each(promises)("%s", (says, place, name) => {
    expect(inOneLine(text)).toContain(says);
    expect(hasTest(place, name)).toBe(true);
  });

  test("has a row for each sentence that promises something, or says that it is none", () => {
    const known = [...promises.map(([says]) => says), ...others];
    const remedy =
      "give each a row in test/promises, with the test that holds it, or list it in `others` of promises.ts";
    expect(findUnknownPromises(file, text, known), remedy).toEqual([]);
    expect(others.filter((part) => !inOneLine(text).includes(part))).toEqual([]);
  });
});
