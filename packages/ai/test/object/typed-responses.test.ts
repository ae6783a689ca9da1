/** Typed output over the wire of every api: its streaming, and the report of a response that is not the output. */
import { Type } from "@sinclair/typebox";
import { registerBuiltInApiProviders } from "pi-ai";
import { completeObject, type ObjectOptions, OutputError, streamObject } from "pi-ai/object";
import { beforeAll, describe, expect, test } from "vitest";
import { allWires } from "../faults/all-wires.js";
import {
  callPart,
  type FaultWireFormat,
  responseOf,
  textPart,
  type WireEnd,
  type WirePart,
} from "../faults/fault-wire-format.js";

beforeAll(registerBuiltInApiProviders);

const SCHEMA = Type.Object({ title: Type.String(), pages: Type.Integer(), tags: Type.Array(Type.String()) });
const BOOK = { title: 'Über "alles" 😀\n', pages: 1234567, tags: ["a", "b"] };
const TEXT = JSON.stringify(BOOK);
const READ = { name: "read", description: "Reads a file.", parameters: Type.Object({}) };

/** Pieces of one character, which cut every escape and number. */
const CHARACTERS = Array.from({ length: TEXT.length }, (_, index) => TEXT.charAt(index));

// A socket needs its own server; the same adapter is covered over HTTP.
const WIRES = allWires.filter(
  ({ fixtures }) => fixtures.options?.["transport"] === undefined || fixtures.options["transport"] === "sse",
);

/** A `fetch` that responds to the requests with these responses, in order. */
function serve(
  wire: FaultWireFormat,
  ...responses: (readonly object[] | readonly (object | string)[])[]
): typeof fetch {
  let next = 0;
  return async () => {
    const events = responses[Math.min(next++, responses.length - 1)] ?? [];
    const body = Buffer.concat(events.map((event) => Buffer.from(wire.frame(event))));
    return new Response(new Uint8Array(body), { headers: { "content-type": wire.fixtures.contentType } });
  };
}

function respond(parts: readonly WirePart[], end?: WireEnd): (wire: FaultWireFormat) => (object | string)[] {
  return (wire) => responseOf(wire, parts, end);
}

function optionsOf(wire: FaultWireFormat, ...responses: ReturnType<typeof respond>[]): ObjectOptions<typeof SCHEMA> {
  return {
    ...wire.fixtures.options,
    schema: SCHEMA,
    apiKey: String(wire.fixtures.options?.["apiKey"] ?? "key"),
    maxRetries: 0,
    fetch: serve(wire, ...responses.map((build) => build(wire))),
  };
}

describe.each(WIRES.map((wire) => [wire.fixtures.name, wire] as const))("%s", (_, wire) => {
  const model = wire.fixtures.model("https://api.test");

  test.each([
    ["native", respond([textPart(...CHARACTERS)])],
    ["tool", respond([textPart("Let me see."), callPart("output", ...CHARACTERS)])],
    ["text", respond([textPart("Here it is:\n```json\n", ...CHARACTERS, "\n```")])],
  ] as const)("streams the object in the mode %s", async (mode, response) => {
    const stream = streamObject(model, "Go", { ...optionsOf(wire, response), mode });
    const seen: unknown[] = [];
    for await (const { partial } of stream) seen.push(structuredClone(partial));
    const result = await stream.result();
    expect(result).toMatchObject({ object: BOOK, mode });
    expect(seen.at(-1)).toEqual(BOOK);
    const pages = new Set(seen.map((partial) => Reflect.get(Object(partial), "pages")));
    expect([...pages].filter((value) => value !== undefined)).toEqual([BOOK.pages]);
    expect(result.usage).toEqual(result.message.usage);
  });

  test("repairs once over the wire, and the usage adds up", async () => {
    const wrong = respond([textPart('{"title":1}')]);
    const options = optionsOf(wire, wrong, respond([textPart(TEXT)]));
    const result = await completeObject(model, "Go", { ...options, mode: "native" });
    expect(result.object).toEqual(BOOK);
    const [first, second] = result.responses;
    expect(result.usage.totalTokens).toBe((first?.usage.totalTokens ?? 0) + (second?.usage.totalTokens ?? 0));
    expect(result.usage.cost.total).toBeCloseTo((first?.usage.cost.total ?? 0) + (second?.usage.cost.total ?? 0), 12);
  });

  test.each([
    ["length", respond([textPart('{"title":"A')], { stop: "length" }), "length"],
    ["a content filter", respond([textPart('{"title":"A')], { stop: "filter" }), "content_filter"],
    ["calls of other tools", respond([callPart("read", "{}")]), "tool_use"],
  ])("reports %s by its kind", async (_name, response, kind) => {
    const context = { messages: "Go", tools: [READ] };
    const error: unknown = await completeObject(model, context, { ...optionsOf(wire, response), mode: "native" }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OutputError);
    expect(error).toMatchObject({ kind });
  });
});
