/** Hostile schemas: a few kilobytes must not stand for millions of parts. Work is counted, never timed. */
import { getModel, type Model } from "pi-ai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BODY, post, refusal, setUp } from "../../../test/support/proxy-setup.js";
import { resolveOutputRules } from "../../catalogue/compat/index.js";
import { fitSchemas } from "./fit-schemas.js";

const MODELS = [
  getModel("openai", "gpt-5"),
  getModel("anthropic", "claude-sonnet-4-5"),
  getModel("google", "gemini-2.5-pro"),
];

afterEach(() => vi.restoreAllMocks());

const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });
const object = (properties: object, rest: object = {}): object => ({ type: "object", properties, ...rest });
const many = <TValue>(count: number, make: (index: number) => TValue): TValue[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, make: (index: number) => object): object =>
  Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]));
const defs = (count: number, make: (index: number) => object): object =>
  Object.fromEntries(many(count, (index) => [`d${index}`, make(index)]));

const WIDE = object(named(2000, () => ({ type: "string" })));

const HOSTILE: Readonly<Record<string, object>> = {
  "properties that merge a wide object 400 times each": object(
    named(10, () => ({ allOf: [ref("all")] })),
    {
      $defs: { all: { allOf: many(400, () => ref("wide")) }, wide: WIDE },
    },
  ),
  "a definition for each use of a wide object": object(
    named(400, (index) => ({ allOf: [ref(`d${index}`)] })),
    {
      $defs: { ...defs(400, () => ({ allOf: [ref("wide")] })), wide: WIDE },
    },
  ),
  "definitions that double": object(
    { x: { allOf: [ref("d39"), {}] } },
    {
      $defs: defs(40, (index) => {
        const next = index === 0 ? { type: "string" } : { allOf: [ref(`d${index - 1}`), { title: "x" }] };
        return object({ a: next, b: next });
      }),
    },
  ),
  "members that double": object(
    { x: { allOf: [ref("d39")] } },
    {
      $defs: defs(40, (index) => (index === 0 ? object({}) : { allOf: [ref(`d${index - 1}`), ref(`d${index - 1}`)] })),
    },
  ),
  "a long description at each use": object(
    named(1000, () => ({ allOf: [ref("long")] })),
    {
      $defs: { long: { type: "string", not: { const: "x".repeat(20_000) } } },
    },
  ),
  "an object that contains itself twice by allOf": object(
    { x: { allOf: [ref("self"), { title: "x" }] } },
    {
      $defs: {
        self: object({ a: { allOf: [ref("self"), { minProperties: 1 }] }, b: { allOf: [ref("self"), ref("self")] } }),
      },
    },
  ),
  "members that are their own members": object(
    { x: { allOf: [ref("one")] } },
    {
      $defs: { one: { allOf: [ref("two"), {}] }, two: { allOf: [ref("one")] } },
    },
  ),
  "a chain of 20,000 references": object(
    { x: ref("d0") },
    { $defs: defs(20_000, (index) => object({ a: ref(`d${index + 1}`) })) },
  ),
  "a chain of 20,000 merged references": object(
    { x: { allOf: [ref("d0")] } },
    {
      $defs: defs(20_000, (index) => (index === 19_999 ? {} : { allOf: [ref(`d${index + 1}`)] })),
    },
  ),
};

const REFUSAL =
  /more than 2000000 characters once allOf is merged|contains itself by allOf|nests more than 1000 references/;

describe.each(Object.entries(HOSTILE))("%s", (_title, schema) => {
  it("is refused before it is worked on", () => {
    const stringify = vi.spyOn(JSON, "stringify");
    for (const model of MODELS) {
      expect(() => fit(model, schema)).toThrow(REFUSAL);
    }
    for (const model of MODELS.slice(0, 2)) {
      expect(fitTool(model, schema).notes).toMatchObject([
        { type: "tool_not_strict", details: { reason: expect.stringMatching(REFUSAL) } },
      ]);
    }
    expect(stringify.mock.calls.length).toBeLessThan(100);
  });

  it("is refused by the relay, which sends nothing", async () => {
    const { handler, requests } = setUp();
    const output = { ...BODY, options: { outputFormat: { schema } } };
    const tool = { name: "t", description: "d", parameters: schema, strict: "prefer" };
    const strict = { ...BODY, context: { ...BODY.context, tools: [tool] } };
    expect(await refusal(await handler(post(output)))).toEqual([
      400,
      expect.stringMatching(/^options\.outputFormat\.schema: the schema cannot be used: /),
    ]);
    expect(await refusal(await handler(post(strict)))).toEqual([
      400,
      expect.stringMatching(
        /^context\.tools(?:\.0\.parameters: the schema cannot be used: |: their schemas have more than 50000 fields)/,
      ),
    ]);
    expect(requests).toEqual([]);
  });
});

it("bounds all schemas of a request together", async () => {
  const half = object({ x: { type: "string", description: "x".repeat(1_100_000) } });
  const tools = many(2, (index) => ({ name: `t${index}`, description: "d", parameters: half, strict: "prefer" }));
  const { handler } = setUp();
  const body = { ...BODY, context: { ...BODY.context, tools } };
  expect(await refusal(await handler(post(body)))).toEqual([
    400,
    expect.stringContaining("context.tools.1.parameters"),
  ]);
});

it("merges each reference once, and copies nothing twice", () => {
  const schema = object(
    named(4, () => ({ allOf: [ref("all")] })),
    {
      $defs: { all: { allOf: many(900, (index) => object({ [`p${index}`]: ref("one") })) }, one: { type: "string" } },
    },
  );
  const entries = vi.spyOn(Object, "entries");
  const { outputFormat } = fit(MODELS[0]!, schema);
  expect(Object.keys(Object(outputFormat?.schema).properties.p0.properties)).toHaveLength(900);
  const read = entries.mock.results.reduce((sum, { value }) => sum + value.length, 0);
  // Each property is written, read, narrowed and measured at each use; the members are read once.
  expect(read).toBeLessThan(10 * 4 * 900);
});

it("keeps a reference that allOf only describes in a schema that refers to itself", () => {
  const node = object({ next: { allOf: [ref("node")], description: "The next one." } }, { required: ["next"] });
  const { outputFormat } = fit(MODELS[0]!, object({ node: ref("node") }, { required: ["node"], $defs: { node } }));
  expect(Object(outputFormat?.schema).$defs.node.properties.next).toEqual(ref("node"));
});

it("merges names of objects, such as __proto__ and constructor", () => {
  const schema = JSON.parse(
    '{"type":"object","allOf":[{"properties":{"__proto__":{"type":"string"}}},{"properties":{"constructor":{"type":"string"}}}]}',
  );
  const { outputFormat } = fit(MODELS[0]!, schema);
  expect(Object.keys(Object(outputFormat?.schema).properties)).toEqual(["__proto__", "constructor"]);
});

function fit(model: Model, schema: object) {
  return fitSchemas({ model, context: { messages: [] }, outputFormat: { schema }, rules: resolveOutputRules(model) });
}

function fitTool(model: Model, parameters: object) {
  const tools = [{ name: "t", description: "d", parameters, strict: "prefer" as const }];
  return fitSchemas({
    model,
    context: { messages: [], tools },
    outputFormat: undefined,
    rules: resolveOutputRules(model),
  });
}
