/** Keywords of JSON Schema alone, at the wrong place, with values of other types, and in large numbers. */

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const property = (schema: unknown): object => object({ a: schema });
const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });
const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const DEEP_REFS = Object.fromEntries(
  numbered(40, "").map((_, level) => [
    `d${level}`,
    object({ next: level === 39 ? { type: "string" } : ref(`d${level + 1}`) }),
  ]),
);

/** Values that some keyword takes and the others do not. */
const VALUES = [
  0,
  -1,
  1.5,
  "",
  "a b#c",
  "http://a.test/#b",
  true,
  {},
  ["a", "a"],
  { a: 1 },
  { a: ["b", "b"] },
  { a: { type: "x" } },
];
/** Keywords that few servers send, and of which the value matters to a check of the schema. */
const RARE = (
  "$id $anchor $dynamicAnchor $vocabulary $comment multipleOf minContains maxContains minLength maxItems minProperties " +
  "contentEncoding contentMediaType contentSchema dependentRequired dependentSchemas dependencies unevaluatedItems additionalItems"
).split(" ");
const RARE_KEYWORDS = Object.fromEntries(
  RARE.map((keyword) => [
    `${keyword} of each kind`,
    object(
      Object.fromEntries(
        VALUES.flatMap((value, index) => [
          [`a${index}`, { [keyword]: value }],
          [`b${index}`, object({ c: {} }, { [keyword]: value })],
        ]),
      ),
      { [keyword]: VALUES[RARE.indexOf(keyword) % VALUES.length] },
    ),
  ]),
);

/** By name: the schema of a tool. */
export const ODD_KEYWORDS: Readonly<Record<string, unknown>> = {
  ...RARE_KEYWORDS,
  "if beside then without else": {
    ...property({ type: "string" }),
    if: { properties: { a: { const: "x" } } }, // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ["a"] },
  },
  "dependentRequired in a property": property({ ...object({ b: {}, c: {} }), dependentRequired: { b: ["c"], c: "b" } }),
  "dependencies of both kinds": { ...object({ a: {}, b: {} }), dependencies: { a: ["b"], b: { required: ["a"] } } },
  "an enum of lists and objects": property({ enum: [[1], { a: 1 }, "a", 1, true, null] }),
  "an enum that is empty": property({ type: "string", enum: [] }),
  "an enum of true": property({ type: "boolean", enum: [true] }),
  "an enum of empty texts": property({ type: "string", enum: ["", " "] }),
  "an enum with one value twice": property({ type: "string", enum: ["a", "a", "b"] }),
  "an enum of 1,000 values": property({ type: "string", enum: numbered(1000, "value_") }),
  "an enum of long values": property({ type: "string", enum: numbered(20, "x".repeat(900)) }),
  "an enum of numbers without a type": property({ enum: [1, 2.5, -3] }),
  "an enum that is a text": property({ type: "string", enum: "a" }),
  "an enum that is an object": property({ type: "string", enum: { A: "a" } }),
  "an enum of an object's property": property({ type: "object", enum: [{}] }),
  "a const that is a list": property({ const: ["a", 1] }),
  "a const of an empty text": property({ type: "string", const: "" }),
  "a default of an object": property({ type: "string", default: { a: 1 } }),
  "a default of null": property({ type: "object", default: null }),
  "a default at the top": { ...property({ type: "string" }), default: { a: "x" } },
  "an enum at the top of another type": { type: "object", enum: ["a"] },
  "a const at the top": { const: { a: 1 } },
  "items: false": property({ type: "array", items: false }),
  "items: a reference": {
    ...property({ type: "array", items: ref("x") }),
    $defs: { x: object({ y: { type: "array", items: ref("x") } }) },
  },
  "items: any of": property({ type: "array", items: { anyOf: [{ type: "string" }, object({ b: {} })] } }),
  "items in a property that is no list": property({ type: "string", items: { type: "string" } }),
  "properties in a list": property({ type: "array", items: {}, properties: { b: {} } }),
  "properties in a text": property({ type: "string", properties: { b: { type: "string" } }, required: ["b"] }),
  "no type but items": property({ items: { type: "string" } }),
  "no type but a pattern": property({ pattern: "^a$" }),
  "no type but required": property({ required: ["b"] }),
  "a type of a list of one": property({ type: ["string"] }),
  "a type of null and a list": property({ type: ["null", "array"] }),
  "additionalProperties: null": { ...property({ type: "string" }), additionalProperties: null },
  "additionalProperties in itself": { type: "object", additionalProperties: { $ref: "#" } },
  "patternProperties beside properties": property({
    ...object({ b: {} }),
    patternProperties: { "^x-": {}, "": { type: "string" } },
  }),
  "patternProperties: null": property({ type: "object", patternProperties: null }),
  "a reference beside anyOf": {
    ...property({ ...ref("x"), anyOf: [{ minLength: 1 }] }),
    $defs: { x: { type: "string" } },
  },
  "a reference of a reference": { ...property(ref("x")), $defs: { x: ref("y"), y: ref("z"), z: { type: "integer" } } },
  "a reference to a file": property({ $ref: "common.json#/definitions/Id" }),
  "a reference to its own place": property({ $ref: "#/properties/a" }),
  "a reference that is empty": property({ $ref: "" }),
  "a reference with blanks": property({ $ref: " #/$defs/x " }),
  "a reference to a keyword": { ...property({ $ref: "#/required" }), required: [] },
  "a reference to a list's item": { ...property({ $ref: "#/anyOf/0" }), anyOf: [{ type: "object" }] },
  "a reference to an anchor elsewhere": {
    ...property({ $ref: "other#here" }),
    $defs: { o: { $id: "other", $anchor: "here" } },
  },
  "40 references, one in the other": { ...property(ref("d0")), $defs: DEEP_REFS },
  "definitions beside $defs": {
    ...object({ a: ref("x"), b: { $ref: "#/definitions/x" } }),
    $defs: { x: {} },
    definitions: { x: { type: "string" } },
  },
  "500 properties, all demanded": object(
    Object.fromEntries(numbered(500, "field_").map((name) => [name, { type: "string", description: "D" }])),
    { required: numbered(500, "field_") },
  ),
  "200 properties, each an object": object(
    Object.fromEntries(
      numbered(200, "o").map((name) => [name, object({ x: { type: "string" }, y: { type: "number" } })]),
    ),
  ),
  "descriptions of 3,000 letters": object(
    Object.fromEntries(numbered(5, "p").map((name) => [name, { type: "string", description: "Word. ".repeat(500) }])),
  ),
  "a description at the top of 20,000": { ...property({}), description: "Word. ".repeat(3400) },
  "a title of 2,000 letters": { ...property({ title: "T".repeat(2000) }), title: "T".repeat(2000) },
  "35 levels of unions": Array.from({ length: 35 }).reduce<object>(
    (inner) => property({ anyOf: [inner, { type: "null" }] }),
    object({}),
  ),
  "60 levels of additionalProperties": Array.from({ length: 60 }).reduce<object>(
    (inner) => ({ type: "object", additionalProperties: inner }),
    { type: "string" },
  ),
  "names of methods": object({
    toString: { type: "string" },
    valueOf: {},
    hasOwnProperty: {},
    length: { type: "integer" },
  }),
  "names with emoji and colons": object(
    { "🏷️ label": {}, "xml:lang": { type: "string" }, "a→b": {} },
    { required: ["xml:lang"] },
  ),
  "names that differ in case": object({ ID: {}, id: { type: "string" }, Id: {} }),
  "a name with a line": object({ "a\nb": { type: "string" }, "tab\t": {} }),
  "names of right to left": object({ שם: { type: "string" }, "\u202eabc": {} }),
};
