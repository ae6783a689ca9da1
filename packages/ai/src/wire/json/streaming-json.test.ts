import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, it } from "vitest";
import { StreamingJsonParser } from "./streaming-json.js";

// The same cases on every run.
fc.configureGlobal({ seed: 20261121 });

function feedAll(pieces: string[], afterEach?: (parser: StreamingJsonParser) => void): StreamingJsonParser {
  const parser = new StreamingJsonParser();
  for (const piece of pieces) {
    parser.feed(piece);
    afterEach?.(parser);
  }
  return parser;
}

/** Splits a text at the given positions. */
function cut(text: string, places: number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => text.slice(start, sorted[index]));
}

/** Whether `final` contains all of `partial`. Strings and numbers may be shorter where `open` says so. */
function isPrefix(partial: unknown, final: unknown, open: (string | number)[] | undefined): boolean {
  if (open?.length === 0) {
    if (typeof partial === "string") return typeof final === "string" && final.startsWith(partial);
    return typeof partial === "number" && typeof final === "number";
  }
  if (typeof partial !== "object" || partial === null) return Object.is(partial, final);
  if (typeof final !== "object" || final === null || Array.isArray(partial) !== Array.isArray(final)) return false;
  return Object.keys(partial).every((key) => {
    const isOpen = open !== undefined && String(open[0]) === key;
    return (
      Object.hasOwn(final, key) && isPrefix(own(partial, key), own(final, key), isOpen ? open.slice(1) : undefined)
    );
  });
}

function own(target: unknown, key: string | number): unknown {
  return Object.getOwnPropertyDescriptor(target, key)?.value;
}

const jsonText = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc.json({ maxDepth: 4, stringUnit: "binary" }),
  fc.jsonValue({ stringUnit: "grapheme" }).map((value) => JSON.stringify(value, null, 2)),
  // Escapes every character, so that splits fall inside escapes.
  fc.string({ unit: "binary" }).map((text) => {
    const escaped = Array.from(text, (char) =>
      char.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    );
    return `{"text":"${escaped.join("")}"}`;
  }),
  // Keys with inherited names.
  fc
    .dictionary(fc.constantFrom("__proto__", "constructor", "toString", "a", "1"), fc.jsonValue())
    .map((value) => JSON.stringify(value)),
);

it("ends with the value of JSON.parse", () => {
  fc.assert(
    fc.property(jsonText, fc.array(fc.nat(), { maxLength: 20 }), fc.boolean(), (text, places, look) => {
      const parser = feedAll(cut(text, places), look ? (p) => p.value : undefined);
      const expected: unknown = JSON.parse(text);
      expect(JSON.stringify(parser.value)).toBe(JSON.stringify(expected));
      assert.deepStrictEqual(parser.value, expected);
      expect(parser.state).toBe(typeof expected === "number" ? "partial" : "complete");
    }),
    { numRuns: 500 },
  );
});

it("shows a part of the final value after every character, and marks what may still grow", () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const final: unknown = JSON.parse(text);
      const parser = new StreamingJsonParser();
      for (let length = 1; length <= Math.min(text.length, 300); length++) {
        parser.feed(text.charAt(length - 1));
        const { value, open, error } = parser;
        expect(error).toBeUndefined();
        if (value !== undefined) expect(isPrefix(value, final, open)).toBe(true);
        const last = open?.reduce(own, value);
        if (typeof last === "number")
          expect(last).toBe(Number.parseFloat(/[-+.\deE]+$/.exec(text.slice(0, length))?.[0] ?? ""));
      }
    }),
    { numRuns: 200 },
  );
});

it("does not depend on where the text was split", () => {
  const anyText = fc.oneof(
    jsonText,
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'{}[]",:\\u012-+.eEtrufalsn \n') }),
  );
  fc.assert(
    fc.property(anyText, fc.nat(), (text, length) => {
      const start = text.slice(0, length % (text.length + 1));
      const whole = feedAll([start]);
      const single = feedAll(start.split(""), (parser) => parser.value);
      assert.deepStrictEqual(
        [single.value, single.open, single.state, single.error],
        [whole.value, whole.open, whole.state, whole.error],
      );
    }),
    { numRuns: 500 },
  );
});

it("accepts and rejects the same texts as JSON.parse, except for what it repairs in strings", () => {
  const noise = fc.string({ unit: fc.constantFrom(..."{}[],:012-+.eE tru", '"a"', "null", '{"k":1}'), maxLength: 8 });
  fc.assert(
    fc.property(noise, (text) => {
      const wrapped = `[${text}]`;
      let expected: unknown;
      try {
        expected = JSON.parse(wrapped);
      } catch {
        expect(feedAll([wrapped]).state).not.toBe("complete");
        return;
      }
      assert.deepStrictEqual(feedAll([wrapped]).value, expected);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ["", undefined, undefined, "empty"],
  [" \n", undefined, undefined, "empty"],
  ["{", {}, undefined, "partial"],
  ['{"a', {}, undefined, "partial"],
  ['{"a":', {}, undefined, "partial"],
  ['{"a":tru', {}, undefined, "partial"],
  ['{"a":nul', {}, undefined, "partial"],
  ['{"a":true', { a: true }, undefined, "partial"],
  ['{"a":"', { a: "" }, ["a"], "partial"],
  ['{"a":"x\\', { a: "x" }, ["a"], "partial"],
  ['{"a":"x\\u00', { a: "x" }, ["a"], "partial"],
  ['{"a":-', {}, undefined, "partial"],
  ['{"a":1', { a: 1 }, ["a"], "partial"],
  ['{"a":1.', { a: 1 }, ["a"], "partial"],
  ['{"a":1e', { a: 1 }, ["a"], "partial"],
  ['{"a":1e2', { a: 100 }, ["a"], "partial"],
  ['{"a":1,', { a: 1 }, undefined, "partial"],
  ['{"a":[1,{"b":"x', { a: [1, { b: "x" }] }, ["a", 1, "b"], "partial"],
  ["[[],-", [[]], undefined, "partial"],
  ['"x', "x", [], "partial"],
  ["7", 7, [], "partial"],
  ["null", null, undefined, "complete"],
  ['{"a":1} \n', { a: 1 }, undefined, "complete"],
  ['{"a":1}{"a":1}', { a: 1 }, undefined, "invalid"],
  ['{"a":01', { a: 0 }, undefined, "invalid"],
  ["[1,]", [1], undefined, "invalid"],
  ['{"a":1,}', { a: 1 }, undefined, "invalid"],
  ["trap", undefined, undefined, "invalid"],
])("reads %j", (text, value, open, state) => {
  const parser = feedAll([text]);
  expect(parser.value).toStrictEqual(value);
  expect(parser.open).toEqual(open);
  expect(parser.state).toBe(state);
});

it("returns the index of an array's open element before and after the value was read", () => {
  const parser = feedAll(['["a","b']);
  expect(parser.open).toEqual([1]);
  expect(parser.value).toEqual(["a", "b"]);
  expect(parser.open).toEqual([1]);
});

it.each([
  ["raw control characters", '{"a":"x\ny\t\u0001"}', { a: "x\ny\t\u0001" }],
  ["an escape that JSON does not have", '{"a":"\\d\\w"}', { a: "\\d\\w" }],
  ["a backslash before a raw newline", '{"a":"x\\\ny"}', { a: "x\\\ny" }],
  ["a bad unicode escape", '{"a":"\\u12G4 \\u\\n"}', { a: "\\u12G4 \\u\n" }],
])("keeps %s unchanged", (_what, text, value) => {
  expect(feedAll([text]).value).toStrictEqual(value);
  expect(feedAll(text.split("")).value).toStrictEqual(value);
});

it("joins a surrogate pair whose escapes are split", () => {
  expect(feedAll(['{"a":"\\ud83', "c\\udf0", 'd"}']).value).toEqual({ a: "\u{1f30d}" });
});

it("keeps growing the same object", () => {
  const parser = new StreamingJsonParser();
  parser.feed('{"a":1,');
  const before = parser.value;
  parser.feed('"b":2}');
  expect(parser.value).toBe(before);
  expect(before).toEqual({ a: 1, b: 2 });
});

it("makes __proto__ plain data", () => {
  const value = feedAll(['{"__proto__":{"polluted":true},"toString":1}']).value;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(Object(value))).toEqual(["__proto__", "toString"]);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

it("stops at the depth limit and keeps what it has read", () => {
  const parser = new StreamingJsonParser({ maxDepth: 3 });
  parser.feed('{"a":[[1,[2]]]}');
  expect(parser.value).toEqual({ a: [[1]] });
  expect(parser.error).toBe("it is nested deeper than 3 levels");
  const allowed = new StreamingJsonParser({ maxDepth: 3 });
  allowed.feed('{"a":[[1]]}');
  expect(allowed.state).toBe("complete");
});

it("reads 100,000 nested arrays without overflowing the stack", () => {
  expect(feedAll(["[".repeat(100_000)]).state).toBe("invalid");
  const deep = new StreamingJsonParser({ maxDepth: 100_000 });
  deep.feed("[".repeat(100_000) + "]".repeat(100_000));
  expect(deep.state).toBe("complete");
});

it("stops at the length limit", () => {
  const parser = new StreamingJsonParser({ maxLength: 6 });
  parser.feed('["ab');
  parser.feed("cdef");
  expect(parser.value).toEqual(["abcd"]);
  expect(parser.error).toBe("it is longer than 6 characters");
});

it("reports what it did not expect, and where", () => {
  expect(feedAll(['{"a"', ": x"]).error).toBe('unexpected "x" at position 6');
});

it("reads each piece of a number in the same time, regardless of the number's length", () => {
  const parser = feedAll([`[${"9".repeat(70)}`]);
  expect(parser.value).toEqual([Number("9".repeat(64))]);
  parser.feed("0]");
  expect(parser.value).toEqual([Number(`${"9".repeat(70)}0`)]);
});
