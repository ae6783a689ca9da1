/**
 * Random responses, split and corrupted at random, for every api through the real SDKs. FAULT_RUNS sets the total
 * number and FAULT_SEED the seed. A failure prints its seed and the smallest response that fails.
 */
import fc from "fast-check";
import { type AssistantMessage, type AssistantMessageEvent, stream } from "pi-ai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { soon } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import { CONTEXT } from "../conformance/subject.js";
import { checkEvents } from "../support/check-events.js";
import { CALL_ENVIRONMENT, CANARIES } from "../support/credentials.js";
import { allWires } from "./all-wires.js";
import { expectNoSecret, textOf } from "./fault-subject.js";
import { type FaultWireFormat, responseOf, type WirePart } from "./fault-wire-format.js";

// biome-ignore lint/style/noProcessEnv: how thorough a test is, its runner says.
const { FAULT_RUNS = budget({ quick: 300, all: 10_000 }), FAULT_SEED = "20261121" } = process.env;

// A WebSocket does not use `fetch`; the same mapping reads its messages.
const wires = allWires.filter((wire) => wire.fixtures.options?.["transport"] !== "websocket");
const numRuns = Math.ceil(Number(FAULT_RUNS) / wires.length);
const seed = Number(FAULT_SEED);

beforeAll(() => {
  process.stdout.write(`mangled streams: ${numRuns} runs for each of ${wires.length} protocols, seed ${seed}\n`);
  for (const [name, value] of Object.entries(CALL_ENVIRONMENT)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const word = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.constantFrom("\ud83c", "\udf0d", "data: ", "\n\n", "[DONE]", "__proto__", "\0", '"}'),
);
const argumentsText = fc.oneof(
  fc
    .dictionary(fc.constantFrom("a", "__proto__", "constructor", "path"), fc.jsonValue({ maxDepth: 2 }))
    .map((value) => JSON.stringify(value)),
  fc.constantFrom("", "null", "[1]", '{"a":', "{}", '{"a":1e400}'),
);
const part: fc.Arbitrary<WirePart> = fc.oneof(
  fc.record({ type: fc.constantFrom("text" as const, "thinking" as const), pieces: fc.array(word, { maxLength: 4 }) }),
  fc
    .record({ text: argumentsText, at: fc.nat({ max: 20 }), name: fc.constantFrom("read", "__proto__", "") })
    .map(({ text, at, name }): WirePart => {
      // An api that sends arguments as JSON cannot express malformed ones.
      return { type: "call", id: "call_1", name, pieces: [text.slice(0, at), text.slice(at)] };
    }),
);

type Mangle =
  | { how: "none" }
  | { how: "cut" | "flip" | "drop" | "repeat" | "junk"; at: number; size: number; with: Uint8Array };

const position = fc.double({ min: 0, max: 1, noNaN: true });
const mangle: fc.Arbitrary<Mangle> = fc.oneof(
  fc.constant({ how: "none" as const }),
  fc.record({
    how: fc.constantFrom("cut" as const, "flip" as const, "drop" as const, "repeat" as const, "junk" as const),
    at: position,
    size: fc.integer({ min: 1, max: 60 }),
    with: fc.uint8Array({ minLength: 1, maxLength: 20 }),
  }),
);

describe.each(wires.map((wire) => ({ name: wire.fixtures.name, wire })))("mangled streams of $name", ({ wire }) => {
  const model = wire.fixtures.model("https://fault.test");

  it("end once, in order, with a message of plain data", async () => {
    const inputs = [fc.array(part, { maxLength: 4 }), mangle, fc.integer({ min: 1, max: 400 }), fc.boolean()] as const;
    const property = fc.asyncProperty(...inputs, async (parts, change, pieceLength, breaks) => {
      const frames = responseOf(wire, parts.filter(isSayable(wire))).map((event) => wire.frame(event));
      const message = await run(apply(Buffer.concat(frames), change), pieceLength, breaks && change.how !== "none");
      if (change.how === "none") expectWhole(message, parts);
      if (change.how !== "cut") return;
      // However the connection ends between two events, what arrived before is the same, including usage.
      const whole = Buffer.concat(frames.slice(0, Math.floor(change.at * frames.length)));
      const [ended, broken] = [await run(whole, pieceLength, false), await run(whole, 16, true)];
      expect(broken.usage).toEqual(ended.usage);
      expect(textOf(broken)).toBe(textOf(ended));
    });
    await fc.assert(property, { numRuns, seed });
  });

  async function run(body: Buffer, pieceLength: number, breaks: boolean): Promise<AssistantMessage> {
    const headers = { "content-type": wire.fixtures.contentType };
    const fetch = async (): Promise<Response> => new Response(bodyOf(body, pieceLength, breaks), { headers });
    const events: AssistantMessageEvent[] = [];
    const options = { apiKey: CANARIES.apiKey, maxRetries: 0, ...wire.fixtures.options, fetch };
    const reading = async (): Promise<void> => {
      for await (const event of stream(model, CONTEXT, options)) events.push(event);
    };
    await soon("the end", reading());
    const message = checkEvents(events);
    expectNoSecret(message);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    for (const count of Object.values(message.usage)) if (typeof count === "number") expect(count >= 0).toBe(true);
    return message;
  }
});

/** An api that sends arguments as JSON cannot express malformed ones. */
function isSayable(wire: FaultWireFormat): (one: WirePart) => boolean {
  return (one) => {
    if (one.type !== "call" || wire.streamsArguments) return true;
    try {
      JSON.parse(one.pieces.join("") || "{}");
      return true;
    } catch {
      return false;
    }
  };
}

function apply(body: Buffer, change: Mangle): Buffer {
  if (change.how === "none") return body;
  const at = Math.floor(change.at * body.length);
  const before = body.subarray(0, at);
  const piece = body.subarray(at, at + change.size);
  const after = body.subarray(at + change.size);
  switch (change.how) {
    case "cut":
      return before;
    case "flip":
      return Buffer.concat([
        before,
        piece.map((byte, index) => byte ^ (change.with[index % change.with.length] ?? 0)),
        after,
      ]);
    case "drop":
      return Buffer.concat([before, after]);
    case "repeat":
      return Buffer.concat([before, piece, piece, after]);
    case "junk":
      return Buffer.concat([before, change.with, piece, after]);
  }
}

function bodyOf(body: Buffer, pieceLength: number, breaks: boolean): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at < body.length) controller.enqueue(body.subarray(at, at + pieceLength));
      else if (breaks) controller.error(new Error("read ECONNRESET"));
      else controller.close();
      at += pieceLength;
    },
  });
}

function expectWhole(message: AssistantMessage, parts: readonly WirePart[]): void {
  const wanted = parts.map((one) => (one.type === "text" ? one.pieces.join("") : "")).join("");
  expect(textOf(message)).toBe(wanted);
  expect(message.usage.totalTokens).toBe(15);
}
