/**
 * `fetch` through the proxy that the environment asks for. The global `fetch` knows no proxies unless the process was
 * started so; Node's agents do, and they keep the rules of `NO_PROXY` and of tunnels.
 */
import { proxyVariablesFor } from "../env/http-proxy.js";
import { ConfigError } from "../errors.js";

/** Agents read `proxyEnv` from these versions on (Node.js documentation, "Built-in proxy support", 2026-11). */
const FIRST_VERSIONS: Readonly<Record<number, number>> = { 22: 21, 24: 5 };

/** The global `fetch` where no proxy concerns the address. Does not follow redirects. */
export const proxyFetch: typeof globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const proxyEnv = proxyVariablesFor(url);
  if (!proxyEnv) return globalThis.fetch(input, init);
  if (!canUseProxies(process.versions.node)) {
    throw new ConfigError("HTTP proxies need Node.js 22.21, 24.5 or newer; or pass a fetch that knows the proxy");
  }
  const request = new Request(input, init);
  const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
  const { request: open, Agent } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const { Readable } = await import("node:stream");
  return new Promise<Response>((resolve, reject) => {
    const outgoing = open(url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      signal: request.signal,
      agent: new Agent({ proxyEnv: { ...proxyEnv } }),
    });
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      const { statusCode: status = 502, statusMessage: statusText = "" } = incoming;
      const content = NO_CONTENT.has(status) ? null : Readable.toWeb(incoming);
      // The same stream under the name that `Response` knows.
      resolve(
        new Response(content as ReadableStream | null, { status, statusText, headers: toHeaders(incoming.rawHeaders) }),
      );
    });
    outgoing.end(body);
  });
};

/** Answers that a `Response` refuses to give a body. */
const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

function canUseProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 24 || minor >= (FIRST_VERSIONS[major] ?? Number.POSITIVE_INFINITY);
}

function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? "", raw[at + 1] ?? "");
  return headers;
}
