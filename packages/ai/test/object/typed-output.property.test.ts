/** Random schemas and values, split at any place of the text: partial objects grow, and the last one is the value. */
import fc from "fast-check";
import { AssistantMessageEventStream } from "pi-ai";
import { streamObject } from "pi-ai/object";
import { expect, test } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { createResponse } from "../messages.js";
import { TYPED_MODELS } from "./typed-models.js";

const RUNS = { seed: 20261122, numRuns: budget({ quick: 60, all: 1000 }) };

/** A schema, and a value that fits it. */
interface Typed {
  schema: object;
  value: unknown;
}

const key = fc.constantFrom("a", "b", "größe", 'q"', "back\\slash", "constructor", "value", "x y");
const text = fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), fc.constantFrom("\u2028", '\n\t\\"', "😀é", "{}[]"));
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));

const typed: fc.Arbitrary<Typed> = fc.letrec<{ any: Typed; object: Typed; list: Typed; leaf: Typed; union: Typed }>(
  (tie) => ({
    any: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("object"), tie("list"), tie("union")),
    leaf: fc.oneof(
      text.map((value): Typed => ({ schema: { type: "string" }, value })),
      finite.map((value): Typed => ({ schema: { type: "number" }, value })),
      fc.integer().map((value): Typed => ({ schema: { type: "integer" }, value })),
      fc.boolean().map((value): Typed => ({ schema: { type: "boolean" }, value })),
      fc.option(text).map((value): Typed => ({ schema: { type: ["string", "null"] }, value })),
      fc.constant<Typed>({ schema: { enum: ["x", "y"], type: "string" }, value: "y" }),
      fc.constant<Typed>({ schema: { type: "null" }, value: null }),
    ),
    object: fc
      .uniqueArray(fc.tuple(key, tie("any"), fc.constantFrom("required", "present", "absent")), {
        maxLength: 4,
        selector: ([name]) => name,
      })
      .map(
        (fields): Typed => ({
          schema: {
            type: "object",
            properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
            required: fields.flatMap(([name, , presence]) => (presence === "required" ? [name] : [])),
            additionalProperties: false,
          },
          value: Object.fromEntries(
            fields.flatMap(([name, { value }, presence]) => (presence === "absent" ? [] : [[name, value]])),
          ),
        }),
      ),
    list: tie("any").chain((item) =>
      fc.integer({ min: 0, max: 3 }).map(
        (length): Typed => ({
          schema: { type: "array", items: item.schema },
          value: Array.from({ length }, () => structuredClone(item.value)),
        }),
      ),
    ),
    union: fc.tuple(tie("leaf"), tie("object")).map(
      ([one, other]): Typed => ({
        schema: { anyOf: [one.schema, other.schema] },
        value: other.value,
      }),
    ),
  }),
).any;

/** Fills in null for absent properties: all of them, or those that may be null. */
function withNulls(schema: unknown, value: unknown, which: (part: unknown) => boolean): unknown {
  const { type, properties, items, anyOf } = Object(schema);
  if (Array.isArray(value)) return value.map((item) => withNulls(items, item, which));
  if (anyOf) return withNulls(anyOf[1], value, which);
  if (type !== "object" || !properties) return value;
  const filled = Object.entries(properties).flatMap(([name, part]): [string, unknown][] => {
    if (Object.hasOwn(Object(value), name)) return [[name, withNulls(part, Reflect.get(Object(value), name), which)]];
    return which(part) ? [[name, null]] : [];
  });
  return Object.fromEntries(filled);
}

function permitsNull(schema: unknown): boolean {
  const { type, anyOf } = Object(schema);
  return [type].flat().includes("null") || Boolean(anyOf?.some(permitsNull));
}

function play(pieces: readonly string[]): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  const message = createResponse({ content: [{ type: "text", text: pieces.join("") }] });
  for (const delta of pieces) stream.push({ type: "text_delta", contentIndex: 0, delta, partial: message });
  stream.push({ type: "done", reason: "stop", message });
  return stream;
}

/** Whether a value only adds to an earlier one: longer texts, more items, more properties at the end. */
function grows(before: unknown, after: unknown): boolean {
  if (before === undefined) return true;
  if (typeof before === "string") return typeof after === "string" && after.startsWith(before);
  if (typeof before !== "object" || before === null) return Object.is(before, after);
  if (typeof after !== "object" || after === null || Array.isArray(before) !== Array.isArray(after)) return false;
  const names = Object.keys(before);
  const later = Object.keys(after);
  return names.every((name, index) => {
    return later[index] === name && grows(Reflect.get(before, name), Reflect.get(after, name));
  });
}

async function readAll(
  { schema, value }: Typed,
  model: (typeof TYPED_MODELS)[number]["model"],
  pieces: readonly string[],
) {
  const stream = streamObject(model, "Go", { schema, mode: "native", maxRepairs: 0, streamFn: () => play(pieces) });
  let before: unknown;
  for await (const { partial } of stream) {
    const snapshot = structuredClone(partial);
    expect(grows(before, snapshot)).toBe(true);
    before = snapshot;
  }
  const { object } = await stream.result();
  // If the provider requires every property, an absent one that may be null cannot be distinguished from null.
  expect(object).toEqual(model === OPENAI ? withNulls(schema, value, permitsNull) : value);
  return before;
}

/** Wrapped as the library requests it: an object schema is sent unwrapped. */
function toText({ schema, value }: Typed, addsNulls: boolean): string {
  const sent = addsNulls ? withNulls(schema, value, () => true) : value;
  return JSON.stringify(Object(schema).type === "object" ? sent : { value: sent });
}

const ANTHROPIC = TYPED_MODELS.find(({ model }) => model.api === "anthropic-messages")?.model ?? TYPED_MODELS[0].model;
const OPENAI = TYPED_MODELS[0].model;

test("every single cut of the text", async () => {
  await fc.assert(
    fc.asyncProperty(typed, async (each) => {
      const sent = toText(each, false);
      for (let cut = 0; cut <= sent.length; cut++) {
        expect(await readAll(each, ANTHROPIC, [sent.slice(0, cut), sent.slice(cut)])).toEqual(each.value);
      }
    }),
    { ...RUNS, numRuns: Math.ceil(RUNS.numRuns / 4) },
  );
});

test.each([
  ["with absent properties as they are", ANTHROPIC, false],
  ["with absent properties as null", OPENAI, true],
])("random pieces, %s", async (_, model, addsNulls) => {
  await fc.assert(
    fc.asyncProperty(
      typed,
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 40 }),
      async (each, sizes) => {
        const pieces: string[] = [];
        let rest = toText(each, addsNulls);
        for (let index = 0; rest !== ""; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          pieces.push(rest.slice(0, size));
          rest = rest.slice(size);
        }
        const last = await readAll(each, model, pieces);
        if (!addsNulls) expect(last).toEqual(each.value);
      },
    ),
    RUNS,
  );
});

test("one character at a time", async () => {
  await fc.assert(
    fc.asyncProperty(typed, async (each) => {
      expect(await readAll(each, ANTHROPIC, Array.from(toText(each, false)))).toEqual(each.value);
    }),
    RUNS,
  );
});
