/**
 * A WebSocket whose text messages are pulled, as the body of an HTTP answer is. Uses the global `WebSocket`: Node, Deno
 * and Bun let it send headers (undici's documentation, "WebSocketInit", 2026-11). A browser's own can send none and
 * refuses to be made so, which ends as a failed connection.
 */
import { NetworkError, type PiError, ProtocolError } from "../errors.js";
import { startTimer } from "../utils/duration.js";
import { MAX_EVENT_LENGTH } from "../wire/sse.js";
import { captureTcpSocket, type TcpSocket } from "./tcp-socket-capture.js";

/**
 * Most text that waits to be read, in characters. Nothing can stop a server that sends on over a WebSocket, so a reader
 * who is this far behind loses the connection.
 */
const MAX_UNREAD_LENGTH = 16 * 1024 * 1024;

/** How long a server may take to close its side before the connection is cut, in milliseconds. */
const CLOSE_GRACE_MS = 500;

export interface WebSocketTarget {
  url: string;
  headers: Record<string, string>;
  /** Ends the attempt to connect; afterwards it is no longer looked at. */
  signal: AbortSignal;
  /** Bound on connecting, in milliseconds. */
  timeoutMs: number;
}

/** What is used of a connection. */
export interface TextSocket {
  /** Whether messages can be sent. */
  readonly isOpen: boolean;
  /** @throws NetworkError when the connection is gone */
  send(text: string): void;
  /** The next message. Rejects with a `NetworkError` when the connection is gone, after the last message. */
  read(): Promise<string>;
  /** Forgets what came and was not read. */
  dropUnread(): void;
  /** Called once, at once where the connection is gone already. */
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
      socket.addEventListener("open", () => resolve());
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
    // The types are a browser's, where the second argument cannot hold headers.
    const Socket = globalThis.WebSocket as unknown as new (url: string, init: { headers: object }) => WebSocket;
    const socket = new Socket(url, { headers, ...captureTcpSocket(onConnection) });
    socket.binaryType = "arraybuffer";
    return socket;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NetworkError(`WebSocket error: ${reason}`, { cause });
  }
}

class EventedSocket implements TextSocket {
  readonly #socket: WebSocket;
  readonly #connection: () => TcpSocket | undefined;
  readonly #unread: string[] = [];
  #unreadLength = 0;
  readonly #closeListeners: (() => void)[] = [];
  #reader: { resolve: (text: string) => void; reject: (error: PiError) => void } | undefined;
  #failure: PiError | undefined;

  /** @param connection the TCP socket, where the platform shows it */
  constructor(socket: WebSocket, connection: () => TcpSocket | undefined) {
    this.#socket = socket;
    this.#connection = connection;
    socket.addEventListener("message", (event) => this.#take(event.data));
    socket.addEventListener("error", (event) => this.#fail(describeError(event)));
    socket.addEventListener("close", (event) => this.#fail(describeClose(event)));
  }

  get isOpen(): boolean {
    return this.#failure === undefined && this.#socket.readyState === 1;
  }

  /** Why the connection is gone. */
  get failure(): PiError | undefined {
    return this.#failure;
  }

  send(text: string): void {
    if (!this.isOpen) throw this.#failure ?? new NetworkError("WebSocket is not connected");
    this.#socket.send(text);
  }

  read(): Promise<string> {
    const next = this.#unread.shift();
    if (next !== undefined) {
      this.#unreadLength -= next.length;
      return Promise.resolve(next);
    }
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  dropUnread(): void {
    this.#unread.length = 0;
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
      // A connection that cannot be closed is gone.
    }
    this.#cutAfterGrace();
  }

  /** A server may ignore the close frame. Neither it nor the wait for it keeps the process alive. */
  #cutAfterGrace(): void {
    const connection = this.#connection();
    if (!connection || this.#socket.readyState === WebSocket.CLOSED) return;
    connection.unref();
    const timer = setTimeout(() => connection.destroy(), CLOSE_GRACE_MS);
    timer.unref();
    this.#socket.addEventListener("close", () => clearTimeout(timer), { once: true });
  }

  #take(data: unknown): void {
    if (this.#failure) return;
    const text = typeof data === "string" ? data : data instanceof ArrayBuffer ? new TextDecoder().decode(data) : "";
    if (text.length > MAX_EVENT_LENGTH) this.#refuse(`A message is longer than ${MAX_EVENT_LENGTH} characters`);
    else if (this.#reader) {
      const { resolve } = this.#reader;
      this.#reader = undefined;
      resolve(text);
    } else if (this.#unreadLength > MAX_UNREAD_LENGTH) {
      this.#refuse(`More than ${MAX_UNREAD_LENGTH} characters wait to be read`);
    } else {
      this.#unread.push(text);
      this.#unreadLength += text.length;
    }
  }

  #refuse(reason: string): void {
    this.#fail(new ProtocolError(reason, { retryable: false }));
    this.close();
  }

  /** What came before the end may still be read. */
  #fail(failure: PiError): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#reader?.reject(failure);
    this.#reader = undefined;
    for (const listener of this.#closeListeners.splice(0)) listener();
  }
}

function describeError(event: Event): NetworkError {
  // Node's events carry the error; a browser's say nothing.
  const { error, message } = event as Event & { error?: unknown; message?: unknown };
  const reason = typeof message === "string" && message !== "" ? message : error instanceof Error ? error.message : "";
  return new NetworkError(reason === "" ? "WebSocket error" : `WebSocket error: ${reason}`, { cause: error });
}

function describeClose({ code, reason }: CloseEvent): NetworkError {
  return new NetworkError(`WebSocket closed${code ? ` ${code}` : ""}${reason ? ` ${reason}` : ""}`);
}
