/** Tests the limits on memory that a server can make the caller use, for every api. */

import { complete } from "pi-ai";
import { describe, expect, it } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { CONTEXT } from "../conformance/subject.js";
import { allWires } from "./all-wires.js";
import { CONTROL_TEXT, callsOf, closed, FaultSubject, textOf } from "./fault-subject.js";
import { callPart, responseOf, textPart } from "./fault-wire-format.js";
import { useFaultServer } from "./use-fault-server.js";

const server = useFaultServer();
const MEGABYTES = budget({ quick: 1, all: 10 });

describe.each(allWires.map((wire) => new FaultSubject(wire, server)))("limits of $name", (subject) => {
  const { wire } = subject;

  it("fail a response with an event that is too long", async () => {
    const events = responseOf(wire, [textPart("short", "x".repeat(5000))]);
    const more = { limits: { eventLength: 4000 } };
    const { message } = await subject.expectError(subject.say(events), { text: "short", more });
    expect(message.errorMessage).toMatch(/longer than 4000/);
    expect(message.error?.kind).toBe("protocol");
  });

  // A WebSocket message arrives whole, and a binary event announces its length.
  const hasEndlessEvents = !subject.isSocket && wire.framing === "sse";
  if (hasEndlessEvents)
    it("fail an event that never ends", async () => {
      const frames = subject.frames(responseOf(wire, [textPart("x".repeat(20_000))]));
      const long = frames.find((frame) => frame.length > 20_000) ?? Buffer.alloc(0);
      const endless = subject.sayFrames([long.subarray(0, long.length - 10)], "silence");
      const { message } = await subject.expectError(endless, { more: { limits: { eventLength: 1000 } } });
      expect(message.errorMessage).toMatch(/longer than 1000/);
    });

  it("fail a response that is too long, even without content", async () => {
    const { unknownEvent } = wire.fixtures;
    const frame = typeof unknownEvent === "string" ? Buffer.from(unknownEvent) : unknownEvent;
    const frames = [...subject.frames(subject.beginning), ...Array.from({ length: 2000 }, () => frame)];
    const more = { limits: { responseLength: 20_000 } };
    const call = subject.sayFrames(frames, "silence", 50);
    const { message } = await subject.expectError(call, { text: CONTROL_TEXT.slice(0, 7), more });
    expect(message.errorMessage).toMatch(/longer than 20000/);
  });

  it("mark arguments that are too long, and keep the rest of the response", async () => {
    const parts = [textPart("before"), callPart("read", `{"a":"${"x".repeat(5000)}"}`)];
    const { message } = await subject.run(subject.say(responseOf(wire, parts)), { limits: { argumentsLength: 1000 } });
    expect(textOf(message)).toBe("before");
    expect(callsOf(message)[0]?.argumentsError).toMatch(/longer than 1000/);
    expect(callsOf(message)[0]?.argumentsText?.length).toBe(1000);
  });

  it("fail a response with too many blocks, and keep those before", async () => {
    const calls = Array.from({ length: 6 }, (_, index) => ({
      ...callPart(`read${index}`, "{}"),
      id: `call${index}aaaa`,
    }));
    const text = "short";
    const events = responseOf(wire, [textPart(text), ...calls]);
    const { message } = await subject.expectError(subject.say(events), { text, more: { limits: { blocks: 4 } } });
    expect(message.errorMessage).toBe("The response has more than 4 blocks");
    expect(message.error?.kind).toBe("protocol");
    expect(callsOf(message).map(({ name }) => name)).toEqual(["read0", "read1", "read2"]);
    const whole = await subject.run(subject.say(events), { limits: { blocks: 7 } });
    expect(callsOf(whole.message)).toHaveLength(6);
  });

  it(`accept ${MEGABYTES} MB of arguments`, async () => {
    const text = "x".repeat(MEGABYTES * 1024 * 1024);
    const pieces = [
      '{"a":"',
      ...Array.from({ length: MEGABYTES }, (_, at) => text.slice(at << 20, (at + 1) << 20)),
      '"}',
    ];
    const { message } = await subject.run(subject.say(responseOf(wire, [callPart("read", ...pieces)])));
    expect(callsOf(message)[0]?.arguments["a"] === text).toBe(true);
  });

  it("fail a request at its timeout if the reader does not read", async () => {
    const pieces = Array.from({ length: 3000 }, (_, index) => `${index} `);
    const call = subject.call(subject.say(responseOf(wire, [textPart(...pieces)]).slice(0, -2), "silence", 100));
    const stream = subject.open(call, { timeoutMs: 200 });
    await closed(call.exchange);
    const message = await stream.result();
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "timeout" } });
  });

  it("keep no events for complete()", async () => {
    const events = responseOf(wire, [textPart(...Array.from({ length: 2000 }, (_, index) => `${index} `))]);
    const call = subject.call(subject.say(events, "end", 100));
    const message = await complete(call.model, CONTEXT, call.options);
    expect(textOf(message)).toMatch(/^0 1 2 .*1999 $/);
  });
});
