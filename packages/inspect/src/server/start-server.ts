/** The server of the page. It listens on 127.0.0.1 only, and every address contains a secret token. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Forks } from "../fork/forks.js";
import type { RunStore } from "../record/run-store.js";
import { respond } from "./api.js";
import { type Assets, POLICY } from "./assets.js";
import { ChangeFeed } from "./change-feed.js";
import { refuse, runCommand } from "./commands.js";

/** A running server. */
export interface InspectServer {
  /** The address of the page, with the token. Whoever has it can read everything that the page shows. */
  url: string;
  /** Stops all forks and the server. Resolves when all connections are closed. */
  close(): Promise<void>;
}

export interface ServerOptions {
  store: RunStore;
  assets: Assets;
  /** Default 0: any free port. */
  port?: number;
  /** Whether the server keeps the process alive. Default true. */
  keepAlive?: boolean;
}

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

export async function startServer({
  store,
  assets,
  port = 0,
  keepAlive = true,
}: ServerOptions): Promise<InspectServer> {
  const token = randomBytes(16).toString("hex");
  const feed = new ChangeFeed(store);
  const forks = new Forks(store);
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    try {
      handle(request, response);
    } catch {
      send(response, 500, "text/plain", "The request failed");
    }
  });

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const [, given = "", ...path] = pathname.split("/");
    // DNS rebinding: a page of another host could otherwise reach this server under the name of its own host.
    const isLocal = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? "");
    if (!isLocal || !isEqual(given, token)) send(response, 404, "text/plain", "Not found");
    else if (request.method === "POST" && path[0] === "api") void command(request, response, path.slice(1));
    else if (request.method !== "GET") send(response, 405, "text/plain", "Only GET is allowed");
    else serve(response, path, searchParams);
  }

  async function command(request: IncomingMessage, response: ServerResponse, path: string[]): Promise<void> {
    const refused = refuse(request);
    const { status, value } = refused ?? (await runCommand(request, { store, forks, path }));
    // The rest of a body that is too large is not read, so the connection cannot be used again.
    if (!request.complete) response.setHeader("connection", "close");
    send(response, status, "application/json", JSON.stringify(value));
  }

  function serve(response: ServerResponse, path: readonly string[], query: URLSearchParams): void {
    const asset = path.length === 1 ? assets.get(path[0] ?? "") : undefined;
    if (path.join("/") === "api/changes") feed.open(response);
    else if (path[0] === "api") {
      respond(store, path.slice(1).map(decodeURIComponent), query).then(
        (value) => send(response, value === undefined ? 404 : 200, "application/json", JSON.stringify(value ?? null)),
        () => send(response, 500, "text/plain", "The request failed"),
      );
    } else if (asset) send(response, 200, asset.type, asset.body);
    else send(response, 404, "text/plain", "Not found");
  }

  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  if (!keepAlive) server.unref();
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port");
  return {
    url: `http://127.0.0.1:${address.port}/${token}/`,
    close: async () => {
      forks.close();
      feed.close();
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { "content-type": type });
  response.end(body);
}

function isEqual(given: string, token: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
