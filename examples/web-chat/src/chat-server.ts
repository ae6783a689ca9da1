/** The server: serves the files of the page, and relays requests with the keys. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Model } from "pi-ai";
import { createProxyHandler, type ProxyUsage, toNodeListener } from "pi-ai/proxy-server";

export interface ChatServerOptions {
  /** The folder of the built page. */
  folder: string;
  model: Model;
  note: string;
  /** A product would have a token for each session of a user. */
  token: string;
  port?: number;
  onUsage?: (usage: ProxyUsage) => void;
}

export interface ChatServer {
  url: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** Rejects other host names, because the page contains a token and anyone can point a name at this address. */
const NAMES = ["127.0.0.1", "localhost"];

/** Forbids other hosts, inline code and `eval`. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const { model, token, port = 0, onUsage } = options;
  const relay = createProxyHandler({
    authorize: token,
    allowModels: [`${model.provider}/${model.id}`],
    getModel: (provider, id) => (provider === model.provider && id === model.id ? model : undefined),
    ...(onUsage ? { onUsage } : {}),
    onError: (error) => console.error(error),
  });
  const server = createServer(
    toNodeListener((request) => {
      if (!NAMES.includes(new URL(request.url).hostname)) return new Response("Not here", { status: 421 });
      return request.method === "GET" ? serveFile(request, options) : relay(request);
    }),
  );
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this type, not a string.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => close(server) };
}

async function serveFile(request: Request, options: ChatServerOptions): Promise<Response> {
  const { pathname } = new URL(request.url);
  const name = pathname === "/" ? "index.html" : pathname.slice(1);
  const type = TYPES[extname(name)];
  // The folder is flat, so a name with a slash cannot be right.
  if (!type || !/^[\w.-]+$/.test(name)) return new Response("Not found", { status: 404 });
  try {
    const text = await readFile(join(options.folder, name), "utf8");
    const body = name === "index.html" ? text.replace("{}", () => settingsOf(options)) : text;
    return new Response(body, {
      headers: { "content-type": type, "content-security-policy": POLICY, "cache-control": "no-store" },
    });
  } catch {
    return new Response("Not found", { status: 404 });
  }
}

/** The settings of the page. The model's address and headers stay on the server. */
function settingsOf({ model, token, note }: ChatServerOptions): string {
  const { headers: _, ...known } = model;
  return JSON.stringify({ token, note, model: { ...known, baseUrl: "" } }).replaceAll("<", "\\u003c");
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
