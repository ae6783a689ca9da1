import { isDeepStrictEqual } from "node:util";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import fc from "fast-check";
import { createToolParameters, parseToolArguments, validateToolArguments } from "pi-ai";
import { readParameters } from "pi-ai/call";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const tool = (parameters: object) => ({ name: "tool", description: "", parameters });
const call = (input: Record<string, unknown>) => ({
  type: "toolCall" as const,
  id: "1",
  name: "tool",
  arguments: input,
});
const isEven = (n: number): boolean => n % 2 === 0;

/** A valibot schema with its JSON Schema, which ignores what JSON Schema cannot say. */
const valibot = (schema: v.GenericSchema): object =>
  createToolParameters(schema as never, () => toJsonSchema(schema, { errorMode: "ignore", typeMode: "input" }));

interface Library {
  parameters: object;
  parse: (value: unknown) => { ok: true; value: unknown } | { ok: false };
}

const ofZod = (schema: z.ZodType): Library => ({
  parameters: schema,
  parse: (value) => {
    const { success, data } = schema.safeParse(value);
    return success ? { ok: true, value: data } : { ok: false };
  },
});
const ofValibot = (schema: v.GenericSchema): Library => ({
  parameters: valibot(schema),
  parse: (value) => {
    const { success, output } = v.safeParse(schema, value);
    return success ? { ok: true, value: output } : { ok: false };
  },
});
const ofArk = (schema: object): Library => ({
  parameters: schema,
  parse: (value) => {
    // Ark's own call may change its input.
    const result: unknown = (schema as (value: unknown) => unknown)(structuredClone(value));
    return result instanceof type.errors ? { ok: false } : { ok: true, value: result };
  },
});

const SCHEMAS: Record<string, Library> = {
  "zod string": ofZod(z.object({ a: z.string() })),
  "zod refine": ofZod(z.object({ a: z.string().refine((text) => !text.includes("..")) })),
  "zod default": ofZod(z.object({ a: z.string().optional(), n: z.number().default(1) })),
  "zod nested default": ofZod(z.object({ o: z.object({ n: z.number().default(2) }).default({ n: 3 }) })),
  "zod prefault": ofZod(z.object({ a: z.string().trim().prefault(" x ") })),
  "zod transform": ofZod(z.object({ a: z.string().transform((text) => text.length) })),
  "zod pipe": ofZod(
    z.object({
      a: z
        .string()
        .transform((text) => text.length)
        .pipe(z.number().max(3)),
    }),
  ),
  "zod optional": ofZod(z.object({ a: z.string().optional(), b: z.boolean().optional() })),
  "zod nullable": ofZod(z.object({ n: z.number().nullable() })),
  "zod int": ofZod(z.object({ n: z.int().min(0).max(10) })),
  "zod multipleOf": ofZod(z.object({ n: z.int().multipleOf(2).min(-1000).max(1000) })),
  "zod enum": ofZod(z.object({ a: z.enum(["x", "y"]) })),
  "zod literal": ofZod(z.object({ n: z.literal(1) })),
  "zod union": ofZod(z.object({ a: z.union([z.string(), z.number()]) })),
  "zod discriminated": ofZod(
    z.object({
      o: z.discriminatedUnion("a", [z.object({ a: z.literal("x"), n: z.number() }), z.object({ a: z.literal("y") })]),
    }),
  ),
  "zod array": ofZod(z.object({ list: z.array(z.number()).max(2) })),
  "zod array of objects": ofZod(z.object({ list: z.array(z.object({ n: z.number().default(7) })) })),
  "zod tuple": ofZod(z.object({ list: z.tuple([z.string(), z.number()]) })),
  "zod record": ofZod(z.object({ o: z.record(z.string(), z.number()) })),
  "zod strict": ofZod(z.strictObject({ a: z.string().optional() })),
  "zod loose": ofZod(z.looseObject({ a: z.string().optional() })),
  "zod cross-field": ofZod(z.object({ n: z.number(), m: z.number() }).refine(({ n, m }) => n < m)),
  "zod email": ofZod(z.object({ a: z.email() })),
  "zod trim": ofZod(z.object({ a: z.string().trim().toLowerCase() })),
  "zod catch": ofZod(z.object({ n: z.number().refine(isEven) })),
  "valibot string": ofValibot(v.object({ a: v.string() })),
  "valibot check": ofValibot(v.object({ n: v.pipe(v.number(), v.check(isEven)) })),
  "valibot default": ofValibot(v.object({ a: v.optional(v.string(), "d"), n: v.optional(v.number(), 4) })),
  "valibot transform": ofValibot(
    v.object({
      a: v.pipe(
        v.string(),
        v.transform((text) => text.length),
      ),
    }),
  ),
  "valibot minLength": ofValibot(v.object({ a: v.pipe(v.string(), v.minLength(2)) })),
  "valibot list": ofValibot(v.object({ list: v.pipe(v.array(v.number()), v.maxLength(2)) })),
  "valibot union": ofValibot(v.object({ a: v.union([v.string(), v.boolean()]) })),
  "valibot nullable": ofValibot(v.object({ n: v.nullable(v.number()) })),
  "valibot strict": ofValibot(v.strictObject({ a: v.optional(v.string()) })),
  "valibot picklist": ofValibot(v.object({ a: v.picklist(["x", "y"]) })),
  "ark string": ofArk(type({ a: "string" })),
  "ark range": ofArk(type({ n: "0 <= number <= 10" })),
  "ark optional": ofArk(type({ "a?": "string", "n?": "number.integer" })),
  "ark default": ofArk(type({ n: "number = 5" })),
  "ark union": ofArk(type({ a: "string | number" })),
  "ark list": ofArk(type({ list: "number[]" })),
  "ark literals": ofArk(type({ a: "'x' | 'y'" })),
};

const text = fc.constantFrom("", "x", "y", "..", " X ", "ab@c.de", "5", "true", "long enough");
const scalar = fc.oneof(
  text,
  fc.integer({ min: -3, max: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const inner = fc.dictionary(fc.constantFrom("a", "n", "x"), scalar, { maxKeys: 3 });
const value = fc.oneof({ weight: 4, arbitrary: scalar }, fc.array(fc.oneof(scalar, inner), { maxLength: 3 }), inner);
const argument = fc.dictionary(fc.constantFrom("a", "b", "n", "m", "o", "list"), value, { maxKeys: 4 });

describe("the rules of a library", () => {
  it.each(Object.entries(SCHEMAS))("agree with its own parse on 5,000 values: %s", (_name, { parameters, parse }) => {
    const json: object = JSON.parse(JSON.stringify(readParameters({ name: "tool", parameters })));
    const tools = { own: tool(parameters), json: tool(withoutDefaults(json)) };
    let agreed = 0;
    const property = fc.property(argument, (given) => {
      const before = structuredClone(given);
      const expected = parse(structuredClone(given));
      const actual = attempt(() => validateToolArguments(tools.own, call(given)));
      expect(given).toEqual(before);
      if (expected.ok) {
        expect(actual).toEqual(expected);
        agreed++;
      } else if (actual.ok) {
        // Only arguments that the JSON Schema refused are converted, and then pass.
        const coerced = attempt(() => validateToolArguments(tools.json, call(given)));
        expect(coerced.ok && isDeepStrictEqual(coerced.value, given)).toBe(false);
      }
    });
    fc.assert(property, { numRuns: 5000, seed: 7 });
    // The values reach both sides.
    expect(agreed).toBeGreaterThan(0);
  });
});

function withoutDefaults(schema: object): object {
  return JSON.parse(JSON.stringify(schema, (name, part: unknown) => (name === "default" ? undefined : part)));
}

function attempt(work: () => unknown): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: work() };
  } catch {
    return { ok: false };
  }
}

describe("a rule that waits", () => {
  const parameters = z.object({ path: z.string().refine(async (path) => !path.includes(".."), "no parent folders") });

  it("is awaited by parseToolArguments, and named by validateToolArguments", async () => {
    expect(await parseToolArguments(tool(parameters), call({ path: "a" }))).toEqual({ path: "a" });
    const broken = parseToolArguments(tool(parameters), call({ path: ".." }));
    await expect(broken).rejects.toThrow('Validation failed for tool "tool":\n  - path: no parent folders');
    expect(() => validateToolArguments(tool(parameters), call({ path: "a" }))).toThrow(/parseToolArguments|async/i);
  });
});

it("a library that throws is a fault of the arguments, and its issues name their place", async () => {
  const broken = (): never => {
    throw new Error("broken rule");
  };
  const text = 'Validation failed for tool "tool":\n  - root: broken rule';
  const throwing = Object.assign(Object.create({}), {
    "~standard": { vendor: "own", validate: broken, jsonSchema: { input: () => ({ type: "object" }) } },
  });
  expect(() => validateToolArguments(tool(throwing), call({}))).toThrow(text);
  // Zod catches the error of a transform, and tries again asynchronously.
  const parsing = parseToolArguments(tool(z.object({ a: z.string().transform(broken) })), call({ a: "x" }));
  await expect(parsing).rejects.toThrow(text);
  const nested = z.object({ list: z.array(z.object({ n: z.number().refine(isEven, "must be even") })) });
  expect(() => validateToolArguments(tool(nested), call({ list: [{ n: 2 }, { n: 3 }] }))).toThrow(
    "  - list.1.n: must be even",
  );
});

it("createToolParameters keeps the rules of the library", () => {
  const parameters = createToolParameters(z.object({ n: z.number().refine(isEven, "must be even").default(4) }));
  expect(validateToolArguments(tool(parameters), call({}))).toEqual({ n: 4 });
  expect(() => validateToolArguments(tool(parameters), call({ n: 3 }))).toThrow("n: must be even");
});
