/**
 * A server that misbehaves on purpose: a raw TCP server on 127.0.0.1 that reads HTTP/1.1 requests (and the opening of a
 * WebSocket) and lets a script write every byte of the response. Each exchange has its own address.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { turns } from "../../../../test/support/patience.js";
import { ClientSockets } from "../support/client-sockets.js";
import type { FaultRequest } from "./fault-request.js";
import { readRequests } from "./read-requests.js";

/** Defines how the server responds to one request. Over a WebSocket a request is a message. */
export type FaultScript = (wire: FaultWire) => void | Promise<void>;

const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

interface Connection {
  socket: Socket;
  isWebSocket: boolean;
  clients: ClientSockets;
}

/** The server's side of one request. */
export class FaultWire {
  readonly request: FaultRequest;
  readonly socket: Socket;
  readonly isWebSocket: boolean;
  readonly #clients: ClientSockets;
  #complete = false;

  constructor(request: FaultRequest, { socket, isWebSocket, clients }: Connection) {
    this.request = request;
    this.socket = socket;
    this.isWebSocket = isWebSocket;
    this.#clients = clients;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  /** Marks the response as complete, so that the client may keep the connection. */
  get isComplete(): boolean {
    return this.#complete;
  }

  markComplete(): void {
    this.#complete = true;
  }

  /** Writes bytes unchanged. Resolves when the client has read them, with false if it is gone. */
  async send(bytes: Uint8Array | string): Promise<boolean> {
    if (!this.isOpen) return false;
    if (!this.socket.write(bytes)) await this.#drained();
    await nextTurn();
    await this.#clients.haveRead(this.socket);
    return this.isOpen;
  }

  /** Resolves when the connection is closed. */
  async left(): Promise<void> {
    if (!this.socket.destroyed) await new Promise<void>((resolve) => this.socket.once("close", () => resolve()));
  }

  /** Resolves early if the client leaves. */
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

  /** Resolves when the buffers on the way have room again or the client is gone, after at most `ms`. */
  async drained(ms: number): Promise<void> {
    if (!this.socket.writableNeedDrain) return;
    const over = new AbortController();
    await Promise.race([this.#drained(over.signal), this.wait(ms)]);
    over.abort();
  }

  /** Sends RST, which discards what the client has not handled yet. */
  async reset(): Promise<void> {
    await turns();
    this.socket.resetAndDestroy();
  }

  /** Sends FIN. */
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

/** The scripts of one request, and what was observed. */
export class FaultExchange {
  readonly name: string;
  readonly url: string;
  readonly requests: FaultRequest[] = [];
  readonly wires: FaultWire[] = [];
  /** A WebSocket stays open when the client has sent its close frame. */
  ignoresClose = false;
  readonly #scripts: readonly FaultScript[];
  #served: () => void = () => {};
  /** Resolves when the script of the last request is over. */
  readonly served: Promise<void>;

  constructor(name: string, url: string, scripts: readonly FaultScript[]) {
    this.name = name;
    this.url = url;
    this.#scripts = scripts;
    this.served = new Promise((resolve) => {
      this.#served = resolve;
    });
  }

  /** Plays the next script, or repeats the last one. */
  async response(wire: FaultWire): Promise<void> {
    this.wires.push(wire);
    const script = this.#scripts[Math.min(this.requests.push(wire.request), this.#scripts.length) - 1];
    await script?.(wire);
    if (this.requests.length >= this.#scripts.length) this.#served();
  }

  /** The number of open connections with an incomplete response: the client has to close them. */
  get dangling(): number {
    return this.wires.filter((wire) => !wire.isComplete && !wire.socket.destroyed).length;
  }
}

export class FaultServer {
  readonly #sockets = new Set<Socket>();
  readonly #exchanges = new Map<string, FaultExchange>();
  readonly #clients = new ClientSockets();
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

  /** Prepares scripts. The exchange's `url` is the base URL for requests. */
  expect(...scripts: FaultScript[]): FaultExchange {
    const name = `call-${++this.#count}`;
    const exchange = new FaultExchange(name, `http://127.0.0.1:${this.port}/${name}`, scripts);
    this.#exchanges.set(name, exchange);
    return exchange;
  }

  /** Forgets everything about a request, for tests that measure memory. */
  forget(exchange: FaultExchange): void {
    this.#exchanges.delete(exchange.name);
  }

  /**
   * Open connections that were used. Node's fetch opens a new connection for each one that it had to break off, and
   * closes it some seconds later without using it.
   */
  get openSockets(): number {
    return [...this.#sockets].filter((socket) => socket.bytesRead > 0).length;
  }

  /** The number of connections ever opened. */
  get connections(): number {
    return this.#connections;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    this.#clients[Symbol.dispose]();
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
    // Many responses may wait on a connection that is reused.
    socket.setMaxListeners(0);
    const clients = this.#clients;
    let exchange: FaultExchange | undefined;
    readRequests(socket, {
      onRequest: (request) => {
        exchange = this.#exchanges.get(request.path.split("/")[1] ?? "");
        if (request.headers["upgrade"] === "websocket") return acceptWebSocket(request, socket);
        void exchange?.response(new FaultWire(request, { socket, clients, isWebSocket: false }));
        return false;
      },
      onMessage: (request) => void exchange?.response(new FaultWire(request, { socket, clients, isWebSocket: true })),
      onClose: () => {
        if (!exchange?.ignoresClose) socket.end();
      },
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
