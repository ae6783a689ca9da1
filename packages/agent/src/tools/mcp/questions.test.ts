import { describe, expect, test } from "vitest";
import { QuestionError, readQuestion, toElicitResult } from "./questions.js";

const form = (properties: unknown, more: object = {}) => ({
  message: "Which?",
  requestedSchema: { type: "object", properties, ...more },
});
const read = (params: unknown, server = "bank") => readQuestion(params, server);
const fieldOf = (field: unknown) => Object(read(form({ a: field })).schema).properties.a;

describe("a form", () => {
  test("names its server, and keeps what the protocol has", () => {
    const properties = {
      name: { type: "string", title: "Name", description: "Yours", minLength: 1, maxLength: 9, format: "email" },
      age: { type: "integer", minimum: 0, maximum: 150, default: 30 },
      vip: { type: "boolean", default: false },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"], default: "r" },
      shade: { type: "string", oneOf: [{ const: "#f00", title: "Red" }] },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 2, default: ["a"] },
      marks: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
    };
    const schema = { type: "object", properties, required: ["name"] };
    const question = { message: 'The MCP server "bank" asks: Which?', schema };
    expect(read({ ...form(properties, { required: ["name"] }), mode: "form" })).toEqual(question);
    expect(read(form(properties, { required: ["name"] }))).toEqual(question);
  });

  test("loses what is not in the protocol", () => {
    expect(fieldOf({ type: "string", pattern: "(a+)+$", $ref: "#", not: {}, title: "A" })).toEqual({
      type: "string",
      title: "A",
    });
    expect(read(form({}, { allOf: [{}], $defs: {}, additionalProperties: {} })).schema).toEqual({
      type: "object",
      properties: {},
      required: [],
    });
    expect(fieldOf({ type: "string", oneOf: [{ const: "a", title: "A", $ref: "#" }] }).oneOf).toEqual([
      { const: "a", title: "A" },
    ]);
  });

  test.each([
    [undefined],
    [null],
    [{ type: "object" }],
    [{ type: "object", properties: {} }],
    [{ type: "array", items: { type: "object" } }],
    [{ type: "array" }],
    [{ type: "array", items: { type: "string" } }],
    [{ type: "null" }],
    [{ type: ["string", "number"] }],
    [{ type: "__proto__" }],
    [{ type: "string", enum: [1] }],
    [{ type: "string", enum: Array.from({ length: 501 }, String) }],
    [{ type: "string", oneOf: [{ title: "A" }] }],
    [{ type: "string", format: "regex" }],
    [{ type: "string", minLength: -1 }],
    [{ type: "string", title: {} }],
    [{ type: "number", minimum: "0" }],
    [{ type: "number", default: "0" }],
    [{ type: "boolean", default: "no" }],
  ])("with the field %j is refused", (field) => {
    expect(() => fieldOf(field)).toThrow(QuestionError);
  });

  test("is bounded", () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [n, { type: "string" }]));
    expect(() => read(form(fields(50)))).not.toThrow();
    expect(() => read(form(fields(51)))).toThrow("at most 50 fields");
    expect(() => read(form({ a: { type: "string", description: "x".repeat(50_000) } }))).toThrow(
      "at most 50000 characters",
    );
    expect(() => read(form({}, { required: [5] }))).toThrow("list of names");
    for (const requestedSchema of [undefined, null, 5, {}, { type: "array" }, { type: "object", properties: [] }])
      expect(() => read({ message: "Which?", requestedSchema })).toThrow(QuestionError);
  });

  test("has no power over prototypes", () => {
    const schema = read(
      form(JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}')),
    ).schema;
    expect(JSON.stringify(schema)).toContain('"__proto__":{"type":"string"}');
    expect(Object.getPrototypeOf(Object(schema).properties)).toBe(Object.prototype);
  });
});

describe("a message", () => {
  test("cannot hide anything", () => {
    const { message } = read({ ...form({}), message: "Pay\u001b[31m 5\u202e005\u200b?\u0000\r\nOk" }, 'ba"nk\u202e\n');
    expect(message).toBe('The MCP server "ba\\"nk  " asks: Pay [31m 5 005 ? \nOk');
  });

  test.each([undefined, 5, "", " \n", "x".repeat(10_001)])("is a text of a bounded length, not %j", (message) => {
    expect(() => read({ ...form({}), message })).toThrow(QuestionError);
  });

  test("of the longest length, with a long name", () => {
    const { message } = read({ ...form({}), message: "x".repeat(10_000) }, "b".repeat(1000));
    expect(message).toBe(`The MCP server "${"b".repeat(80)}" asks: ${"x".repeat(10_000)}`);
  });
});

describe("a page", () => {
  const page = (url: unknown) => read({ mode: "url", message: "Log in", url, elicitationId: "1" });

  test("is shown with its host", () => {
    expect(page("https://login.example.com/a?b=c")).toEqual({
      message: 'The MCP server "bank" asks you to open a page of login.example.com: Log in',
      url: "https://login.example.com/a?b=c",
    });
    expect(page("https://login.example.com:8443/").message).toContain("login.example.com:8443: Log in");
  });

  test("with letters that look like others is shown as it is, with a warning", () => {
    expect(page("https://ex\u0430mple.com/").message).toContain(
      "a page of xn--exmple-4nf.com (a name with letters that may look like others): Log in",
    );
  });

  test.each([
    "http://example.com",
    "http://localhost/",
    "javascript:alert(1)",
    "data:text/html,hi",
    "file:///etc/passwd",
    "https://bank.example@evil.example/",
    "https://:secret@evil.example/",
    "https://",
    "example.com",
    "",
    5,
    undefined,
    `https://example.com/${"x".repeat(2048)}`,
  ])("at %j is refused", (url) => {
    expect(() => page(url)).toThrow(QuestionError);
  });
});

test.each([undefined, null, 5, [], { mode: "sampling", message: "Hi" }, { mode: 5, message: "Hi" }])(
  "the parameters %j are refused",
  (params) => {
    expect(() => read(params)).toThrow(QuestionError);
  },
);

test.each([
  [
    { approved: true, value: { a: 1 } },
    { action: "accept", content: { a: 1 } },
  ],
  [{ approved: true }, { action: "accept" }],
  [{ approved: false, value: { a: 1 } }, { action: "decline" }],
  [{ approved: false, cancelled: true }, { action: "cancel" }],
])("the answer %j is %j", (answer, result) => {
  expect(toElicitResult({ message: "" }, { id: "1", ...answer })).toEqual(result);
});

test("the answer to a page has no content", () => {
  const answer = { id: "1", approved: true, value: { a: 1 } };
  expect(toElicitResult({ message: "", url: "https://example.com" }, answer)).toEqual({ action: "accept" });
});
