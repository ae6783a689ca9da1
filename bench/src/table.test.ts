import { expect, it } from "vitest";
import { formatNumber, formatTable, replaceBetween } from "./table.ts";

it("writes each row on a line, without padding", () => {
  expect(formatTable([["work", "a"], ["long work", "1.00"], ["x"]])).toBe(
    ["| work | a |", "| --- | --- |", "| long work | 1.00 |", "| x |  |"].join("\n"),
  );
});

it.each([
  [0.1234, "0.12"],
  [-0.02, "-0.02"],
  [9.996, "10.00"],
  [12.34, "12.3"],
  [1234.5, "1,235"],
  [Number.NaN, "-"],
])("writes %d as %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

it("replaces only the text between the markers", () => {
  const page = "before\n<!-- a -->\nold\n<!-- end -->\nprose\n<!-- b -->\nkept\n<!-- end -->\n";
  expect(replaceBetween(page, "<!-- a -->", "<!-- end -->", "new")).toBe(
    "before\n<!-- a -->\n\nnew\n\n<!-- end -->\nprose\n<!-- b -->\nkept\n<!-- end -->\n",
  );
});

it("rejects a page without the markers", () => {
  expect(() => replaceBetween("prose", "<!-- a -->", "<!-- end -->", "new")).toThrow("has no place");
});
