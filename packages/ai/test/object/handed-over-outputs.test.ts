/** A conversation with typed output that another provider continues with typed output of its own. */
import { Type } from "@sinclair/typebox";
import { type AssistantMessage, type Message, registerBuiltInApiProviders } from "pi-ai";
import { completeObject } from "pi-ai/object";
import { beforeAll, describe, expect, test } from "vitest";
import { allWires } from "../faults/all-wires.js";
import { callPart, type FaultWireFormat, responseOf, textPart, type WirePart } from "../faults/fault-wire-format.js";
import { findFaults } from "../validators/validators.js";

beforeAll(registerBuiltInApiProviders);

const SCHEMA = Type.Object({ title: Type.String(), pages: Type.Integer() });
const BOOK = { title: "First", pages: 1234567 };
const NEXT = { title: "Second", pages: 7654321 };
const MODES = ["native", "tool"] as const;
type Mode = (typeof MODES)[number];

const WIRES = allWires.filter(
  ({ fixtures }) => fixtures.options?.["transport"] === undefined || fixtures.options["transport"] === "sse",
);

const user = (content: string): Message => ({ role: "user", content, timestamp: 1 });

function partOf(mode: Mode, value: object): WirePart {
  const json = JSON.stringify(value);
  return mode === "tool" ? callPart("output", json) : textPart(json);
}

/** Requests typed output, and returns it with the body of the request. */
async function ask(wire: FaultWireFormat, messages: Message[], mode: Mode, value: object) {
  const bytes = Buffer.concat(responseOf(wire, [partOf(mode, value)]).map((event) => Buffer.from(wire.frame(event))));
  const headers = { "content-type": wire.fixtures.contentType };
  const bodies: unknown[] = [];
  const { object, message } = await completeObject(
    wire.fixtures.model("https://api.test"),
    { messages },
    {
      ...wire.fixtures.options,
      schema: SCHEMA,
      mode,
      maxRepairs: 0,
      apiKey: String(wire.fixtures.options?.["apiKey"] ?? "key"),
      maxRetries: 0,
      fetch: async () => new Response(new Uint8Array(bytes), { headers }),
      onPayload: (body: unknown) => void bodies.push(body),
    },
  );
  return { object, message, body: bodies[0] };
}

describe.each(WIRES.map((wire) => [wire.fixtures.name, wire] as const))("typed output of %s", (_, source) => {
  test.each(MODES)("in the mode %s goes on with every provider, in every mode", async (mode) => {
    const first = await ask(source, [user("The first book?")], mode, BOOK);
    expect(first.object).toEqual(BOOK);
    for (const target of WIRES) {
      for (const nextMode of MODES) {
        const place = `${target.fixtures.name}, ${nextMode}`;
        const messages = [user("The first book?"), first.message, user("And the second?")];
        const next = await ask(target, messages, nextMode, NEXT);
        expect(next.object, place).toEqual(NEXT);
        const model = target.fixtures.model("https://api.test");
        expect(findFaults(model.api, next.body, model), place).toEqual([]);
        // The model sees its predecessor's output, once.
        expect(JSON.stringify(next.body).split("1234567").length - 1, place).toBe(1);
      }
    }
  });
});

test("a message with typed output is plain data that a session can store", async () => {
  for (const wire of WIRES) {
    const { message } = await ask(wire, [user("The first book?")], "native", BOOK);
    const stored: AssistantMessage = JSON.parse(JSON.stringify(message));
    expect(stored, wire.fixtures.name).toEqual(message);
  }
});
