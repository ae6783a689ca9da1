/**
 * Reads requests from the bytes of a connection: HTTP/1.1 with a length, and after an upgrade the text messages of a
 * WebSocket.
 */
import type { Socket } from "node:net";
import { CLOSE, TEXT, takeFrame } from "../support/websocket-frames.js";
import type { FaultRequest } from "./fault-request.js";

export interface RequestListener {
  /** Returns true if the connection becomes a WebSocket. */
  onRequest(request: FaultRequest): boolean;
  onMessage(request: FaultRequest): void;
  /** The client of a WebSocket wants to close it. */
  onClose(): void;
}

export function readRequests(socket: Socket, listener: RequestListener): void {
  let rest: Buffer = Buffer.alloc(0);
  let opening: FaultRequest | undefined;
  /** Reads one request or message from the bytes; false if none is complete. */
  const take = (): boolean => {
    const taken = opening ? takeFrame(rest) : takeRequest(rest);
    if (!taken) return false;
    rest = rest.subarray(taken.length);
    if ("request" in taken) opening = listener.onRequest(taken.request) ? taken.request : undefined;
    else if (taken.opcode === CLOSE) listener.onClose();
    else if (opening && taken.opcode === TEXT) listener.onMessage({ ...opening, body: taken.payload.toString("utf8") });
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
    // Scripts that read bodies only get requests with a length.
    return end === -1 ? undefined : { request: { path, headers, body: "" }, length: end + 5 };
  }
  const length = start + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return undefined;
  return { request: { path, headers, body: bytes.toString("utf8", start, length) }, length };
}
