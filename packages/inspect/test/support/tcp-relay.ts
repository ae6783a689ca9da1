/** Forwards connections from a page to its server, so that a test can cut them and listen again at the same address. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export class TcpRelay {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  /** The port on 127.0.0.1. It stays the same after a cut. */
  port = 0;

  static async to(target: number): Promise<TcpRelay> {
    const relay = new TcpRelay(target);
    await relay.listen();
    return relay;
  }

  private constructor(target: number) {
    this.#target = target;
  }

  async listen(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.#target, "127.0.0.1");
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    this.#server = server;
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    this.port = typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  /** Closes every connection and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
