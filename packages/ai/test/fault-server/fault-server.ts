/**
 * A server that misbehaves on purpose: a raw TCP server on 127.0.0.1 that reads HTTP/1.1 requests (and the opening of a
 * WebSocket) and leaves every byte of the answer to a script. Each exchange has an address of its own.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FaultRequest } from "./fault-request.js";
import { readRequests } from "./read-requests.js";

/** What a server does with one request. Over a WebSocket a request is a message. */
export type FaultScript = (wire: FaultWire) => void | Promise<void>;

const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The server's side of one request. */
export class FaultWire {
  readonly request: FaultRequest;
  readonly socket: Socket;
  readonly isWebSocket: boolean;
  #complete = false;

  constructor(request: FaultRequest, socket: Socket, isWebSocket: boolean) {
    this.request = request;
    this.socket = socket;
    this.isWebSocket = isWebSocket;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  /** The answer is whole, so the client may keep the connection. */
  get isComplete(): boolean {
    return this.#complete;
  }

  markComplete(): void {
    this.#complete = true;
  }

  /** Writes bytes as they are; the client has had a turn to read them when this resolves. False: the client is gone. */
  async send(bytes: Uint8Array | string): Promise<boolean> {
    if (!this.isOpen) return false;
    if (!this.socket.write(bytes)) await this.#drained();
    await nextTurn();
    return this.isOpen;
  }

  /** Resolves early where the client leaves. */
  async wait(ms: number): Promise<void> {
    if (!this.isOpen) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.socket.off("close", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.socket.on("close", done);
    });
  }

  /** The buffers on the way have room again, or the client is gone. At most `ms`. */
  async drained(ms: number): Promise<void> {
    if (!this.socket.writableNeedDrain) return;
    const over = new AbortController();
    await Promise.race([this.#drained(over.signal), this.wait(ms)]);
    over.abort();
  }

  /** RST. What was written and not read is lost on the way, so the client is given a moment to read it. */
  async reset(): Promise<void> {
    await this.wait(15);
    this.socket.resetAndDestroy();
  }

  /** FIN. */
  fin(): void {
    this.socket.end();
  }

  #drained(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.socket.off("drain", done);
        this.socket.off("close", done);
        resolve();
      };
      this.socket.on("drain", done);
      this.socket.on("close", done);
      signal?.addEventListener("abort", done);
    });
  }
}

/** The scripts for one call, and what was seen of it. */
export class FaultExchange {
  readonly name: string;
  readonly url: string;
  readonly requests: FaultRequest[] = [];
  readonly wires: FaultWire[] = [];
  readonly #scripts: readonly FaultScript[];
  #served: () => void = () => {};
  /** The script of the last request is over. */
  readonly served: Promise<void>;

  constructor(name: string, url: string, scripts: readonly FaultScript[]) {
    this.name = name;
    this.url = url;
    this.#scripts = scripts;
    this.served = new Promise((resolve) => {
      this.#served = resolve;
    });
  }

  /** Plays the next script, or the last one again. */
  async response(wire: FaultWire): Promise<void> {
    this.wires.push(wire);
    const script = this.#scripts[Math.min(this.requests.push(wire.request), this.#scripts.length) - 1];
    await script?.(wire);
    if (this.requests.length >= this.#scripts.length) this.#served();
  }

  /** How many connections are open whose answer is not whole: the client has to close them. */
  get dangling(): number {
    return this.wires.filter((wire) => !wire.isComplete && !wire.socket.destroyed).length;
  }
}

export class FaultServer {
  readonly #sockets = new Set<Socket>();
  readonly #exchanges = new Map<string, FaultExchange>();
  readonly #server: net.Server = net.createServer((socket) => this.#connect(socket));
  #count = 0;
  #connections = 0;

  static async start(): Promise<FaultServer> {
    const server = new FaultServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    // The type of `address()` covers pipes; this server listens on a port.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Prepares scripts; the exchange's `url` is the base URL to ask. */
  expect(...scripts: FaultScript[]): FaultExchange {
    const name = `call-${++this.#count}`;
    const exchange = new FaultExchange(name, `http://127.0.0.1:${this.port}/${name}`, scripts);
    this.#exchanges.set(name, exchange);
    return exchange;
  }

  /** Lets go of what is known of a call, for tests that look at memory. */
  forget(exchange: FaultExchange): void {
    this.#exchanges.delete(exchange.name);
  }

  /**
   * Connections that are open and were used. Node's fetch opens another for each that it had to break off, and lets it
   * go some seconds later, unused.
   */
  get openSockets(): number {
    return [...this.#sockets].filter((socket) => socket.bytesRead > 0).length;
  }

  /** Connections that there ever were. */
  get connections(): number {
    return this.#connections;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #connect(socket: Socket): void {
    this.#connections++;
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    socket.setNoDelay(true);
    // Many answers may wait on a connection that is used again and again.
    socket.setMaxListeners(0);
    let exchange: FaultExchange | undefined;
    readRequests(socket, {
      onRequest: (request) => {
        exchange = this.#exchanges.get(request.path.split("/")[1] ?? "");
        if (request.headers["upgrade"] === "websocket") return acceptWebSocket(request, socket);
        void exchange?.response(new FaultWire(request, socket, false));
        return false;
      },
      onMessage: (request) => void exchange?.response(new FaultWire(request, socket, true)),
    });
  }
}

function acceptWebSocket({ headers }: FaultRequest, socket: Socket): true {
  const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${ACCEPT_SUFFIX}`).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  return true;
}
