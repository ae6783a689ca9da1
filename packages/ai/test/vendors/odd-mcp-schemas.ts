/** Schemas in the forms that MCP servers list: what Pydantic, Zod, schemars, the SDKs of Go, C# and Java, and hands write. */

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });
const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const NULLABLE = { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "A" };
const UUID = { type: "string", format: "uuid" };
/** As servers for issues, pages, payments, browsers and clusters have them. */
const SERVERS: Readonly<Record<string, unknown>> = {
  "pages: a filter in itself": object(
    { filter: ref("filter"), page_size: { type: "integer", default: 100, maximum: 100 } },
    {
      $defs: {
        filter: {
          anyOf: [
            object({ property: { type: "string" }, equals: {} }, { required: ["property"] }),
            object({ and: { type: "array", items: ref("filter"), maxItems: 100 } }, { required: ["and"] }),
            object({ or: { type: "array", items: ref("filter"), maxItems: 100 } }, { required: ["or"] }),
          ],
        },
      },
    },
  ),
  "pages: blocks with children": object(
    { children: { type: "array", items: ref("block") }, "Notion-Version": { type: "string", default: "2025-09-03" } },
    {
      required: ["children"],
      $defs: {
        block: {
          oneOf: [
            object({ type: { const: "paragraph" }, rich_text: { type: "array", items: ref("text") } }),
            object({ type: { const: "toggle" }, children: { type: "array", items: ref("block") } }),
          ],
          discriminator: { propertyName: "type", mapping: { paragraph: "#/$defs/text", toggle: "#/$defs/block" } },
        },
        text: object({ content: { type: "string", maxLength: 2000 }, link: { ...ref("link"), nullable: true } }),
        link: { type: ["object", "null"], properties: { url: { type: "string", format: "uri" } }, required: ["url"] },
      },
    },
  ),
  "pages: a parent of four kinds": object({
    parent: {
      oneOf: [
        object({ page_id: UUID }),
        object({ database_id: UUID }),
        object({ workspace: { const: true } }),
        { type: "null" },
      ],
    },
  }),
  "payments: a map of texts": object({
    metadata: { type: "object", additionalProperties: { type: "string", maxLength: 500 }, maxProperties: 50 },
    amount: { type: "integer", exclusiveMinimum: 0 },
    currency: { type: "string", enum: numbered(180, "c") },
    expand: { type: "array", items: { type: "string" }, uniqueItems: true },
  }),
  "payments: a text or nothing": object({
    invoice_now: { anyOf: [{ type: "boolean" }, { enum: [""], type: "string" }] },
  }),
  "issues: numbers to choose": object({ priority: { type: "number", enum: [0, 1, 2, 3, 4], default: 0 } }),
  "issues: null beside a text": object({
    assignee: { type: ["string", "null"], description: "null removes it" },
    dueDate: { type: ["string", "null"], format: "date" },
    estimate: { type: ["integer", "null"], minimum: 0, default: null },
  }),
  "issues: null in an enum": object({
    state: { type: ["string", "null"], enum: ["open", "closed", null], default: null },
  }),
  "issues: a list or one": object({
    labels: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" }, minItems: 1 }] },
  }),
  "code: files of a commit": object(
    {
      files: {
        type: "array",
        items: object(
          { path: {}, content: { type: "string" } },
          { required: ["path", "content"], additionalProperties: false },
        ),
      },
      perPage: { type: "number", minimum: 1, maximum: 100 },
      sort: { type: "string", enum: ["", "asc", "desc"] },
    },
    { required: ["files"], additionalProperties: false, $schema: "http://json-schema.org/draft-07/schema#" },
  ),
  "browser: keys held": object(
    {
      modifiers: {
        type: "array",
        items: { type: "string", enum: ["Alt", "Control", "ControlOrMeta", "Meta", "Shift"] },
      },
      ref: { type: "string" },
    },
    { additionalProperties: false, required: ["ref"] },
  ),
  "browser: a viewport or none": object({
    viewport: {
      anyOf: [
        object({ width: { type: "number" }, height: { type: "number" } }, { required: ["width", "height"] }),
        { type: "null" },
      ],
    },
  }),
  "clusters: a number or a text": object({
    port: {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
      pattern: "^((100|[0-9]{1,2})%|[0-9]+)$",
    },
    spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  }),
  "clusters: a label": object({
    labels: {
      type: "object",
      patternProperties: { "^[a-z0-9./-]{1,317}$": { type: "string", maxLength: 63 } },
      additionalProperties: false,
    },
  }),
  "clouds: a command or many": object({
    cli_command: {
      anyOf: [{ type: "string" }, { type: "array", items: { type: "string" }, maxItems: 20 }],
      title: "Cli Command",
    },
    max_results: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }], default: null },
  }),
  "clouds: a document": object({
    Item: {
      type: "object",
      additionalProperties: {
        oneOf: numbered(3, "").map((_, index) => object({ [["S", "N", "BOOL"][index] ?? ""]: {} })),
      },
    },
  }),
  "a search with fields of OData": object(
    { $top: { type: "integer" }, $orderby: { type: "string" }, "@odata.type": { const: "#x" }, "api-version": {} },
    { required: ["$top", "@odata.type"] },
  ),
  "a form with fields in brackets": object({
    "filter[status]": { type: "string" },
    "page[size]": { type: "integer" },
    "sort[]": { type: "array", items: {} },
  }),
  "headers as properties": object({
    "X-Request-ID": UUID,
    "If-None-Match": { type: "string" },
    "content-type": { const: "application/json" },
  }),
};

/** As generators write them. */
const GENERATORS: Readonly<Record<string, unknown>> = {
  "Pydantic: optional fields": object(
    { a: NULLABLE, b: { ...NULLABLE, description: "B" } },
    { title: "findArguments" },
  ),
  "Pydantic: a tuple": object({
    box: { maxItems: 4, minItems: 4, prefixItems: numbered(4, "").map(() => ({ type: "number" })), type: "array" },
  }),
  "Pydantic: a union by a tag": object(
    {
      shape: {
        discriminator: { mapping: { a: "#/$defs/A", b: "#/$defs/B" }, propertyName: "kind" },
        oneOf: [ref("A"), ref("B")],
      },
    },
    {
      $defs: {
        A: object({ kind: { const: "a", default: "a", type: "string" } }),
        B: object({ kind: { const: "b", type: "string" }, inner: ref("A") }),
      },
    },
  ),
  "Pydantic: an enum with one value": object(
    { mode: { ...ref("Mode"), default: "x" } },
    { $defs: { Mode: { const: "x", title: "Mode", type: "string" } } },
  ),
  "Pydantic: decimals": object({
    price: { anyOf: [{ type: "number" }, { type: "string", pattern: "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$" }] },
  }),
  "Pydantic: a tree": object(
    { root: ref("Node") },
    {
      $defs: {
        Node: object({
          value: {},
          left: { anyOf: [ref("Node"), { type: "null" }] },
          right: { anyOf: [ref("Node"), { type: "null" }] },
        }),
      },
    },
  ),
  "Pydantic: JSON": object({ value: ref("JsonValue") }, { $defs: { JsonValue: {} } }),
  "Zod: a record": object({
    env: {
      type: "object",
      propertyNames: { type: "string", pattern: "^[A-Z_]+$" },
      additionalProperties: { type: "string" },
    },
  }),
  "Zod: an intersection": {
    allOf: [object({ a: { type: "string" } }, { required: ["a"] }), object({ b: {} }, { additionalProperties: {} })],
    $schema: "https://json-schema.org/draft/2020-12/schema",
  },
  "Zod: never": object({ a: { not: {} }, b: { type: "string" } }),
  "Zod: a lazy type": object({
    tree: {
      $ref: "#/properties/tree/definitions/t",
      definitions: { t: { type: "array", items: { $ref: "#/properties/tree/definitions/t" } } },
    },
  }),
  "Zod 3: a reference to a property": object({
    from: object({ lat: { type: "number" } }),
    to: { $ref: "#/properties/from" },
  }),
  "Zod 3: effects": object({
    a: { type: "string", minLength: 1, format: "email" },
    b: { type: ["string", "number"] },
    c: { anyOf: [{ not: {} }, { type: "string" }] },
  }),
  "schemars: words for each value": object({
    level: {
      oneOf: [
        { description: "Little", enum: ["low"], type: "string" },
        { description: "Much", const: "high" },
      ],
    },
  }),
  "schemars: whole numbers": object({
    n: { type: "integer", format: "uint64", minimum: 0 },
    m: { type: ["integer", "null"], format: "uint8", minimum: 0, maximum: 255 },
  }),
  "schemars: an option of a type": object(
    { o: { anyOf: [ref("Opt"), { type: "null" }] }, u: { type: "null" } },
    { $defs: { Opt: { type: "string" } }, title: "Params" },
  ),
  "Go: a list or nothing": object({
    items: { type: ["null", "array"], items: { type: "string" } },
    m: { type: ["null", "object"], additionalProperties: { type: "integer" } },
  }),
  "Go: no other properties": object({ a: { type: "string" } }, { additionalProperties: { not: {} } }),
  "Go: all properties": object({ a: true, b: {} }, { required: ["a", "b"], additionalProperties: true }),
  "C#: references to earlier items": object({
    list: { type: ["array", "null"], items: object({ sub: { $ref: "#/properties/list" } }) },
    other: { $ref: "#/properties/list/items" },
  }),
  "C#: a default of null": object(
    { a: { type: ["string", "null"], default: null }, b: { type: "integer", default: 0 } },
    { title: "A", description: "" },
  ),
  "Java: formats": object({
    i: { type: "integer", format: "int32" },
    d: { type: "string", format: "date-time" },
    b: { type: "string", format: "byte" },
    z: { type: "string", format: "duration" },
  }),
  "OpenAPI 3.0": object(
    {
      a: { type: "string", nullable: true, example: "x" },
      b: { allOf: [{ $ref: "#/components/schemas/B" }], nullable: true },
      c: { type: "string", format: "binary" },
    },
    { components: { schemas: { B: object({ c: {} }) } } },
  ),
  "OpenAPI 3.0: a free form": object({
    body: { type: "object", additionalProperties: true, example: { a: 1 }, readOnly: false },
  }),
  "Swagger 2": object({ file: { type: "file", in: "formData", required: true, collectionFormat: "multi" } }),
  "Draft 3": object(
    {
      a: { type: ["string", { type: "object" }], required: true, divisibleBy: 2, disallow: "null" },
      b: { type: "any" },
    },
    { extends: { $ref: "#" } },
  ),
  "Draft 4": object(
    { n: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } },
    { id: "http://a.test/t#", $schema: "http://json-schema.org/draft-04/schema#" },
  ),
  "Draft 6": object({ a: { $id: "#a", examples: ["x"], contains: {}, propertyNames: false, const: undefined } }),
  "Draft 2019": object({ a: { $recursiveRef: "#" } }, { $recursiveAnchor: true, unevaluatedProperties: false }),
  "Draft 2020: tuples": object(
    {
      t: {
        type: "array",
        prefixItems: [{ const: "GET" }, { $dynamicRef: "#n" }],
        unevaluatedItems: false,
        items: { $ref: "#/$defs/x" },
      },
    },
    { $defs: { x: true } },
  ),
};

/** By name: the schema of a tool. */
export const MCP_SCHEMAS: Readonly<Record<string, unknown>> = { ...SERVERS, ...GENERATORS };
