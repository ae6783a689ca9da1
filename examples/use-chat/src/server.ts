/** Serves the page and the route. A framework does this for you. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Model } from "pi-ai";
import { toNodeListener } from "pi-ai/proxy-server";
import { createAgent } from "./agent.ts";
import { openApprovalState } from "./approval-state.ts";
import { type ChatRoute, createChatRoute } from "./chat-route.ts";
import { connectMcp } from "./mcp-server.ts";

export interface ServerOptions {
  model: Model;
  port?: number;
  /** Rolls one die. */
  roll?: (sides: number) => number;
  /** Where the secret and the used approvals are kept. Default: a temporary folder, which does not survive the server. */
  folder?: string;
  onPay?: (euros: number) => void;
}

export interface ChatServer {
  url: string;
  close(): Promise<void>;
}

const HTML = `<!doctype html><meta charset="utf-8"><title>useChat</title><div id="root"></div><script type="module" src="/page.js"></script>`;

export async function startServer(options: ServerOptions): Promise<ChatServer> {
  const { model, port = 0, roll = rollDie, onPay = () => {} } = options;
  const temporary = options.folder === undefined ? await mkdtemp(join(tmpdir(), "use-chat-")) : undefined;
  const approvalState = await openApprovalState(options.folder ?? temporary ?? "");
  const client = await connectMcp(roll);
  const parts = { model, client, approvalState, onPay };
  const server = await serve(
    createChatRoute((chat, messages) => createAgent(parts, chat, messages)),
    port,
  );
  return {
    url: server.url,
    async close(): Promise<void> {
      await Promise.all([server.close(), client.close()]);
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    },
  };
}

/** Serves the page, and a route for it. */
export async function serve(route: ChatRoute, port: number): Promise<ChatServer> {
  const script = await buildPage();
  const server = createServer(
    toNodeListener(async (request) => {
      const { pathname } = new URL(request.url);
      const { method } = request;
      if (pathname === "/") return respondWithPage(request);
      if (pathname === "/page.js") return new Response(script, { headers: { "content-type": "text/javascript" } });
      if (!pathname.startsWith("/api/chat") || !(method === "GET" || method === "POST" || method === "DELETE"))
        return new Response("Not found", { status: 404 });
      const visitor = findVisitor(request);
      return visitor === undefined
        ? new Response("Open the page first", { status: 401 })
        : route[method](request, visitor);
    }),
  );
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    // A server that listens on a port has an address of this type, not a string.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The visitor that the cookie names. A product has users and sessions. */
function findVisitor(request: Request): string | undefined {
  return /(?:^|; )visitor=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.get("cookie") ?? "")?.[1];
}

/** The cookie names the visitor: nobody can guess it, and no script of a page can read it. */
function respondWithPage(request: Request): Response {
  const headers = new Headers({ "content-type": "text/html" });
  if (findVisitor(request) === undefined)
    headers.set("set-cookie", `visitor=${crypto.randomUUID()}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`);
  return new Response(HTML, { headers });
}

async function buildPage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "page.tsx")],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    tsconfigRaw: {},
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

function rollDie(sides: number): number {
  return 1 + Math.floor(Math.random() * sides);
}
