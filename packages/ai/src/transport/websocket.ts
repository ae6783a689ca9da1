/**
 * A WebSocket whose text messages are pulled, like the body of an HTTP response. Uses the global `WebSocket`, which can
 * send headers in Node.js, Deno and Bun (undici's documentation, "WebSocketInit", 2026-11). In a browser it cannot, so
 * the connection fails.
 */
import { NetworkError, type PiError, ProtocolError } from "../errors.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { startTimer } from "../utils/duration.js";
import { Fifo } from "../utils/fifo.js";
import { MAX_EVENT_LENGTH } from "../wire/index.js";
import { captureTcpSocket, type TcpSocket } from "./tcp-socket.js";

/**
 * The maximum unread text, in characters. A WebSocket has no backpressure, so the connection is closed when its reader
 * falls this far behind.
 */
const MAX_UNREAD_LENGTH = 16 * 1024 * 1024;

/** The maximum bytes of one message. The platform keeps the fragments of a message until the last one arrives. */
const MAX_MESSAGE_BYTES = MAX_EVENT_LENGTH;

/** The time, in milliseconds, that a server has to close its side before the connection is destroyed. */
const CLOSE_GRACE_MS = 500;

export interface WebSocketTarget {
  url: string;
  headers: Record<string, string>;
  /** Ends the attempt to connect. Has no effect once connected. */
  signal: AbortSignal;
  /** Timeout for connecting, in milliseconds. */
  timeoutMs: number;
  /** The maximum bytes of one message. Default 64 Mi. */
  maxMessageBytes?: number;
}

/** A connection that sends and receives text. */
export interface TextSocket {
  /** Whether messages can be sent. */
  readonly isOpen: boolean;
  /** @throws NetworkError if the connection is closed */
  send(text: string): void;
  /** Returns the next message. Rejects with a `NetworkError` if the connection is closed and all messages were read. */
  read(): Promise<string>;
  /** Drops all unread messages. */
  dropUnread(): void;
  /** Calls the listener once when the connection closes, or now if it is closed. */
  onClose(listener: () => void): void;
  close(): void;
}

export async function connectWebSocket(target: WebSocketTarget): Promise<TextSocket> {
  const { url, headers, signal, timeoutMs } = target;
  signal.throwIfAborted();
  let connection: TcpSocket | undefined;
  const socket = createSocket(url, headers, (opened) => {
    connection = opened;
  });
  const text = new EventedSocket(socket, () => connection);
  let cancelTimeout: (() => void) | undefined;
  let onAbort: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => {
        text.watchFragments(target.maxMessageBytes ?? MAX_MESSAGE_BYTES);
        resolve();
      });
      text.onClose(() => reject(text.failure));
      cancelTimeout = startTimer(
        () => reject(new NetworkError(`WebSocket: no connection after ${timeoutMs} ms`)),
        timeoutMs,
      );
      onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort);
    });
    return text;
  } catch (error) {
    text.close();
    throw error;
  } finally {
    cancelTimeout?.();
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}

function createSocket(
  url: string,
  headers: Record<string, string>,
  onConnection: (connection: TcpSocket) => void,
): WebSocket {
  try {
    // The type is the browser's, whose second argument cannot contain headers.
    const Socket = globalThis.WebSocket as unknown as new (url: string, init: { headers: object }) => WebSocket;
    const socket = new Socket(url, { headers, ...captureTcpSocket(onConnection) });
    socket.binaryType = "arraybuffer";
    return socket;
  } catch (cause) {
    const reason = formatThrownValue(cause);
    throw new NetworkError(`WebSocket error: ${reason}`, { cause });
  }
}

class EventedSocket implements TextSocket {
  readonly #socket: WebSocket;
  readonly #connection: () => TcpSocket | undefined;
  readonly #unread = new Fifo<string>();
  #unreadLength = 0;
  /** The bytes since the last whole message. */
  #bytes = 0;
  readonly #closeListeners: (() => void)[] = [];
  #reader: { resolve: (text: string) => void; reject: (error: PiError) => void } | undefined;
  #failure: PiError | undefined;

  /** @param connection returns the TCP socket, if the platform exposes it */
  constructor(socket: WebSocket, connection: () => TcpSocket | undefined) {
    this.#socket = socket;
    this.#connection = connection;
    socket.addEventListener("message", (event) => this.#take(event.data));
    socket.addEventListener("error", (event) => this.#fail(describeError(event)));
    socket.addEventListener("close", (event) => this.#fail(describeClose(event)));
  }

  /** Bounds a message while it arrives. To be called once the platform reads from the connection. */
  watchFragments(maxBytes: number): void {
    this.#connection()?.on("data", ({ length }) => {
      this.#bytes += length;
      if (this.#bytes <= maxBytes || this.#failure) return;
      this.#refuse(`A message is longer than ${maxBytes} bytes`);
      // The platform would keep what still arrives before the close frame.
      this.#connection()?.destroy();
    });
  }

  get isOpen(): boolean {
    return this.#failure === undefined && this.#socket.readyState === 1;
  }

  /** Why the connection closed, if it did. */
  get failure(): PiError | undefined {
    return this.#failure;
  }

  send(text: string): void {
    if (!this.isOpen) throw this.#failure ?? new NetworkError("WebSocket is not connected");
    this.#socket.send(text);
  }

  read(): Promise<string> {
    const next = this.#unread.take();
    if (next !== undefined) {
      this.#unreadLength -= next.length + 1;
      return Promise.resolve(next);
    }
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  dropUnread(): void {
    this.#unread.clear();
    this.#unreadLength = 0;
  }

  onClose(listener: () => void): void {
    if (this.#failure) listener();
    else this.#closeListeners.push(listener);
  }

  close(): void {
    this.#fail(new NetworkError("WebSocket closed"));
    try {
      this.#socket.close();
    } catch {
      // It is already closed.
    }
    this.#cutAfterGrace();
  }

  /** Destroys the connection if the server ignores the close frame. The wait must not keep the process alive. */
  #cutAfterGrace(): void {
    const connection = this.#connection();
    if (!connection || this.#socket.readyState === WebSocket.CLOSED) return;
    connection.unref();
    const timer = setTimeout(() => connection.destroy(), CLOSE_GRACE_MS);
    timer.unref();
    this.#socket.addEventListener("close", () => clearTimeout(timer), { once: true });
  }

  #take(data: unknown): void {
    this.#bytes = 0;
    if (this.#failure) return;
    const text = typeof data === "string" ? data : data instanceof ArrayBuffer ? new TextDecoder().decode(data) : "";
    if (text.length > MAX_EVENT_LENGTH) this.#refuse(`A message is longer than ${MAX_EVENT_LENGTH} characters`);
    else if (this.#reader) {
      const { resolve } = this.#reader;
      this.#reader = undefined;
      resolve(text);
    } else if (this.#unreadLength > MAX_UNREAD_LENGTH) {
      this.#refuse(`More than ${MAX_UNREAD_LENGTH} characters are unread`);
    } else {
      this.#unread.push(text);
      // An empty message takes room, too.
      this.#unreadLength += text.length + 1;
    }
  }

  #refuse(reason: string): void {
    this.#fail(new ProtocolError(reason, { retryable: false }));
    this.close();
  }

  /** Messages that arrived before the failure can still be read. */
  #fail(failure: PiError): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#reader?.reject(failure);
    this.#reader = undefined;
    for (const listener of this.#closeListeners.splice(0)) listener();
  }
}

function describeError(event: Event): NetworkError {
  // Events of Node.js contain the error; those of browsers do not.
  const { error, message } = event as Event & { error?: unknown; message?: unknown };
  const reason = typeof message === "string" && message !== "" ? message : error instanceof Error ? error.message : "";
  return new NetworkError(reason === "" ? "WebSocket error" : `WebSocket error: ${reason}`, { cause: error });
}

function describeClose({ code, reason }: CloseEvent): NetworkError {
  return new NetworkError(`WebSocket closed${code ? ` ${code}` : ""}${reason ? ` ${reason}` : ""}`);
}
