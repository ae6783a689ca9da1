/**
 * `fetch` through the HTTP proxy of the environment. The global `fetch` ignores HTTP proxies unless the process was
 * started with an option for them. The HTTP agents of Node.js support them, including `NO_PROXY` and tunnels.
 */
import type { Agent } from "node:http";
import type { Socket } from "node:net";
import { type Environment, processEnvironment } from "../catalogue/index.js";
import { ConfigError } from "../errors.js";
import { directFetch } from "./direct-fetch.js";

/** Agents read `proxyEnv` from these versions on (Node.js documentation, "Built-in proxy support", 2026-11). */
const FIRST_VERSIONS: Readonly<Record<number, number>> = { 22: 21, 24: 5 };

/** Calls the global `fetch` for URLs without an HTTP proxy. Does not follow redirects through an HTTP proxy. */
export const httpProxyFetch: typeof globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const proxyEnv = httpProxyVariablesFor(url);
  if (!proxyEnv) return directFetch(input, init);
  if (!canUseHttpProxies(process.versions.node)) {
    throw new ConfigError(
      "HTTP proxies need Node.js 22.21, 24.5 or newer, or a fetch of your own that uses the HTTP proxy",
    );
  }
  const request = new Request(input, init);
  const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
  const { request: open, Agent: HttpAgent } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const { Readable } = await import("node:stream");
  request.signal.throwIfAborted();
  const { agent, close } = guardConnections(new HttpAgent({ proxyEnv: { ...proxyEnv } }));
  return new Promise<Response>((resolve, reject) => {
    const headers = Object.fromEntries(request.headers);
    const outgoing = open(url, { method: request.method, headers, signal: request.signal, agent });
    // An error that is thrown in an event would end the process.
    const fail = (error: Error): void => {
      outgoing.destroy();
      close();
      // No redaction reads the bytes of the proxy's answer.
      Reflect.deleteProperty(error, "rawPacket");
      reject(error);
    };
    outgoing.on("error", fail);
    // Node.js does not end a request that still waits for its tunnel.
    request.signal.addEventListener("abort", () => fail(request.signal.reason), { once: true });
    outgoing.on("upgrade", () => fail(new TypeError("The server or its HTTP proxy switched to another protocol")));
    outgoing.on("response", (incoming) => {
      const { statusCode: status = 0, rawHeaders } = incoming;
      if (status < 200 || status > 599)
        return fail(
          new TypeError(`The server or its HTTP proxy answered with the status ${status}, which does not exist`),
        );
      // The types of Node.js and of `Response` name the same stream class differently.
      const content = NO_CONTENT.has(status) ? null : (Readable.toWeb(incoming) as ReadableStream);
      if (!content) incoming.resume();
      // Other characters are none of a reason.
      const statusText = (incoming.statusMessage ?? "").replace(/[^\t -~\x80-\xff]/g, "");
      resolve(new Response(content, { status, statusText, headers: toHeaders(rawHeaders) }));
    });
    outgoing.end(body);
  });
};

/** The most bytes before a tunnel, as of the headers of a response (Node.js, `--max-http-header-size`). */
const MAX_ANSWER = 16_384;

/**
 * Bounds what a proxy answers before it is a tunnel. Node.js 24.21 keeps it without end, and listens twice as often after each
 * piece, so that thirty pieces hold the process for ever (`establishTunnel` of lib/https.js, 2026-11). Nor does it close the
 * connection when the request is aborted.
 */
function guardConnections(agent: Agent): { agent: Agent; close(): void } {
  const sockets: Socket[] = [];
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args) as Socket; // As Node.js creates it.
    sockets.push(socket);
    const listen = socket.on.bind(socket);
    const endIfTooLong = (): void => {
      if (socket.bytesRead > MAX_ANSWER) socket.destroy(new TypeError("The HTTP proxy answered with too long headers"));
    };
    // Nothing but the function that reads the answer listens to this event.
    socket.on = (name: string, listener: (...values: never[]) => void) => {
      if (name !== "readable") return listen(name, listener as () => void);
      if (socket.listenerCount(name) > 0) return socket;
      listen(name, endIfTooLong);
      return listen(name, listener as () => void);
    };
    return socket;
  };
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return { agent, close };
}

/** Statuses for which the `Response` constructor rejects a body. */
const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

function canUseHttpProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 24 || minor >= (FIRST_VERSIONS[major] ?? Number.POSITIVE_INFINITY);
}

function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? "", raw[at + 1] ?? "");
  return headers;
}

/** The variables in the form that the HTTP agents of Node.js accept. */
interface HttpProxyVariables {
  HTTP_PROXY?: string;
  HTTPS_PROXY?: string;
  NO_PROXY?: string;
}

/**
 * Returns the HTTP proxy variables for a URL; undefined if there are none. The agent applies `NO_PROXY`.
 *
 * @throws ConfigError for a proxy that is not an HTTP proxy
 */
export function httpProxyVariablesFor(
  url: URL,
  environment: Environment = processEnvironment,
): HttpProxyVariables | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const httpProxy = eitherCase(name, environment);
  if (httpProxy === undefined) return undefined;
  // The URL of a proxy may contain a password, so the error text only names the variable.
  if (!/^https?:$/.test(URL.parse(httpProxy)?.protocol ?? "")) {
    throw new ConfigError(
      `${name} is not the address of an HTTP proxy (http:// or https://); SOCKS and PAC are not supported`,
    );
  }
  const exceptions = eitherCase("NO_PROXY", environment);
  return { [name]: httpProxy, ...(exceptions === undefined ? {} : { NO_PROXY: exceptions }) };
}

/** The passwords of the HTTP proxies of the environment: a proxy that refuses may quote its own. */
export function httpProxySecrets(): string[] {
  return ["HTTPS_PROXY", "HTTP_PROXY"].flatMap((name) => {
    const proxy = URL.parse(eitherCase(name, processEnvironment) ?? "");
    if (!proxy?.password) return [];
    const [user, password] = [decode(proxy.username), decode(proxy.password)];
    // The header that the proxy gets, beside the password.
    return [proxy.password, password, toBase64(`${user}:${password}`)];
  });
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The lower-case name has precedence, as in curl. */
function eitherCase(name: string, environment: Environment): string | undefined {
  return environment.get(name.toLowerCase()) ?? environment.get(name);
}
