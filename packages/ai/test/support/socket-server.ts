/**
 * A local server that speaks WebSocket (RFC 6455, text messages only) and responds to POST requests, for tests of apis
 * that use both.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { turns } from "../../../../test/support/patience.js";
import { ClientSockets } from "./client-sockets.js";
import { CLOSE, CONTINUATION, encodeFrame, TEXT, takeFrame } from "./websocket-frames.js";

const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export interface ServerSocket {
  /** From 0, in the order of the connections. */
  number: number;
  /** The headers of the upgrade request. */
  path: string;
  /** Sends JSON, or a string unchanged. */
  send(message: unknown): void;
  /** Sends a piece of a message that does not end. */
  sendFragment(payload: Buffer, isFirst: boolean): void;
  close(code: number, reason?: string): void;
  /** Breaks the connection without a close frame, when the client has handled what was sent. */
  destroy(): Promise<void>;
}

export interface SocketScript {
  /** Responds to a message. The second argument counts the messages of all connections, from 0. */
  onMessage?: (socket: ServerSocket, count: number) => unknown;
  /** Rejects the upgrade with this status. */
  refuse?: number;
  /** The extensions that the server takes, whether or not the client has offered them. */
  extensions?: string;
  /** Never responds to the upgrade request. */
  hang?: boolean;
  /** Does not respond to a close frame. */
  ignoreClose?: boolean;
  /** The response to a POST request. */
  post?: { status?: number; body: string };
}

export interface SocketServer extends AsyncDisposable {
  url: string;
  /** The headers of each connection. */
  connections: http.IncomingHttpHeaders[];
  /** The messages of all connections, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
  messages: any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  posts: { path: string; headers: http.IncomingHttpHeaders; body: any }[];
  /** The number of open connections. */
  open(): number;
}

export async function serveSockets(script: SocketScript): Promise<SocketServer> {
  const connections: SocketServer["connections"] = [];
  const messages: SocketServer["messages"] = [];
  const posts: SocketServer["posts"] = [];
  const streams = new Set<Duplex>();
  const clients = new ClientSockets();
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || "null");
    posts.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(script.post?.status ?? 200, { "content-type": "text/event-stream" });
    response.end(script.post?.body ?? "");
  });
  server.on("upgrade", (request) => {
    const stream = request.socket;
    streams.add(stream);
    stream.on("close", () => streams.delete(stream));
    stream.on("error", () => {});
    stream.on("end", () => stream.end());
    if (script.hang) return;
    if (script.refuse !== undefined) {
      stream.end(`HTTP/1.1 ${script.refuse} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    const key = request.headers["sec-websocket-key"] ?? "";
    const accept = createHash("sha1").update(`${key}${ACCEPT_SUFFIX}`).digest("base64");
    const taken = script.extensions ? `Sec-WebSocket-Extensions: ${script.extensions}\r\n` : "";
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${taken}\r\n`,
    );
    const number = connections.push(request.headers) - 1;
    const socket = serverSocket(stream, { number, path: request.url ?? "", clients });
    readFrames(stream, script.ignoreClose === true, (text) => {
      const count = messages.push(JSON.parse(text)) - 1;
      void script.onMessage?.(socket, count);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server's address is an object
    connections,
    messages,
    posts,
    open: () => streams.size,
    async [Symbol.asyncDispose]() {
      for (const stream of streams) stream.destroy();
      server.closeAllConnections();
      clients[Symbol.dispose]();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Connection extends Pick<ServerSocket, "number" | "path"> {
  clients: ClientSockets;
}

function serverSocket(stream: Socket, { number, path, clients }: Connection): ServerSocket {
  return {
    number,
    path,
    send: (message) =>
      void stream.write(
        encodeFrame(TEXT, Buffer.from(typeof message === "string" ? message : JSON.stringify(message))),
      ),
    sendFragment: (payload, isFirst) => {
      const frame = encodeFrame(isFirst ? TEXT : CONTINUATION, payload);
      frame.writeUInt8(frame.readUInt8(0) & 0x7f, 0);
      stream.write(frame);
    },
    close: (code, reason = "") => {
      const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
      payload.writeUInt16BE(code);
      payload.write(reason, 2);
      stream.end(encodeFrame(CLOSE, payload));
    },
    destroy: async () => {
      await clients.haveRead(stream);
      await turns();
      stream.destroy();
    },
  };
}

/** Reads a client's frames, which are masked, and closes the connection when the client does. */
function readFrames(stream: Duplex, ignoreClose: boolean, onText: (text: string) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let frame = takeFrame(rest); frame; frame = takeFrame(rest)) {
      rest = rest.subarray(frame.length);
      if (frame.opcode === TEXT) onText(frame.payload.toString());
      else if (frame.opcode === CLOSE && !ignoreClose) stream.end(encodeFrame(CLOSE, frame.payload));
    }
  });
}
