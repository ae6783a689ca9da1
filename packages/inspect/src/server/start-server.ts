/** The server of the page, and the files that it serves. It listens on 127.0.0.1 only, and every address has a secret token. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Forks } from "../fork/forks.js";
import type { RunStore } from "../record/run-store.js";
import { refuse, respond, runCommand } from "./api.js";
import { ChangeFeed } from "./change-feed.js";

/** The page loads from this server only, runs no inline scripts or styles, and cannot parse text as markup. */
export const POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const MARKUP = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>pi-inspect</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="base.css">
<link rel="stylesheet" href="parts.css">
<link rel="stylesheet" href="page.css">
<link rel="stylesheet" href="forks.css">
<script type="module" src="page.js"></script>
</head>
<body></body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="5" fill="#1f5fd1"/></svg>`;

export interface Asset {
  type: string;
  body: string | Buffer;
}

/** The files of the page by their names. The markup has the empty name. */
export type Assets = ReadonlyMap<string, Asset>;

const TYPES = {
  "page.js": "text/javascript; charset=utf-8",
  "base.css": "text/css; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "parts.css": "text/css; charset=utf-8",
  "forks.css": "text/css; charset=utf-8",
};

/** @param folder contains the script and the styles */
export async function loadAssets(folder: URL): Promise<Assets> {
  const assets = new Map<string, Asset>([
    ["", { type: "text/html; charset=utf-8", body: MARKUP }],
    ["icon.svg", { type: "image/svg+xml", body: ICON }],
  ]);
  for (const [name, type] of Object.entries(TYPES))
    assets.set(name, { type, body: await readFile(new URL(name, folder)) });
  return assets;
}

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
  port?: number | undefined;
  /** Whether the server keeps the process alive. Default true. */
  keepAlive?: boolean | undefined;
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
    } catch (error) {
      // A path such as `%`, or an address that is none.
      if (error instanceof URIError || error instanceof TypeError)
        send(response, 400, "application/json", '{"error":"Not an address"}');
      else send(response, 500, "text/plain", "The request failed");
    }
  });

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const [, given = "", ...path] = pathname.split("/");
    // DNS rebinding: a page of another host could otherwise reach this server under the name of its own host.
    const isLocal = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? "");
    if (!isLocal || !isEqual(given, token)) {
      send(response, 404, "text/plain", "Not found");
      return;
    }
    path.forEach(decodeURIComponent);
    if (request.method === "POST" && path[0] === "api") void command(request, response, path.slice(1));
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
