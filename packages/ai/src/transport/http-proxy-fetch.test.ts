import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bedrockConverseStream } from "../../test/protocols/bedrock-converse-stream/fixtures.js";
import { CALL_ENVIRONMENT } from "../../test/support/credentials.js";
import { createEnvironment } from "../catalogue/env/environment.js";
import { PiError } from "../errors.js";
import { stream } from "../index.js";
import { httpProxyFetch, httpProxySecrets, httpProxyVariablesFor } from "./http-proxy-fetch.js";

interface Proxy {
  url: string;
  /** The requests, with tunnels as `CONNECT host:port`. */
  seen: string[];
  response: { status: number; headers?: http.OutgoingHttpHeaders; pieces: readonly (string | Uint8Array)[] };
}

let proxy: Proxy;
let server: http.Server;

beforeEach(async () => {
  for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(CALL_ENVIRONMENT)) vi.stubEnv(name, value);
  proxy = { url: "", seen: [], response: { status: 200, pieces: ["through the proxy"] } };
  server = http.createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    proxy.seen.push(`${request.method} ${request.url} ${request.headers["x-mine"] ?? ""} ${body}`.trim());
    response.writeHead(proxy.response.status, proxy.response.headers);
    for (const piece of proxy.response.pieces) response.write(piece);
    response.end();
  });
  server.on("connect", (request, socket) => {
    proxy.seen.push(`CONNECT ${request.url}`);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is an object
});

afterEach(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

test("sends an http: request to the HTTP proxy, with method, headers and body", async () => {
  vi.stubEnv("HTTP_PROXY", proxy.url);
  proxy.response = { status: 418, headers: { "x-twice": ["a", "b"] }, pieces: ["tea", "pot"] };
  const init = { method: "POST", headers: { "x-mine": "yes" }, body: "hello" };
  const response = await httpProxyFetch("http://api.example.com/path?q=1", init);
  expect(proxy.seen).toEqual(["POST http://api.example.com/path?q=1 yes hello"]);
  expect(response.status).toBe(418);
  expect(response.headers.get("x-twice")).toBe("a, b");
  expect(await response.text()).toBe("teapot");
});

test("requests a tunnel for an https: request, and fails if the HTTP proxy rejects it", async () => {
  vi.stubEnv("https_proxy", proxy.url);
  await expect(httpProxyFetch("https://api.example.com/path", { method: "POST", body: "secret" })).rejects.toThrow();
  expect(proxy.seen).toEqual(["CONNECT api.example.com:443"]);
});

test("sends requests to hosts in NO_PROXY directly", async () => {
  vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1");
  vi.stubEnv("NO_PROXY", "localhost,127.0.0.1");
  expect(await (await httpProxyFetch(`${proxy.url}/direct`)).text()).toBe("through the proxy");
  expect(proxy.seen).toEqual(["GET /direct"]);
});

test("uses the global fetch without an HTTP proxy", async () => {
  expect(await (await httpProxyFetch(`${proxy.url}/direct`)).text()).toBe("through the proxy");
});

test("keeps empty responses empty, and does not follow redirects", async () => {
  vi.stubEnv("HTTP_PROXY", proxy.url);
  proxy.response = { status: 204, pieces: [] };
  expect((await httpProxyFetch("http://api.example.com/")).body).toBeNull();
  proxy.response = { status: 302, headers: { location: "http://elsewhere.example.com/" }, pieces: [] };
  expect((await httpProxyFetch("http://api.example.com/")).status).toBe(302);
});

test("an abort ends the request", async () => {
  vi.stubEnv("HTTP_PROXY", proxy.url);
  const controller = new AbortController();
  controller.abort();
  await expect(httpProxyFetch("http://api.example.com/", { signal: controller.signal })).rejects.toThrow(/abort/);
});

test("sends requests to Bedrock through the HTTP proxy", async () => {
  vi.stubEnv("HTTP_PROXY", proxy.url);
  const { model, contentType, responses } = bedrockConverseStream;
  proxy.response = { status: 200, headers: { "content-type": contentType }, pieces: responses.text.frames };
  const context = { messages: [{ role: "user" as const, content: "Hello", timestamp: 0 }] };
  const message = await stream(model("http://bedrock.example.com"), context).result();
  expect(message).toMatchObject({ content: responses.text.content, stopReason: "stop" });
  expect(proxy.seen[0]).toMatch(/^POST http:\/\/bedrock\.example\.com\/model\//);
});

const HTTPS = new URL("https://api.example.com/");
const HTTP = new URL("http://api.example.com/");

test.each<[URL, Record<string, string>, object | undefined]>([
  [HTTPS, {}, undefined],
  [HTTPS, { HTTPS_PROXY: "http://p:1" }, { HTTPS_PROXY: "http://p:1" }],
  [HTTPS, { https_proxy: "http://small:1", HTTPS_PROXY: "http://large:1" }, { HTTPS_PROXY: "http://small:1" }],
  [HTTPS, { HTTP_PROXY: "http://p:1" }, undefined],
  [HTTP, { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "http://q:1" }, { HTTP_PROXY: "http://p:1" }],
  [HTTPS, { HTTPS_PROXY: "https://p", no_proxy: "a,b" }, { HTTPS_PROXY: "https://p", NO_PROXY: "a,b" }],
])("%s with %j", (url, variables, expected) => {
  expect(httpProxyVariablesFor(url, createEnvironment(variables))).toEqual(expected);
});

test.each(["socks5://user:hunter2@p:1", "pac+http://hunter2", "hunter2"])("rejects %s without quoting it", (proxy) => {
  const resolve = (): unknown => httpProxyVariablesFor(HTTPS, createEnvironment({ HTTPS_PROXY: proxy }));
  expect(resolve).toThrow(expect.toSatisfy((error) => PiError.is(error) && error.kind === "config"));
  expect(resolve).toThrow("HTTPS_PROXY");
  expect(resolve).not.toThrow("hunter2");
});

/** Answers what it is given, and keeps the connection open. */
async function withRawProxy(pieces: readonly string[], use: (url: string) => Promise<void>): Promise<void> {
  const sockets: net.Socket[] = [];
  const raw = net.createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", async () => {
      for (const piece of pieces) {
        socket.write(piece, "latin1");
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  });
  await once(raw.listen(0, "127.0.0.1"), "listening");
  try {
    await use(`http://user:geheim@127.0.0.1:${(raw.address() as AddressInfo).port}`); // As above.
  } finally {
    for (const socket of sockets) socket.destroy();
    raw.close();
  }
}

const LONG = `x-a: ${"a".repeat(1000)}\r\n`;

test.each([
  [
    "an unknown status",
    "HTTP_PROXY",
    ["HTTP/1.1 999 Odd\r\n\r\n"],
    /answered with the status 999, which does not exist/,
  ],
  [
    "another protocol",
    "HTTP_PROXY",
    ["HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"],
    /switched to another/,
  ],
  ["no HTTP", "HTTP_PROXY", ["no HTTP\r\n\r\n"], /Parse Error/],
  ["headers without end", "HTTP_PROXY", ["HTTP/1.1 200 OK\r\n", LONG.repeat(100)], /Header overflow/],
  ["an unknown status before a tunnel", "HTTPS_PROXY", ["HTTP/1.1 999 Odd\r\n\r\n"], /HTTP\/1.1 999 Odd/],
  ["no HTTP before a tunnel", "HTTPS_PROXY", ["no HTTP\r\n\r\n"], /Failed to establish tunnel/],
  ["headers without end before a tunnel", "HTTPS_PROXY", ["HTTP/1.1 200 OK\r\n", LONG.repeat(100)], /too long headers/],
])("%s is an error of the request", async (_name, variable, pieces, message) => {
  await withRawProxy(pieces, async (url) => {
    vi.stubEnv(variable, url);
    const scheme = variable === "HTTP_PROXY" ? "http" : "https";
    const error = await httpProxyFetch(`${scheme}://api.example.com/`).catch((reason) => reason);
    expect(error.message).toMatch(message);
    expect(JSON.stringify({ ...error })).not.toContain("rawPacket");
  });
});

test("the answer before a tunnel may come in many pieces", async () => {
  const pieces = [..."HTTP/1.1 407 No\r\nx-a: a value of more letters than steps that double\r\n\r\n"];
  await withRawProxy(pieces, async (url) => {
    vi.stubEnv("HTTPS_PROXY", url);
    await expect(httpProxyFetch("https://api.example.com/")).rejects.toThrow("407 No");
  });
});

test("an abort closes the connection to a proxy that answers nothing", async () => {
  const closed = Promise.withResolvers<void>();
  const silent = net.createServer((socket) => {
    socket.on("error", () => {}).on("close", () => closed.resolve());
    socket.on("data", () => controller.abort());
  });
  const controller = new AbortController();
  await once(silent.listen(0, "127.0.0.1"), "listening");
  vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${(silent.address() as AddressInfo).port}`); // As above.
  await expect(httpProxyFetch("https://api.example.com/", { signal: controller.signal })).rejects.toThrow();
  await closed.promise;
  silent.close();
});

test("the header with the password of a proxy is a secret", () => {
  vi.stubEnv("HTTPS_PROXY", "http://user:geheim%21@127.0.0.1:1");
  expect(httpProxySecrets()).toEqual(["geheim%21", "geheim!", btoa("user:geheim!")]);
});
