/**
 * Gets hold of the TCP socket under a WebSocket of Node. The standard interface has no way to end a connection whose
 * server ignores the close frame. Node's WebSocket takes the dispatcher that opens its connection (undici's
 * documentation, "WebSocketInit", 2026-11), and a dispatcher sees the socket when the protocol is switched.
 */

/** The part of a `net.Socket` that is used. */
export interface TcpSocket {
  destroy(): unknown;
  unref(): unknown;
}

interface DispatchHandler {
  onUpgrade?(status: number, headers: unknown, socket: TcpSocket): unknown;
  onRequestUpgrade?(controller: unknown, status: number, headers: unknown, socket: TcpSocket): unknown;
}

interface Dispatcher {
  dispatch(options: unknown, handler: DispatchHandler): unknown;
}

/** Where undici keeps the dispatcher of `fetch`, which an application may have replaced, by one for HTTP proxies too. */
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/** Options for `new WebSocket` that hand over the TCP socket; empty where the platform is not Node. */
export function captureTcpSocket(onSocket: (socket: TcpSocket) => void): { dispatcher?: Dispatcher } {
  const dispatcher: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  if (!isDispatcher(dispatcher)) return {};
  const dispatch: Dispatcher["dispatch"] = (options, handler) => dispatcher.dispatch(options, watch(handler, onSocket));
  return { dispatcher: { dispatch } };
}

/** The handler with all its methods and fields, of which one also reports the socket. Undici has had two interfaces. */
function watch(handler: DispatchHandler, onSocket: (socket: TcpSocket) => void): DispatchHandler {
  const watched: DispatchHandler = Object.create(handler);
  if (handler.onUpgrade)
    watched.onUpgrade = (status, headers, socket) => {
      onSocket(socket);
      return handler.onUpgrade?.call(watched, status, headers, socket);
    };
  if (handler.onRequestUpgrade)
    watched.onRequestUpgrade = (controller, status, headers, socket) => {
      onSocket(socket);
      return handler.onRequestUpgrade?.call(watched, controller, status, headers, socket);
    };
  return watched;
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === "object" && value !== null && "dispatch" in value && typeof value.dispatch === "function";
}
