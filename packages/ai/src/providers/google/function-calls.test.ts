import fc from "fast-check";
import { expect, test } from "vitest";
import { budget } from "../../../../../test/support/suite.js";
import { PartialArguments, type WirePartialArg } from "./partial-arguments.js";

function write(...pieces: WirePartialArg[]): string {
  const writer = new PartialArguments();
  return pieces.map((piece) => writer.write(piece)).join("") + writer.end();
}

test("values of every kind, in objects and arrays", () => {
  const text = write(
    { jsonPath: "$.name", stringValue: "a" },
    { jsonPath: "$.list[0].x", numberValue: 1.5 },
    { jsonPath: "$.list[0].y", boolValue: false },
    { jsonPath: "$.list[1].x", nullValue: "NULL_VALUE" },
    { jsonPath: "$['with space']", stringValue: "b" },
    { jsonPath: '$["with.dot"].deep[0][0]', stringValue: "c" },
  );
  expect(JSON.parse(text)).toEqual({
    name: "a",
    list: [{ x: 1.5, y: false }, { x: null }],
    "with space": "b",
    "with.dot": { deep: [["c"]] },
  });
});

test("bracketed names with every kind of escape", () => {
  const text = write(
    { jsonPath: "$['it\\'s \\u00e9']", numberValue: 1 },
    { jsonPath: '$["say \\"x\\"\\n"]', numberValue: 2 },
    { jsonPath: "$['a\\\\b\"c']", numberValue: 3 },
  );
  expect(JSON.parse(text)).toEqual({ "it's é": 1, 'say "x"\n': 2, 'a\\b"c': 3 });
});

test("a string in pieces, cut inside a character and at a quote", () => {
  const text = write(
    { jsonPath: "$.t", stringValue: 'say "', willContinue: true },
    { jsonPath: "$.t", stringValue: "\ud83d", willContinue: true },
    { jsonPath: "$.t", stringValue: '\ude00"\n', willContinue: true },
    { jsonPath: "$.t", stringValue: "" },
    { jsonPath: "$.u", stringValue: "end" },
  );
  expect(JSON.parse(text)).toEqual({ t: 'say "😀"\n', u: "end" });
});

test("the next value closes a string that the wire left open", () => {
  const text = write({ jsonPath: "$.t", stringValue: "a", willContinue: true }, { jsonPath: "$.u", numberValue: 1 });
  expect(JSON.parse(text)).toEqual({ t: "a", u: 1 });
});

test("the text grows with each piece and is never taken back", () => {
  const writer = new PartialArguments();
  expect(writer.begun).toBe(false);
  expect(writer.write({ jsonPath: "$.a.b", stringValue: "x", willContinue: true })).toBe('{"a":{"b":"x');
  expect(writer.write({ jsonPath: "$.a.b", stringValue: "y" })).toBe('y"');
  expect(writer.write({ jsonPath: "$.c", numberValue: 1 })).toBe('},"c":1');
  expect(writer.end()).toBe("}");
});

test("without pieces there is no text", () => {
  expect(write()).toBe("");
  expect(write({ jsonPath: "$.a" }, { stringValue: "x" })).toBe("");
});

test.each<[string, WirePartialArg[]]>([
  ["an array that begins in the middle", [{ jsonPath: "$.a[1]", numberValue: 1 }]],
  ["a path that cannot be read", [{ jsonPath: "$..a", numberValue: 1 }]],
  ["a path without its root", [{ jsonPath: "a", numberValue: 1 }]],
  ["a value for the whole", [{ jsonPath: "$", numberValue: 1 }]],
  ["a path of absurd depth", [{ jsonPath: `$${"[0]".repeat(10_000)}`, numberValue: 1 }]],
  [
    "a second value for a name",
    [
      { jsonPath: "$.a", numberValue: 1 },
      { jsonPath: "$.a", numberValue: 2 },
    ],
  ],
  [
    "a return to an object that was left",
    [
      { jsonPath: "$.a.x", numberValue: 1 },
      { jsonPath: "$.b", numberValue: 2 },
      { jsonPath: "$.a.y", numberValue: 3 },
    ],
  ],
  [
    "a name in an array",
    [
      { jsonPath: "$.a[0]", numberValue: 1 },
      { jsonPath: "$.a.b", numberValue: 2 },
    ],
  ],
])("%s leaves the text unfinished", (_name, pieces) => {
  expect(() => JSON.parse(write(...pieces))).toThrow();
});

test("any object that is sent in document order is reproduced exactly", () => {
  const scalar = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
      fc.dictionary(fc.string({ minLength: 1, unit: "grapheme-ascii" }), tie("value"), { minKeys: 1, maxKeys: 3 }),
    ),
  }));
  const object = fc.dictionary(fc.string({ minLength: 1 }), value, { minKeys: 1, maxKeys: 4 });
  fc.assert(
    fc.property(object, (given) => {
      expect(JSON.parse(write(...toPieces(given, "$")))).toEqual(JSON.parse(JSON.stringify(given)));
    }),
    { seed: 7, numRuns: budget({ quick: 60, all: 300 }) },
  );
});

function toPieces(value: unknown, path: string): WirePartialArg[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => toPieces(item, `${path}[${index}]`));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, item]) =>
      toPieces(item, `${path}['${JSON.stringify(name).slice(1, -1).replaceAll("'", "\\'")}']`),
    );
  }
  if (typeof value === "string") {
    const middle = value.length >> 1;
    return [
      { jsonPath: path, stringValue: value.slice(0, middle), willContinue: true },
      { jsonPath: path, stringValue: value.slice(middle) },
    ];
  }
  if (typeof value === "number") return [{ jsonPath: path, numberValue: value }];
  return typeof value === "boolean" ? [{ jsonPath: path, boolValue: value }] : [{ jsonPath: path, nullValue: null }];
}
