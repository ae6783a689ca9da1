import { describe, expect, it } from "vitest";
import { encodeAwsEvent, encodeAwsFrame, splitAwsFrames } from "./aws-frames.js";

describe("frames of an AWS event stream", () => {
  it("encodes an empty frame as the specification does", () => {
    // The smallest frame: 16 bytes, no header, no payload.
    expect(encodeAwsFrame({}, Buffer.alloc(0)).toString("hex")).toBe("000000100000000005c248eb7d98c8ff");
  });

  it("names events and exceptions in the headers", () => {
    const event = encodeAwsEvent({ messageStop: { stopReason: "end_turn" } }).toString("latin1");
    expect(event).toContain(":event-type\x07\x00\x0bmessageStop");
    expect(event).toContain('{"stopReason":"end_turn"}');
    const exception = encodeAwsEvent({ "exception:throttlingException": { message: "slow down" } }).toString("latin1");
    expect(exception).toContain(":exception-type\x07\x00\x13throttlingException");
    expect(exception).toContain(":message-type\x07\x00\x09exception");
  });

  it("splits bytes at frame boundaries and keeps an incomplete frame", () => {
    const frames = [encodeAwsEvent({ a: {} }), encodeAwsEvent({ b: { text: "é" } })];
    const rest = encodeAwsEvent({ c: {} }).subarray(0, 20);
    expect(splitAwsFrames(Buffer.concat([...frames, rest]))).toEqual([...frames, rest]);
    expect(splitAwsFrames(Buffer.alloc(0))).toEqual([]);
  });
});
