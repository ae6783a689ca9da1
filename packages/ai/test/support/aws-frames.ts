/**
 * Frames of an AWS event stream, for tests: length, length of the headers, CRC of both, headers, payload, CRC of all
 * before it; numbers are big-endian (Amazon S3 API reference, "Event stream encoding", 2026-11).
 */
import { crc32 } from "node:zlib";

const PRELUDE = 12;
const CRC = 4;
const STRING_HEADER = 7;

export function encodeAwsFrame(headers: Readonly<Record<string, string>>, payload: Uint8Array): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const frame = Buffer.alloc(PRELUDE + head.length + payload.length + CRC);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  frame.set(head, PRELUDE);
  frame.set(payload, PRELUDE + head.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -CRC)), frame.length - CRC);
  return frame;
}

/** `{ eventType: payload }` as a frame; `{ "exception:Name": payload }` as the frame of an exception. */
export function encodeAwsEvent(event: Readonly<Record<string, unknown>>): Buffer {
  const [name, payload] = Object.entries(event)[0] ?? ["", {}];
  const exception = /^exception:(.*)$/.exec(name)?.[1];
  const kind = exception === undefined ? { ":event-type": name } : { ":exception-type": exception };
  const messageType = exception === undefined ? "event" : "exception";
  const headers = { ...kind, ":content-type": "application/json", ":message-type": messageType };
  return encodeAwsFrame(headers, Buffer.from(JSON.stringify(payload)));
}

/** Splits bytes at frame boundaries; an incomplete frame stays one piece. */
export function splitAwsFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const announced = rest.length >= PRELUDE ? rest.readUInt32BE(0) : 0;
    const length = announced > PRELUDE && announced <= rest.length ? announced : rest.length;
    frames.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  return frames;
}

function encodeHeader(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.of(Buffer.byteLength(name)), Buffer.from(name), Buffer.of(STRING_HEADER), length, text]);
}

/** The reverse of {@link encodeAwsEvent}: the name of an event and its payload. */
export function decodeAwsEvent(frame: Buffer): [name: string, payload: unknown] {
  const headersLength = frame.readUInt32BE(4);
  const headers = frame.subarray(PRELUDE, PRELUDE + headersLength).toString("latin1");
  const [, kind = "", name = ""] = /:(event|exception)-type.{3}([\w-]+)/s.exec(headers) ?? [];
  const payload: unknown = JSON.parse(frame.subarray(PRELUDE + headersLength, -CRC).toString());
  return [kind === "exception" ? `exception:${name}` : name, payload];
}
