/**
 * A server on 127.0.0.1 for tests with real requests. It speaks HTTP/1.1, and HTTP/2 without TLS to clients that open
 * with its preface, on one port. Each exchange has its own address, so one server serves a whole file of tests.
 */
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import net, { type AddressInfo, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { turns } from "../../../../test/support/patience.js";
import { ClientSockets } from "./client-sockets.js";
import { Exchange, type PreparedResponse } from "./exchange.js";

type Request = http.IncomingMessage | http2.Http2ServerRequest;
type Response = http.ServerResponse | http2.Http2ServerResponse;

const HTTP2_PREFACE = "PRI * HTTP/2.0";

export class TestServer {
  readonly #sockets = new Set<Socket>();
  readonly #exchanges = new Map<string, Exchange>();
  readonly #clients = new ClientSockets();
  readonly #http1: http.Server = http.createServer((request, response) => void this.#respond(request, response));
  readonly #http2: http2.Http2Server = http2.createServer((request, response) => void this.#respond(request, response));
  readonly #listener: net.Server = net.createServer((socket) => this.#connect(socket));
  #count = 0;

  static async start(): Promise<TestServer> {
    const server = new TestServer();
    server.#http2.on("sessionError", () => {});
    // Only clients close connections: on a busy machine a request may cross with the server's own close.
    server.#http1.keepAliveTimeout = 0;
    server.#listener.listen(0, "127.0.0.1");
    await once(server.#listener, "listening");
    return server;
  }

  /** Prepares responses. The exchange's `url` is the base URL for requests. */
  expect(...responses: PreparedResponse[]): Exchange {
    // The type of `address()` covers pipes; this server listens on a port.
    const { port } = this.#listener.address() as AddressInfo;
    const name = `call-${++this.#count}`;
    const exchange = new Exchange(`http://127.0.0.1:${port}/${name}`, responses);
    this.#exchanges.set(name, exchange);
    return exchange;
  }

  /** Open connections. */
  get openSockets(): number {
    return this.#sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#http1.close();
    this.#http2.close();
    this.#listener.close();
    this.#clients[Symbol.dispose]();
    await once(this.#listener, "close");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #connect(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    socket.setNoDelay(true);
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      const isHttp2 = first.toString("latin1", 0, HTTP2_PREFACE.length) === HTTP2_PREFACE;
      const target: net.Server = isHttp2 ? this.#http2 : this.#http1;
      target.emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  }

  async #respond(request: Request, response: Response): Promise<void> {
    request.on("error", () => {});
    response.on("error", () => {});
    const [, name = "", path = ""] = /^\/([^/?]*)(.*)$/s.exec(request.url ?? "") ?? [];
    const exchange = this.#exchanges.get(name);
    if (!exchange) {
      response.statusCode = 404;
      response.end();
      return;
    }
    const body = await readBody(request);
    if (body === undefined) return exchange.noteLeft();
    const { method = "", headers } = request;
    const read = (): Promise<void> => this.#clients.haveRead(request.socket);
    await write(exchange.receive({ method, path, headers, body }), { response, exchange, read });
  }
}

/** Undefined if the client left while it was sending. */
async function readBody(request: Request): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString("utf8");
  } catch {
    return undefined;
  }
}

interface Writing {
  response: Response;
  exchange: Exchange;
  /** Resolves when the client has read what was written. */
  read: () => Promise<void>;
}

async function write(prepared: PreparedResponse, { response, exchange, read }: Writing): Promise<void> {
  const { status = 200, headers = {}, pieces, after = "end", burst = 1 } = prepared;
  // Node's two response classes share these methods but not their types.
  const out = response as http.ServerResponse;
  let open = true;
  out.on("close", () => {
    open = false;
    if (!out.writableFinished && after !== "break") exchange.noteLeft();
  });
  out.writeHead(status, headers);
  out.flushHeaders();
  for (const [index, piece] of pieces.entries()) {
    if (!open) return;
    if (!out.write(piece)) await drain(out);
    if ((index + 1) % burst !== 0) continue;
    await nextTurn();
    await read();
  }
  if (!open) return;
  if (after !== "end") await nextTurn();
  if (after !== "end") await read();
  if (after === "break") {
    await turns();
    if ("stream" in response) response.stream.destroy();
    else response.socket?.destroy();
  }
  if (after === "end") out.end();
  exchange.noteServed();
}

/** Waits until more can be written, or until nothing can be written any more. */
function drain(out: http.ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      out.off("drain", done);
      out.off("close", done);
      resolve();
    };
    out.on("drain", done);
    out.on("close", done);
  });
}
