/**
 * `fetch` through the HTTP proxy of the environment. The global `fetch` ignores HTTP proxies unless the process was
 * started with an option for them. The HTTP agents of Node.js support them, including `NO_PROXY` and tunnels.
 */
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
      // The types of Node.js and of `Response` name the same stream class differently.
      resolve(
        new Response(content as ReadableStream | null, { status, statusText, headers: toHeaders(incoming.rawHeaders) }),
      );
    });
    outgoing.end(body);
  });
};

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
    return proxy?.password ? [proxy.password, decode(proxy.password)] : [];
  });
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
