/**
 * Captures the TCP socket of a WebSocket in Node.js, because the standard interface cannot end a connection whose
 * server ignores the close frame. Node's WebSocket accepts a custom dispatcher (undici's documentation,
 * "WebSocketInit", 2026-11), and a dispatcher sees the socket when the protocol is switched.
 */

/** The methods of a `net.Socket` that are used. */
export interface TcpSocket {
  destroy(): unknown;
  unref(): unknown;
  on(event: "data", listener: (data: Uint8Array) => void): unknown;
}

interface DispatchHandler {
  onUpgrade?(status: number, headers: unknown, socket: TcpSocket): unknown;
  onRequestUpgrade?(controller: unknown, status: number, headers: unknown, socket: TcpSocket): unknown;
}

interface Dispatcher {
  dispatch(options: DispatchOptions, handler: DispatchHandler): unknown;
}

interface DispatchOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The platform offers to take compressed messages, and unpacks a message whole, whatever its size: two megabytes were two
 * gigabytes. So it is not offered, and a server that compresses nevertheless is refused.
 */
const EXTENSIONS = "sec-websocket-extensions";

/** The key of undici's global dispatcher, which an application may have replaced, for example for an HTTP proxy. */
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/** Returns options for `new WebSocket` that report the TCP socket; empty on platforms other than Node.js. */
export function captureTcpSocket(onSocket: (socket: TcpSocket) => void): { dispatcher?: Dispatcher } {
  const dispatcher: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  if (!isDispatcher(dispatcher)) return {};
  const dispatch: Dispatcher["dispatch"] = (options, handler) => {
    const { [EXTENSIONS]: _offered, ...headers } = options.headers ?? {};
    return dispatcher.dispatch({ ...options, headers }, watch(handler, onSocket));
  };
  return { dispatcher: { dispatch } };
}

/** Wraps a handler to report the socket. Supports both interfaces that undici has had. */
function watch(handler: DispatchHandler, onSocket: (socket: TcpSocket) => void): DispatchHandler {
  const watched: DispatchHandler = Object.create(handler);
  if (handler.onUpgrade)
    watched.onUpgrade = (status, headers, socket) => {
      onSocket(socket);
      refuseExtensions(headers, socket);
      return handler.onUpgrade?.call(watched, status, headers, socket);
    };
  if (handler.onRequestUpgrade)
    watched.onRequestUpgrade = (controller, status, headers, socket) => {
      onSocket(socket);
      refuseExtensions(headers, socket);
      return handler.onRequestUpgrade?.call(watched, controller, status, headers, socket);
    };
  return watched;
}

/** @param headers names and values one after the other, as bytes, or an object */
function refuseExtensions(headers: unknown, socket: TcpSocket): void {
  const names = Array.isArray(headers) ? headers : Object.keys(Object(headers));
  if (names.some((name) => String(name).toLowerCase() === EXTENSIONS)) socket.destroy();
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === "object" && value !== null && "dispatch" in value && typeof value.dispatch === "function";
}
