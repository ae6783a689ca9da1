/** Requests out of the bytes of a connection: HTTP/1.1 with a length, and after an upgrade the text messages of a WebSocket. */
import type { Socket } from "node:net";
import type { FaultRequest } from "./fault-request.js";

export interface RequestListener {
  /** Returns true where the connection becomes a WebSocket. */
  onRequest(request: FaultRequest): boolean;
  onMessage(request: FaultRequest): void;
}

const TEXT = 1;
const CLOSE = 8;

export function readRequests(socket: Socket, listener: RequestListener): void {
  let rest: Buffer = Buffer.alloc(0);
  let opening: FaultRequest | undefined;
  /** Takes one request or message off the bytes; false when there is no whole one. */
  const take = (): boolean => {
    const taken = opening ? takeMessage(rest) : takeRequest(rest);
    if (!taken) return false;
    rest = rest.subarray(taken.length);
    if ("request" in taken) opening = listener.onRequest(taken.request) ? taken.request : undefined;
    else if (taken.opcode === CLOSE) socket.end();
    else if (opening && taken.opcode === TEXT) listener.onMessage({ ...opening, body: taken.text });
    return true;
  };
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (take());
  });
}

function takeRequest(bytes: Buffer): { request: FaultRequest; length: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const start = headEnd + 4;
  const path = first.split(" ")[1] ?? "";
  if (headers["transfer-encoding"] === "chunked") {
    const end = bytes.indexOf("0\r\n\r\n", start);
    // The scripts that look into bodies get them with a length.
    return end === -1 ? undefined : { request: { path, headers, body: "" }, length: end + 5 };
  }
  const length = start + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return undefined;
  return { request: { path, headers, body: bytes.toString("utf8", start, length) }, length };
}

/** A client's frames are masked. */
function takeMessage(bytes: Buffer): { opcode: number; text: string; length: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const extra = short === 127 ? 8 : short === 126 ? 2 : 0;
  const start = 2 + extra + 4;
  if (bytes.length < start) return undefined;
  const size = extra === 8 ? Number(bytes.readBigUInt64BE(2)) : extra === 2 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, start + size));
  for (let index = 0; index < size; index++) payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0);
  return { opcode: bytes.readUInt8(0) & 0x0f, text: payload.toString("utf8"), length: start + size };
}

/** A server's text frame. */
export function encodeTextFrame(payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length > 125 ? 10 : 2);
  head[0] = 0x80 | TEXT;
  head[1] = payload.length > 125 ? 127 : payload.length;
  if (payload.length > 125) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
