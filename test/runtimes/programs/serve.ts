/** Starts the server of each runtime. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type RequestHandler, toNodeListener } from "pi-ai/proxy-server";

export interface Served {
  port: number;
  close(): Promise<unknown>;
}

export type Serve = (handler: RequestHandler) => Promise<Served>;

/** The parts of both APIs that are used here. */
interface Runtimes {
  Bun?: {
    serve(options: { port: number; hostname: string; fetch: RequestHandler }): {
      port: number;
      stop(force: boolean): Promise<void>;
    };
  };
  Deno?: {
    serve(
      options: { port: number; hostname: string; onListen: () => void },
      handler: RequestHandler,
    ): { addr: { port: number }; shutdown(): Promise<void> };
  };
}

// Both define these globals.
const { Bun, Deno } = globalThis as Runtimes;

/** The runtime's own server, with its defaults. */
export const serve: Serve = async (handler) => {
  if (Bun) {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => handler(request) });
    return { port: server.port, close: () => server.stop(true) };
  }
  if (Deno) {
    const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    const server = Deno.serve(options, (request) => handler(request));
    return { port: server.addr.port, close: () => server.shutdown() };
  }
  return serveByNode(handler);
};

export const serveByNode: Serve = async (handler) => {
  const server = createServer(toNodeListener(handler));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
