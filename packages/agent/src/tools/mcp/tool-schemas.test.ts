import { mcpTools } from "pi-agent/mcp";
import { validateToolArguments } from "pi-ai";
import { describe, expect, test } from "vitest";
import { createClient, toolInfo } from "../../../test/mcp-client.js";
import { Agent } from "../../agent.js";
import { toParameters } from "./tool-schemas.js";

const withX = (x: unknown, more = {}) => ({ type: "object", properties: { x }, ...more });

describe("the parameters of a tool", () => {
  test.each([
    ["regular expressions", withX({ type: "string", pattern: "^(a+)+$" }), withX({ type: "string" })],
    ["patterns of names", withX(true, { patternProperties: { "(a+)+$": {} } }), withX(true)],
    ["ids", withX({ $id: "x", id: "x", $anchor: "x" }, { $schema: "http://x", $id: "http://x" }), withX({})],
    ["references to other documents", withX({ $ref: "http://x/y" }), withX({})],
    ["references that are not texts", withX({ $ref: 7 }), withX({})],
    ["dynamic references", withX({ $dynamicRef: "#x", $recursiveRef: "#" }), withX({})],
  ])("are without %s", (_, schema, expected) => {
    expect(toParameters(schema)).toEqual(expected);
  });

  test.each([
    [
      "names that are words of JSON Schema",
      withX({}, { properties: { pattern: {}, id: {}, $id: {}, properties: { type: "string" } } }),
    ],
    ["data", withX({ default: { pattern: "a" }, enum: [{ id: 1 }], const: { $id: 1 } })],
    ["local references", withX({ $ref: "#/$defs/y" }, { $defs: { y: { type: "number" } } })],
    ["alternatives", withX({ anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] })],
    ["a schema that contains itself", withX({ $ref: "#" })],
  ])("keep %s", (_, schema) => {
    expect(toParameters(schema)).toEqual(schema);
  });

  test("always describe an object", () => {
    expect(toParameters({})).toEqual({ type: "object" });
    expect(toParameters({ type: ["object", "null"] })).toEqual({ type: "object" });
    expect(toParameters("text")).toEqual({ type: "object" });
  });

  test("never set a prototype", () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"__proto__":{"hacked":true}}');
    const copy = toParameters(schema);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect("hacked" in copy).toBe(false);
    expect(JSON.parse(JSON.stringify(copy))).toEqual({ ...schema, type: "object" });
  });
});

describe("a tool with a hostile schema", () => {
  const nested = (depth: number) => {
    let schema: object = {};
    for (let level = 0; level < depth; level++) schema = { properties: { x: schema } };
    return schema;
  };
  /** Each definition refers twice to the next one: 2^30 parts in 31 definitions. */
  const doubling = Object.fromEntries(
    Array.from({ length: 31 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  );

  test.each([
    ["nests too deep", nested(100_000)],
    ["nests a little too deep", nested(51)],
    ["has deep data", { properties: { x: { default: JSON.parse("[".repeat(200) + "]".repeat(200)) } } }],
    ["has much data", { properties: { x: { enum: Array.from({ length: 10_000 }, (_, index) => index) } } }],
    ["is too large", { enum: [1], anyOf: Array.from({ length: 10_000 }, () => ({})) }],
    ["doubles with each reference", withX({ $ref: "#/$defs/d0" }, { $defs: doubling })],
    ["doubles in its own definitions", { $defs: doubling }],
  ])("that %s is omitted, and the other tools stay", async (_, inputSchema) => {
    const skipped: string[] = [];
    const tools = await mcpTools(createClient([toolInfo("bad", { inputSchema }), toolInfo("good")]), {
      onSkipped: ({ name }, reason) => skipped.push(`${name}: ${reason}`),
    });
    expect(tools.map(({ name }) => name)).toEqual(["good"]);
    expect(skipped).toEqual(["bad: Error: Its schema is too large"]);
  });

  test("of more names than fit is not read", async () => {
    let reads = 0;
    const properties = Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`p${index}`, {}]));
    Object.defineProperty(properties, "p0", { enumerable: true, get: () => reads++ });
    const inputSchema = { type: "object" as const, properties };
    expect(await mcpTools(createClient([toolInfo("bad", { inputSchema })]), { onSkipped: () => {} })).toEqual([]);
    expect(reads).toBe(0);
  });

  test.each([
    ["a reference to nothing", withX({ $ref: "#/$defs/none" })],
    ["an endless reference", { $ref: "#" }],
    ["nonsense", withX({ type: "nonsense", minimum: "a" })],
  ])(
    "with %s does not keep an agent from running, and a call fails or runs in bounded time",
    async (_, inputSchema) => {
      const tools = await mcpTools(createClient([toolInfo("bad", { inputSchema })]));
      const agent = new Agent({ initialState: { tools } });
      const [tool] = agent.state.tools;
      if (!tool) throw new Error("there is no tool");
      const validate = () =>
        validateToolArguments(tool, { type: "toolCall", id: "1", name: "bad", arguments: { x: "a" } });
      try {
        expect(validate()).toEqual({ x: "a" });
      } catch (error) {
        expect(String(error)).toMatch(/bad/);
      }
    },
  );
});
