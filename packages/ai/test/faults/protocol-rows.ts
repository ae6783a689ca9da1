/** Rows on faults of the api: intact bytes with wrong content. */
import { expect } from "vitest";
import { chunk } from "../protocols/openai-completions/fault-wire.js";
import { type FaultRow, overSse, row, speaks, streamsArguments } from "./fault-row.js";
import {
  CONTROL_PIECES,
  CONTROL_TEXT,
  CONTROL_TOTAL,
  callsOf,
  expectErrorMessage,
  type FaultSubject,
  type Outcome,
  textOf,
} from "./fault-subject.js";
import { callPart, responseOf, textPart, type WireEnd, type WireEvent, type WirePart } from "./fault-wire-format.js";

const CHAT = speaks(/completions|mistral/);
const RESPONSES = speaks(/responses/);
const ARGUMENTS_TEXT = '{"path":"a b.txt","deep":{"list":[1,2,{"x":null}]}}';

export const protocolRows: readonly FaultRow[] = [
  row(57, "unknown event types and pings", async (subject) => {
    const { unknownEvent, keepAlive = unknownEvent } = subject.wire.fixtures;
    const odd = [unknownEvent, keepAlive].map((frame) => (typeof frame === "string" ? Buffer.from(frame) : frame));
    // A WebSocket message has no comments.
    const strange = odd.filter((frame) => !subject.isSocket || Buffer.from(frame).includes("data: "));
    const frames = subject.frames(subject.control);
    for (let place = 0; place < frames.length; place++) {
      await subject.expectControl(subject.sayFrames(frames.toSpliced(place, 0, ...strange)));
    }
  }),
  row(58, "unknown block and delta types", (subject) =>
    subject.expectControl(subject.say(within(subject, subject.wire.unknown))),
  ),
  row(59, "delta without its text field / null text / null delta", (subject) =>
    subject.expectControl(subject.say(within(subject, subject.wire.emptyDeltas))),
  ),
  row(60, "first event lacks message/usage/response", async (subject) => {
    const rest = subject.control.slice(subject.wire.start().length);
    const { message } = await subject.run(subject.say([...(subject.wire.bareStart ?? []), ...rest]));
    if (message.stopReason === "error") expectErrorMessage(message);
    else expect(textOf(message)).toBe(CONTROL_TEXT);
  }),
  row(61, "usage null", (subject) => withUsage(subject, null)),
  row(62, "usage negative", (subject) => withUsage(subject, subject.wire.usage(-5))),
  row(63, "usage as strings / 1e999 / 9e15", async (subject) => {
    for (const count of ["12", "", [], {}, true, 9e15, 1.5]) await withUsage(subject, subject.wire.usage(count));
    await withUsage(subject, subject.wire.usage("@"), (json) => json.replaceAll('"@"', "1e999"));
  }),
  row(64, "two blocks with the same index", async (subject) => {
    const { wire } = subject;
    const parts = [textPart("one "), textPart("two")].flatMap((part) => wire.part(part, 0));
    const message = await good(subject, [...wire.start(), ...parts, ...wire.end({})]);
    expect(textOf(message)).toBe("one two");
  }),
  row(65, "interleaved deltas of a text block and a tool block", async (subject) => {
    const parts = [textPart("one ", "two ", "three"), callPart("read", '{"a":', '"b"', "}")];
    const message = await good(subject, interleaved(subject, parts));
    expect(textOf(message)).toBe("one two three");
    expect(callsOf(message)).toMatchObject([{ name: "read", arguments: { a: "b" } }]);
  }),
  row(
    66,
    "delta for a block that was never opened",
    (subject) => subject.expectControl(subject.say(within(subject, subject.wire.orphanDelta ?? []))),
    (subject) => subject.wire.orphanDelta !== undefined,
  ),
  row(67, 'tool call with empty arguments ""', async (subject) => {
    const message = await good(subject, responseOf(subject.wire, [callPart("read", "")]));
    expect(callsOf(message)).toMatchObject([{ name: "read", arguments: {} }]);
    expect(callsOf(message)[0]).not.toHaveProperty("argumentsError");
  }),
  row(68, "tool arguments null", async (subject) => {
    for (const events of [subject.wire.callWith?.(null), subject.wire.part(callPart("read", "null"), 0)]) {
      const message = await goodCall(subject, events ?? []);
      expect(callsOf(message)).toMatchObject([{ name: "read", arguments: {} }]);
    }
  }),
  row(69, "tool arguments that are not an object", async (subject) => {
    for (const text of ["[1,2]", "7", '"words"', "true"]) {
      const message = await goodCall(subject, subject.wire.part(callPart("read", text), 0));
      expect(callsOf(message)[0]?.argumentsError, text).toMatch(/must be a JSON object|not valid JSON/);
    }
  }),
  row(
    70,
    "arguments as an object instead of a string",
    async (subject) => {
      const message = await goodCall(subject, subject.wire.callWith?.({ a: "z" }) ?? []);
      expect(callsOf(message)).toMatchObject([{ name: "read", arguments: { a: "z" } }]);
    },
    (subject) => subject.wire.callWith !== undefined,
  ),
  row(71, "two tool calls with the same id", async (subject) => {
    const parts = [callPart("read", '{"n":1}'), callPart("read", '{"n":2}')];
    const message = await good(subject, responseOf(subject.wire, parts));
    expect(callsOf(message).map((call) => call.arguments)).toEqual([{ n: 1 }, { n: 2 }]);
  }),
  row(72, "tool call without an id", async (subject) => {
    const message = await good(
      subject,
      responseOf(subject.wire, [{ type: "call", name: "read", pieces: ['{"n":1}'] }]),
    );
    expect(callsOf(message)).toMatchObject([{ name: "read", arguments: { n: 1 } }]);
    expect(callsOf(message)[0]?.id).toBeTruthy();
  }),
  row(
    73,
    'unknown stop reason "banana"',
    async (subject) => {
      const { message } = await subject.expectError(control(subject, { stop: "banana" }), { text: CONTROL_TEXT });
      expect(message.errorMessage).toContain("banana");
      expect(message.usage.totalTokens).toBe(CONTROL_TOTAL);
    },
    (subject) => !CHAT(subject),
  ),
  row(
    73,
    'chat: unknown stop reason "banana" before the end marker',
    (subject) => expectNotedStop(subject, "banana", "unknown_finish_reason"),
    CHAT,
  ),
  row(
    74,
    "stream ends without any stop reason (but with its end marker)",
    (subject) => subject.expectError(control(subject, { stop: null }), { text: CONTROL_TEXT }),
    // There the end marker is the reason.
    (subject) => !RESPONSES(subject) && !CHAT(subject),
  ),
  row(
    74,
    "chat: no stop reason before the end marker",
    (subject) => expectNotedStop(subject, null, "missing_finish_reason"),
    CHAT,
  ),
  row(75, "two terminal events", (subject) =>
    subject.expectControl(subject.say([...subject.control, ...subject.wire.end({})])),
  ),
  row(
    76,
    "deltas after the terminal event",
    (subject) =>
      subject.expectControl(subject.say([...subject.control, ...subject.wire.part(textPart("and more"), 0)])),
    (subject) => subject.wire.hasEndMarker,
  ),
  row(77, "empty response", async (subject) => {
    const message = await good(subject, responseOf(subject.wire, []));
    expect(message).toMatchObject({ stopReason: "stop", content: [] });
  }),
  row(78, "only thinking, no text", async (subject) => {
    const message = await good(subject, responseOf(subject.wire, [{ type: "thinking", pieces: ["Let me ", "see."] }]));
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "thinking", thinking: "Let me see." }] });
  }),
  row(
    79,
    "refusal",
    async (subject) => {
      const { message } = await subject.run(subject.say(subject.wire.refusal ?? []));
      expect(textOf(message)).toBe("I will not.");
      const isNoted = message.diagnostics?.some((one) => one.type === "refusal") ?? false;
      expect(isNoted || message.error?.kind === "content_filter").toBe(true);
    },
    (subject) => subject.wire.refusal !== undefined,
  ),
  row(80, "content filter stop with partial text", async (subject) => {
    const { message } = await subject.expectError(control(subject, { stop: "filter" }), { text: CONTROL_TEXT });
    expect(message.errorMessage).toMatch(/filter|safety|sensitive/i);
  }),
  row(
    81,
    "responses: response.failed",
    async (subject) => {
      const error = { code: "server_error", message: "The flux is saturated" };
      const failed = { type: "response.failed", response: { id: "resp_1", status: "failed", error } };
      const script = subject.say([...subject.beginning, failed]);
      const { message } = await subject.expectError(script, { text: CONTROL_PIECES.slice(0, 2).join("") });
      expect(message.errorMessage).toContain("The flux is saturated");
    },
    RESPONSES,
  ),
  row(82, "the first event again mid-stream", (subject) =>
    subject.expectControl(subject.say(within(subject, subject.wire.start()))),
  ),
  row(
    83,
    "event: name missing (data only)",
    (subject) => {
      const text = subject.body(subject.control).toString();
      return subject.expectControl(subject.sayFrames([Buffer.from(text.replaceAll(/^event: .*\n/gm, ""))]));
    },
    overSse,
  ),
  row(
    84,
    "chat: no [DONE], but finish_reason and a clean end",
    (subject) => subject.expectControl(subject.say(subject.control.slice(0, -1))),
    CHAT,
  ),
  row(
    85,
    "chat: tool fragments before the name and id arrive; index missing",
    async (subject) => {
      const late = [
        { index: 0, function: { arguments: '{"n":' } },
        { index: 0, id: "aaaaaaaa1", function: { name: "read", arguments: "1}" } },
      ];
      const unnumbered = [
        { id: "aaaaaaaa1", function: { name: "read", arguments: '{"n":' } },
        { function: { arguments: "1}" } },
      ];
      for (const fragments of [late, unnumbered]) {
        const message = await goodCall(
          subject,
          fragments.map((fragment) => chunk({ tool_calls: [fragment] })),
        );
        expect(callsOf(message)).toMatchObject([{ id: "aaaaaaaa1", name: "read", arguments: { n: 1 } }]);
      }
    },
    CHAT,
  ),
  row(
    86,
    "two parallel calls interleaved",
    async (subject) => {
      const parts = [callPart("read", '{"n":', "1}"), callPart("write", '{"n":', "2}")];
      const message = await good(subject, interleaved(subject, parts));
      expect(callsOf(message).map((call) => [call.name, call.arguments])).toEqual([
        ["read", { n: 1 }],
        ["write", { n: 2 }],
      ]);
    },
    streamsArguments,
  ),
  row(87, "stop reason says tool_use, but there is no tool call", async (subject) => {
    const { message } = await subject.run(control(subject, { stop: "toolUse" }));
    expect(textOf(message)).toBe(CONTROL_TEXT);
  }),
  row(
    88,
    "gemini: prompt blocked, no candidates",
    async (subject) => {
      const { message } = await subject.expectError(subject.say([{ promptFeedback: { blockReason: "SAFETY" } }]));
      expect(message.errorMessage).toContain("SAFETY");
      expect(message.error?.kind).toBe("content_filter");
    },
    speaks(/google/),
  ),
  row(89, "tool call finished by a length stop", async (subject) => {
    const message = await good(
      subject,
      responseOf(subject.wire, [callPart("read", ARGUMENTS_TEXT)], { stop: "length" }),
    );
    expect(message.stopReason).toBe("length");
    expect(callsOf(message)).toHaveLength(1);
  }),
  row(90, "text that looks like SSE", async (subject) => {
    const odd = '\n\nevent: error\ndata: [DONE]\n\ndata: {"error":{"message":"no"}}\r\n\r\n: x';
    const message = await good(subject, responseOf(subject.wire, [textPart(odd, odd)]));
    expect(textOf(message)).toBe(odd + odd);
  }),
];

/** The control response with these events after its second delta. */
function within(subject: FaultSubject, events: readonly WireEvent[]): WireEvent[] {
  return [...subject.beginning, ...events, ...subject.control.slice(subject.beginning.length)];
}

function control(subject: FaultSubject, end: WireEnd): ReturnType<FaultSubject["say"]> {
  return subject.say(responseOf(subject.wire, [textPart(...CONTROL_PIECES)], end));
}

async function withUsage(
  subject: FaultSubject,
  usage: unknown,
  change: (json: string) => string = (json) => json,
): Promise<void> {
  const events = responseOf(subject.wire, [textPart(...CONTROL_PIECES)], { usage });
  const odd = events.map((event) => (typeof event === "string" ? event : change(JSON.stringify(event))));
  const outcome: Outcome = await subject.run(subject.say(odd));
  expect(outcome.message.stopReason).toBe("stop");
  expect(textOf(outcome.message)).toBe(CONTROL_TEXT);
}

/** A successful response with these events. */
async function good(subject: FaultSubject, events: readonly WireEvent[]): Promise<Outcome["message"]> {
  const { message } = await subject.run(subject.say(events));
  expect(message.errorMessage).toBeUndefined();
  return message;
}

function goodCall(subject: FaultSubject, events: readonly WireEvent[]): Promise<Outcome["message"]> {
  const { wire } = subject;
  return good(subject, [...wire.start(), ...events, ...wire.end({ stop: "toolUse" })]);
}

/** The events of two blocks, interleaved. */
function interleaved({ wire }: FaultSubject, parts: readonly WirePart[]): WireEvent[] {
  const lists = parts.map((part, index) => wire.part(part, index));
  const longest = Math.max(...lists.map((list) => list.length));
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1)));
  return [...wire.start(), ...turns.flat(), ...wire.end({ stop: "toolUse" })];
}

/** Sends the end marker after the whole content, so that the stop reason alone decides the outcome. */
async function expectNotedStop(subject: FaultSubject, stop: string | null, type: string): Promise<void> {
  const { message } = await subject.expectControl(control(subject, { stop }));
  expect(message.diagnostics).toMatchObject([{ type, ...(stop ? { details: { finishReason: stop } } : {}) }]);
}
