import { crc32 as zlibCrc32 } from "node:zlib";
import { expect, test } from "vitest";
import { processorTime } from "../../../../test/support/patience.js";
import { encodeAwsEvent, encodeAwsFrame } from "../../test/support/aws-frames.js";
import {
  type AwsEvent,
  type AwsEventDecoder,
  awsEventStream,
  createAwsEventDecoder,
  MAX_AWS_MESSAGE,
} from "./aws-event-stream.js";
import { createBodyDecoder } from "./body-decoder.js";
import { crc32, crc32FromTable } from "./crc32.js";

function decode(...pieces: Uint8Array[]): AwsEvent[] {
  const decoder = createAwsEventDecoder();
  return pieces.flatMap((piece) => {
    decoder.push(piece);
    return takeAll(decoder);
  });
}

function takeAll(decoder: AwsEventDecoder): AwsEvent[] {
  const events: AwsEvent[] = [];
  for (let event = decoder.next(); event !== undefined; event = decoder.next()) events.push(event);
  return events;
}

/** A prelude with any lengths and a correct checksum. */
function prelude(total: number, headers: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(total, 0);
  bytes.writeUInt32BE(headers, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

const HELLO = encodeAwsEvent({ contentBlockDelta: { delta: { text: "héllo 😀" } } });
const STOP = encodeAwsEvent({ messageStop: { stopReason: "end_turn" } });
const EXPECTED = [
  { kind: "event", name: "contentBlockDelta", payload: { delta: { text: "héllo 😀" } } },
  { kind: "event", name: "messageStop", payload: { stopReason: "end_turn" } },
];

test.each([1, 2, 3, 7, 11, 12, 13, 64, 1000])("returns complete messages from pieces of %i bytes", (size) => {
  const bytes = Buffer.concat([HELLO, STOP]);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  expect(decode(...pieces)).toEqual(EXPECTED);
});

test("does not return an incomplete message", () => {
  expect(decode(HELLO, STOP.subarray(0, -1))).toEqual(EXPECTED.slice(0, 1));
});

test("allows the caller to reuse a piece after its events were read", () => {
  const events: AwsEvent[] = [];
  const decoder = createAwsEventDecoder();
  const bytes = Buffer.concat([HELLO, STOP]);
  const shared = Buffer.alloc(50);
  for (let at = 0; at < bytes.length; at += 50) {
    const length = bytes.copy(shared, 0, at, at + 50);
    decoder.push(Uint8Array.from(shared.subarray(0, length)));
    events.push(...takeAll(decoder));
    shared.fill(0);
  }
  expect(events).toEqual(EXPECTED);
});

test("distinguishes exceptions and errors from events", () => {
  const error = { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "Sorry" };
  expect(decode(encodeAwsEvent({ "exception:throttlingException": { message: "Slow down" } }))).toEqual([
    { kind: "exception", name: "throttlingException", payload: { message: "Slow down" } },
  ]);
  expect(decode(encodeAwsFrame(error, Buffer.alloc(0)))).toEqual([
    { kind: "error", name: "InternalFailure", payload: { message: "Sorry" } },
  ]);
});

test("skips headers of every type", () => {
  const text = (value: string): Buffer => Buffer.concat([Buffer.of(0, value.length), Buffer.from(value)]);
  const header = (name: string, type: number, value: Buffer): Buffer =>
    Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(type), value]);
  const lengths = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];
  const headers = Buffer.concat([
    ...lengths.map((length, type) => header("x", type, length < 0 ? text("skip") : Buffer.alloc(length))),
    header(":event-type", 7, text("messageStart")),
  ]);
  const body = Buffer.concat([prelude(12 + headers.length + 4, headers.length), headers]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  expect(decode(body, checksum)).toEqual([{ kind: "event", name: "messageStart", payload: {} }]);
});

test("throws for headers that cannot be read", () => {
  for (const headers of [
    Buffer.of(200),
    Buffer.of(1, 120, 10),
    Buffer.of(1, 120, 7, 255, 255),
    Buffer.of(1, 120, 5, 0),
  ]) {
    const body = Buffer.concat([prelude(16 + headers.length, headers.length), headers]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(body));
    expect(() => decode(body, checksum)).toThrow("The headers of an event cannot be read");
  }
});

test("throws for one wrong bit in any place", () => {
  for (let at = 0; at < STOP.length; at++) {
    const damaged = Buffer.from(STOP);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    expect(() => decode(damaged)).toThrow(/checksum/);
  }
});

test("quotes a page that arrives in place of events", () => {
  expect(() => decode(Buffer.from("<html>Access denied</html>"))).toThrow("<html>Access denied</html>");
});

test("rejects a message of 2 GB when its prelude arrives, without allocating memory", () => {
  const before = process.memoryUsage().arrayBuffers;
  expect(() => decode(prelude(2 ** 31, 100))).toThrow("longer than");
  expect(() => decode(prelude(MAX_AWS_MESSAGE + 1, 0))).toThrow("longer than");
  expect(decode(prelude(MAX_AWS_MESSAGE, 0))).toEqual([]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e6);
});

test.each([
  [15, 0],
  [16, 1],
  [100, 85],
  [100, 2 ** 32 - 1],
])("throws for a message of %i bytes with %i bytes of headers", (total, headers) => {
  expect(() => decode(prelude(total, headers))).toThrow("shorter than its own headers");
});

test("reads a payload that is not an object as empty, and throws for one that is not JSON", () => {
  const headers = { ":message-type": "event", ":event-type": "x" };
  for (const payload of ["", "null", "7", "[1]", "[DONE]"]) {
    expect(decode(encodeAwsFrame(headers, Buffer.from(payload)))).toEqual([{ kind: "event", name: "x", payload: {} }]);
  }
  expect(() => decode(encodeAwsFrame(headers, Buffer.from("{no")))).toThrow("Could not parse");
});

test("reads a body of many small pieces in linear time", async () => {
  const large = encodeAwsEvent({ x: { text: "x".repeat(200_000) } });
  const pieces = Array.from({ length: large.length / 10 + 1 }, (_, at) => large.subarray(at * 10, at * 10 + 10));
  const spent = await processorTime(() => expect(decode(...pieces)).toHaveLength(1));
  expect(spent).toBeLessThan(3000);
});

test("returns the events before a damaged message, then throws", () => {
  const decoder = createAwsEventDecoder();
  const damaged = Buffer.from(STOP);
  damaged[20] = (damaged[20] ?? 0) ^ 1;
  decoder.push(Buffer.concat([HELLO, damaged]));
  expect(decoder.next()).toEqual(EXPECTED[0]);
  expect(() => decoder.next()).toThrow("checksum");
});

test("is a framing of bodies", () => {
  const decoder = createBodyDecoder(awsEventStream);
  decoder.push(HELLO);
  expect(decoder.next()).toEqual(EXPECTED[0]);
  expect(decoder.next()).toBeUndefined();
});

test("quotes a body that is too short for a message, unless it starts like one", () => {
  const decoder = createBodyDecoder(awsEventStream);
  decoder.push("Forbidden");
  expect(decoder.next()).toBeUndefined();
  expect(decoder.unframed).toBe("Forbidden");
  const cut = createBodyDecoder(awsEventStream);
  cut.push(HELLO.subarray(0, 9));
  expect(cut.unframed).toBe("");
});

test.each([crc32, crc32FromTable])("returns the check value of the standard", (checksum) => {
  expect(checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});

test.each([crc32, crc32FromTable])("agrees with zlib on every byte, and on no bytes", (checksum) => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(checksum(bytes)).toBe(zlibCrc32(bytes));
  expect(checksum(new Uint8Array())).toBe(0);
});
