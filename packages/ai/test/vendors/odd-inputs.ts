/** Odd inputs of tools, names and pictures, as MCP servers, users and other libraries have them. */

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const property = (schema: unknown): object => object({ a: schema });

const deep = (levels: number): object => (levels === 0 ? { type: "string" } : property(deep(levels - 1)));

/** By name: the schema of a tool. */
export const ODD_SCHEMAS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  "a list": [],
  "a text": "object",
  "no type": { properties: { a: { type: "string" } } },
  "type null": { type: null, properties: {} },
  "type list": { type: ["object", "null"], properties: { a: { type: "string" } } },
  "type array": { type: "array", items: { type: "string" } },
  "type string": { type: "string" },
  "$ref at the top": { $ref: "#/$defs/a", $defs: { a: object({ x: { type: "number" } }) } },
  "$ref to itself": { $ref: "#" },
  "$ref of a cycle": { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
  "$ref to nothing": property({ $ref: "#/$defs/none" }),
  "$ref to the web": property({ $ref: "https://a.test/schema.json" }),
  "$ref with an escape": { ...property({ $ref: "#/$defs/a~1b%20c" }), $defs: { "a/b c": { type: "string" } } },
  "$ref beside words": {
    ...property({ $ref: "#/$defs/a", description: "A", default: "x" }),
    $defs: { a: { type: "string" } },
  },
  "$ref to a property": object({ a: { type: "string" }, b: { $ref: "#/properties/a" } }),
  "$defs that refer to themselves": {
    ...property({ $ref: "#/$defs/node" }),
    $defs: {
      node: object({ next: { $ref: "#/$defs/node" }, list: { type: "array", items: { $ref: "#/$defs/node" } } }),
    },
  },
  "definitions of draft 7": { ...property({ $ref: "#/definitions/a" }), definitions: { a: { type: "integer" } } },
  $dynamicRef: { $dynamicAnchor: "node", ...property({ $dynamicRef: "#node" }) },
  $anchor: { ...property({ $ref: "#word" }), $defs: { a: { $anchor: "word", type: "string" } } },
  $id: { $id: "https://a.test/a", ...property({ type: "string" }) },
  "$comment and examples": object({
    a: { type: "string", $comment: "x", examples: ["a"], deprecated: true, readOnly: true },
  }),
  const: property({ const: "x" }),
  "const null": property({ const: null }),
  "const of an object": property({ const: { b: [1, null] } }),
  "const of a number": property({ const: 1.5 }),
  "const false": property({ const: false }),
  "enum of several types": property({ enum: ["a", 1, true, null] }),
  "enum of objects": property({ enum: [{ x: 1 }, [1]] }),
  "enum that is empty": property({ enum: [] }),
  "enum with one twice": property({ type: "string", enum: ["a", "a"] }),
  "enum with an empty text": property({ type: "string", enum: ["", "a"] }),
  "enum of numbers": property({ type: "integer", enum: [1, 2] }),
  "enum beside nullable": property({ type: "string", nullable: true, enum: ["a", null] }),
  "enum that is long": property({ type: "string", enum: Array.from({ length: 600 }, (_, index) => `value ${index}`) }),
  "enum that is no list": property({ enum: "a" }),
  "additionalProperties: a schema": property({ type: "object", additionalProperties: { type: "number" } }),
  "additionalProperties: true": { ...property({ type: "string" }), additionalProperties: true },
  "additionalProperties: {}": { ...property({ type: "string" }), additionalProperties: {} },
  "additionalProperties: null": { ...property({ type: "string" }), additionalProperties: null },
  patternProperties: property({ type: "object", patternProperties: { "^x-": { type: "string" } } }),
  propertyNames: property({ type: "object", propertyNames: { pattern: "^a" } }),
  unevaluatedProperties: { ...property({ type: "string" }), unevaluatedProperties: false },
  dependentRequired: { ...property({ type: "string" }), dependentRequired: { a: ["b"] } },
  dependentSchemas: { ...property({ type: "string" }), dependentSchemas: { a: { required: ["b"] } } },
  dependencies: { ...property({ type: "string" }), dependencies: { a: ["b"] } },
  prefixItems: property({ type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false }),
  "items: a list": property({ type: "array", items: [{ type: "string" }] }),
  "items: true": property({ type: "array", items: true }),
  "items: {}": property({ type: "array", items: {} }),
  "items: null": property({ type: "array", items: null }),
  "no items": property({ type: "array" }),
  contains: property({ type: "array", items: { type: "string" }, contains: { const: "a" }, minContains: 1 }),
  uniqueItems: property({ type: "array", items: { type: "string" }, uniqueItems: true }),
  nullable: property({ type: "string", nullable: true }),
  "type list in a property": property({ type: ["string", "number", "null"] }),
  "type list with an array": property({ type: ["array", "string"], items: { type: "string" } }),
  "type null in a property": property({ type: "null" }),
  "an unknown type": property({ type: "date" }),
  "a type in capitals": property({ type: "STRING" }),
  "type: undefined": property({ type: undefined }),
  "a property that is null": object({ a: null }),
  "a property that is false": object({ a: false }),
  "a property that is a text": object({ a: "string" }),
  format: object({
    a: { type: "string", format: "date-time" },
    b: { type: "string", format: "uuid" },
    c: { type: "integer", format: "int64" },
  }),
  "an unknown format": property({ type: "string", format: "x-color" }),
  pattern: property({ type: "string", pattern: "^(?!a)\\p{L}+$" }),
  "a pattern that is none": property({ type: "string", pattern: "(" }),
  not: property({ not: { type: "string" } }),
  "not at the top": { ...property({ type: "string" }), not: { required: ["b"] } },
  "if, then and else": {
    ...property({ type: "string" }),
    if: { required: ["a"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ["b"] },
    else: {},
  },
  // biome-ignore lint/suspicious/noThenProperty: as above
  "if in a property": property({ type: "object", if: { required: ["a"] }, then: { required: ["b"] } }),
  anyOf: { anyOf: [object({ a: { type: "string" } }), object({ b: { type: "number" } }, { required: ["b"] })] },
  "anyOf beside properties": { ...property({ type: "string" }), anyOf: [{ required: ["a"] }, {}] },
  "anyOf that is empty": property({ anyOf: [] }),
  "anyOf of booleans": property({ anyOf: [true, false] }),
  "anyOf in anyOf": property({
    anyOf: [{ anyOf: [{ type: "string" }, { type: "null" }] }, { oneOf: [{ type: "number" }] }],
  }),
  "oneOf with a discriminator": property({
    oneOf: [object({ kind: { const: "a" } }), object({ kind: { const: "b" } })],
    discriminator: { propertyName: "kind" },
  }),
  "allOf that contradicts itself": property({ allOf: [{ type: "string" }, { type: "number" }] }),
  "allOf at the top": {
    allOf: [object({ a: { type: "string" } }), { $ref: "#/$defs/b" }],
    $defs: { b: object({ b: { type: "number" } }) },
  },
  "required: null": { ...property({ type: "string" }), required: null },
  "required: true": property({ type: "string", required: true }),
  "required without a property": { ...property({ type: "string" }), required: ["a", "b", "a"] },
  "required that holds numbers": { ...property({ type: "string" }), required: [1] },
  "required that is empty": { ...property({ type: "string" }), required: [] },
  "properties: null": { type: "object", properties: null },
  "properties: a list": { type: "object", properties: [] },
  "no properties": { type: "object" },
  "a name with a space": object({ "a b": { type: "string" } }, { required: ["a b"] }),
  "a name in another script": object({ größe: { type: "string" }, 名前: { type: "string" } }, { required: ["größe"] }),
  "a name of an emoji": object({ "🙂": { type: "string" } }),
  "a name of half an emoji": object({ "\ud83d": { type: "string" } }),
  "a long name": object({ ["x".repeat(100)]: { type: "string" } }),
  "names that collide": object({
    "a b": { type: "string" },
    a_b: { type: "number" },
    "a-b": {},
    "a.b": {},
    a$b: { type: "string" },
  }),
  "long names that collide": object({
    [`${"x".repeat(70)}1`]: { type: "string" },
    [`${"x".repeat(70)}2`]: { type: "string" },
  }),
  "an empty name": object({ "": { type: "string" } }),
  "names of prototypes": object(JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}')),
  "names of keywords": object({
    type: { type: "string" },
    properties: { type: "object" },
    required: { type: "boolean" },
    $ref: { type: "string" },
  }),
  "names with a dollar": object({ $select: { type: "string" }, $filter: { type: "array", items: { type: "string" } } }),
  "odd names below": property({ type: "array", items: object({ "x y": property({ ä: 1 }) }) }),
  "12 levels": deep(12),
  "40 levels": deep(40),
  "300 properties": object(
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: "string" }])),
  ),
  "half an emoji in words": property({
    type: "string",
    title: "\ud83d",
    description: "a\udc00",
    default: "\ud83d",
    enum: ["\ud83d", "a"],
  }),
  "a long description": property({ type: "string", description: "Long. ".repeat(3000) }),
  "a description that is none": property({ type: "string", description: { en: "A" } }),
  "draft 4: exclusiveMinimum": property({ type: "number", minimum: 0, exclusiveMinimum: true }),
  "a minimum that is a text": property({ type: "integer", minimum: "0" }),
  "infinite numbers": property({ type: "number", maximum: Number.POSITIVE_INFINITY, multipleOf: 0 }),
  "a default of another type": property({ type: "integer", default: "ten" }),
};

/** Names of calls and tools. */
export const ODD_NAMES: readonly string[] = [
  ...[
    "",
    " ",
    "a b",
    "a.b",
    "a/b",
    "a-b",
    "21st",
    "_",
    "-a",
    "$lookup",
    "multi_tool_use.parallel",
    "functions.read",
    "größe",
  ],
  ...[
    "名前",
    "🙂",
    "\ud83d",
    "x".repeat(64),
    "x".repeat(65),
    "x".repeat(300),
    "__proto__",
    "constructor",
    "a\nb",
    "a\u0000b",
    "mcp__a__b",
    "a:b",
    "a__b",
  ],
];

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
const base64 = (...parts: (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  ).toString("base64");
const SIGN = "\x89PNG\r\n\x1a\n";
const header = (width: readonly number[], height: readonly number[]): (string | readonly number[])[] => [
  ...[SIGN, [0, 0, 0, 13], "IHDR", width, height, [8, 6, 0, 0, 0, 0, 0, 0, 0]],
];
const ONE = [0, 0, 0, 1];
const png = (mimeType: string, data: string) => ({ mimeType, data });
const pdf = (text: string) => ({ mimeType: "application/pdf", data: base64(text) });

const PDF_TEXT = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF";
const WAVE = base64("RIFF", [36, 0, 0, 0], "WAVEfmt ", [16, 0, 0, 0, 1, 0, 1, 0]);
const file = (mimeType: unknown, ...parts: (string | readonly number[])[]) => ({
  mimeType: mimeType as string, // Not always one, as in an imported transcript.
  data: base64(...parts),
});
/** Types that say nothing, or something else than the bytes. */
const FILE_TYPES: readonly unknown[] = [
  ...[
    "application/octet-stream",
    "binary/octet-stream",
    "",
    " ",
    "pdf",
    "*/*",
    "application/*",
    "audio/*",
    "APPLICATION/PDF",
  ],
  ...[
    "application/pdf; version=1.4",
    "text/plain",
    "audio/wav",
    "image/png",
    "application/zip",
    "\ud83d",
    undefined,
    null,
  ],
];

/** By name: a picture or a file. */
/** By name: a picture or a file. */
export const ODD_FILES: Readonly<Record<string, { mimeType: string; data: string }>> = {
  "a picture": png("image/png", PIXEL),
  "a truncated picture": png("image/png", PIXEL.slice(0, 40)),
  "a picture of its first bytes": png("image/png", base64(SIGN)),
  "half of a first byte": png("image/png", "iV"),
  "a type that lies": png("image/jpeg", PIXEL),
  "image/jpg": png(
    "image/jpg",
    base64([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF\0", [1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]),
  ),
  "a type in capitals": png("IMAGE/PNG", PIXEL),
  "a type with a parameter": png("image/png; charset=binary", PIXEL),
  "image/*": png("image/*", PIXEL),
  "an empty type of a picture": png("image/", PIXEL),
  "an animated PNG": png(
    "image/png",
    base64(...header(ONE, ONE), [0, 0, 0, 8], "acTL", [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]),
  ),
  "an animated GIF": png(
    "image/gif",
    base64("GIF89a", [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255], "!\xff\x0bNETSCAPE2.0", [3, 1, 0, 0, 0, 0x3b]),
  ),
  "a huge PNG": png("image/png", base64(...header([0, 1, 0, 0], [0, 1, 0, 0]))),
  "a PNG of no size": png("image/png", base64(...header([0, 0, 0, 0], [0, 0, 0, 0]))),
  "a PNG of a negative size": png("image/png", base64(...header([255, 255, 255, 255], ONE))),
  "a WebP": png("image/webp", base64("RIFF", [26, 0, 0, 0], "WEBPVP8L", [13, 0, 0, 0, 0x2f, 0, 0, 0, 0, 0, 0, 0, 0])),
  "a BMP": png("image/bmp", base64("BM", [58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0])),
  "a TIFF": png("image/tiff", base64("II*\0", [8, 0, 0, 0])),
  "an AVIF": png("image/avif", base64([0, 0, 0, 28], "ftypavif", [0, 0, 0, 0])),
  "a HEIC": png("image/heic", base64([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0])),
  "an icon": png("image/x-icon", base64([0, 0, 1, 0, 1, 0])),
  "an SVG": png("image/svg+xml", base64('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  "an SVG that says PNG": png("image/png", base64('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  "a page": png("image/png", base64("<html>Not found</html>")),
  "no data": png("image/png", ""),
  "data of blanks": png("image/png", " \n "),
  "a data URL": png("image/png", `data:image/png;base64,${PIXEL}`),
  "a data URL of another type": png("image/png", `data:image/jpeg;base64,${PIXEL}`),
  "an address": png("image/png", "https://a.test/a.png"),
  lines: png("image/png", PIXEL.replaceAll(/.{20}/g, "$&\n")),
  "lines of Windows": png("image/png", PIXEL.replaceAll(/.{20}/g, "$&\r\n")),
  "blanks around it": png("image/png", ` ${PIXEL}\n`),
  "base64 for addresses": png("image/png", PIXEL.replaceAll("+", "-").replaceAll("/", "_")),
  "base64 without its end": png("image/png", PIXEL.replaceAll("=", "")),
  "base64 with too much of an end": png("image/png", `${PIXEL}==`),
  "no base64": png("image/png", "*** not base64 ***"),
  "half an emoji": png("image/png", "\ud83d"),
  "a PDF": pdf(PDF_TEXT),
  "an encrypted PDF": pdf("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R/Encrypt 2 0 R>>\n%%EOF"),
  "a PDF of its first bytes": pdf("%PDF-"),
  "an empty PDF": pdf(""),
  "a PDF that is a picture": { mimeType: "application/pdf", data: PIXEL },
  "a picture that is a PDF": png("image/png", base64("%PDF-1.4\n%%EOF")),
  "a text": { mimeType: "text/plain", data: base64("Hi") },
  "an empty text": { mimeType: "text/plain", data: "" },
  "a text that is none": { mimeType: "text/plain", data: base64([0xff, 0xfe, 0, 0xd8]) },
  "a table": { mimeType: "text/csv", data: base64("a,b\n1,2") },
  "a sound": { mimeType: "audio/wav", data: base64("RIFF", [4, 0, 0, 0], "WAVE") },
  ...Object.fromEntries(
    FILE_TYPES.flatMap((type) => [
      [`a PDF that says ${type}`, file(type, PDF_TEXT)],
      [`a text that says ${type}`, file(type, "A text, größer than a header.")],
      [`a picture that says ${type}`, { mimeType: type as string, data: PIXEL }], // As above.
      [`a sound that says ${type}`, { mimeType: type as string, data: WAVE }], // As above.
      [`bytes that say ${type}`, file(type, [1, 2, 3, 0, 255, 254, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])],
      [`nothing that says ${type}`, file(type, "")],
    ]),
  ),
  "a PDF after other bytes": file("application/pdf", "\n".repeat(100), PDF_TEXT),
  "a film": file("application/octet-stream", [0, 0, 0, 24], "ftypmp42", [0, 0, 0, 0], "mp42isom"),
  "a film of WebM": file("video/webm", [0x1a, 0x45, 0xdf, 0xa3, 1, 0, 0, 0, 0, 0, 0, 0x1f]),
  "sound without a header": file("audio/mpeg", [0x55, 0x12, 3, 0, 255, 254, 1, 2, 3, 4, 5, 6]),
  "sound in a film's container": file("audio/mp4", [0, 0, 0, 24], "ftypisom", [0, 0, 0, 0], "isom"),
  "a Word document": file(
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "PK\x03\x04",
    [20, 0, 6, 0, 8, 0, 0, 0, 33, 0],
  ),
  "a PDF with lines": { mimeType: "application/pdf", data: base64(PDF_TEXT).replaceAll(/.{20}/g, "$&\r\n") },
  "a PDF as a data URL": { mimeType: "", data: `data:application/pdf;base64,${base64(PDF_TEXT)}` },
  "a text as a data URL": { mimeType: "", data: `data:text/csv;base64,${base64("a,b\n1,2\n3,4\n")}` },
  "a text that is no base64": { mimeType: "text/plain", data: "*** not base64 ***" },
  "a PDF for addresses": {
    mimeType: "application/pdf",
    data: base64(`${PDF_TEXT}\xfb\xff`).replaceAll("+", "-").replaceAll("/", "_"),
  },
};
