/** The sockets that this process opens as a client. A test server in the same process waits for what they have read. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

const CHANNEL = "net.client.socket";

export class ClientSockets implements Disposable {
  readonly #byPort = new Map<number, Socket>();
  readonly #watch = (message: unknown): void => {
    // Node publishes the new socket (documentation of node:diagnostics_channel, 2026-11).
    const { socket } = message as { socket: Socket };
    let port: number | undefined;
    socket.once("connect", () => {
      port = socket.localPort;
      if (port !== undefined) this.#byPort.set(port, socket);
    });
    socket.once("close", () => port !== undefined && this.#byPort.delete(port));
  };

  constructor() {
    subscribe(CHANNEL, this.#watch);
  }

  /**
   * Resolves when the client has read all that was written to it, or one of the two is gone. A turn of the event loop is not
   * enough: on a busy machine the bytes need longer to the other socket. Resolves at once for a client in another process.
   *
   * @param socket the server's side of the connection
   */
  async haveRead(socket: Socket): Promise<void> {
    const client = this.#byPort.get(socket.remotePort ?? 0);
    while (client && !client.destroyed && !socket.destroyed && isUnderWay(socket, client)) await nextTurn();
  }

  [Symbol.dispose](): void {
    unsubscribe(CHANNEL, this.#watch);
  }
}

function isUnderWay(from: Socket, to: Socket): boolean {
  return from.writableLength > 0 || to.bytesRead < from.bytesWritten;
}
