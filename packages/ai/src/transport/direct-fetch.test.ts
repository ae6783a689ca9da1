import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { plainAdapter, plainModel } from "../../test/support/plain-adapter.js";
import { createApiProvider } from "../driver/create-api-provider.js";
import { complete } from "../index.js";
import { directFetch } from "./direct-fetch.js";
import { toWireResponse } from "./wire-response.js";

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

const servers: Server[] = [];

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // TCP
}

const post = (url: string, init: RequestInit = {}): Promise<Response> =>
  directFetch(url, { method: "POST", body: "{}", headers: {}, signal: new AbortController().signal, ...init });

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) return text;
    text += decoder.decode(chunk.value, { stream: true });
  }
}

function watchDispatcher(): { mock: { calls: unknown[][] } } {
  void globalThis.Headers;
  const dispatcher = (globalThis as { [DISPATCHER]?: { dispatch: (...call: unknown[]) => boolean } })[DISPATCHER];
  if (!dispatcher) throw new Error("this Node.js has no dispatcher");
  return vi.spyOn(dispatcher, "dispatch");
}

/** Functions that are called `fetch`, like Node's own, and take its parameters. */
const REPLACED = {
  asynchronous: async function fetch(_input: unknown) {
    return new Response("mine");
  },
  withOptions: function fetch(_input: unknown, _init: unknown) {
    return Promise.resolve(new Response("mine"));
  },
  wrapper: Object.assign(
    function fetch(_input: unknown) {
      return Promise.resolve(new Response("mine"));
    },
    { original: globalThis.fetch },
  ),
};

describe("directFetch", () => {
  it("sends to the dispatcher of Node's fetch, with the headers that fetch adds", async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      const { method, url: path, headers } = request;
      request.on("data", (chunk) => {
        seen.push(method, path, String(chunk), headers);
        response.writeHead(201, { "x-one": "a", "x-two": ["b", "c"] }).end("body");
      });
    });
    const dispatched = watchDispatcher();
    const response = await post(`${url}/v1/x?y=1`, { body: '{"a":1}', headers: { authorization: "Bearer k" } });
    expect(dispatched.mock.calls).toHaveLength(1);
    expect(seen.slice(0, 3)).toEqual(["POST", "/v1/x?y=1", '{"a":1}']);
    expect(seen[3]).toMatchObject({ accept: "*/*", "user-agent": "node", authorization: "Bearer k" });
    expect(response).toMatchObject({ ok: true, status: 201, url: `${url}/v1/x?y=1` });
    expect([response.headers.get("x-one"), response.headers.get("x-two")]).toEqual(["a", "b, c"]);
    expect(await readText(response)).toBe("body");
  });

  it("calls fetch if a program has replaced it, and if the request is not text with a signal", async () => {
    const replaced = vi.fn(async () => new Response("mine"));
    const dispatched = watchDispatcher();
    vi.stubGlobal("fetch", replaced);
    expect(await readText(await post("http://127.0.0.1:1/"))).toBe("mine");
    expect(await readText(await directFetch(new Request("http://127.0.0.1:1/")))).toBe("mine");
    expect(dispatched.mock.calls).toHaveLength(0);
  });

  const own = globalThis.fetch;
  const respond = async () => new Response("mine");
  it.each<[string, typeof fetch]>([
    ["an arrow function", { fetch: (_input: unknown) => respond() }.fetch],
    ["an asynchronous function", REPLACED.asynchronous],
    ["a function with options", REPLACED.withOptions],
    ["a wrapper with properties", REPLACED.wrapper],
    ["a bound function", own.bind(undefined)],
    ["a proxy of Node's own", new Proxy(own, { apply: respond })],
    ["a mock", vi.fn(respond)],
  ])("calls %s that was there before the first request", async (_name, replaced) => {
    const url = await serve((_request, response) => response.end("mine"));
    const dispatched = watchDispatcher();
    vi.stubGlobal("fetch", replaced);
    vi.resetModules();
    const { directFetch: fresh } = await import("./direct-fetch.js");
    const init = { method: "POST", body: "{}", headers: {}, signal: new AbortController().signal };
    expect(await readText(await fresh(url, init))).toBe("mine");
    expect(dispatched.mock.calls.some(([, handler]) => String(handler?.constructor.name) === "DirectExchange")).toBe(
      false,
    );
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["gzip, br", (text: string) => brotliCompressSync(gzipSync(text))],
    ["identity", (text: string) => Buffer.from(text)],
    ["none", (text: string) => Buffer.from(text)],
  ])("reads a body with content-encoding %s", async (coding, encode) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": coding }).end(encode("text ".repeat(1000)));
    });
    expect(await readText(await post(url))).toBe("text ".repeat(1000));
  });

  it("fails on a damaged body", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip");
    });
    await expect(readText(await post(url))).rejects.toThrow("incorrect header check");
  });

  it("pauses the socket while the body is not read, and loses nothing", async () => {
    const size = 32 * 1024 * 1024;
    let written = 0;
    const url = await serve((_request, response) => {
      const block = Buffer.alloc(64 * 1024, "x");
      const write = (): void => {
        while (written < size) {
          written += block.length;
          if (!response.write(block)) {
            response.once("drain", write);
            return;
          }
        }
        response.end();
      };
      write();
    });
    const reader = (await post(url)).body?.getReader();
    await vi.waitFor(() => expect(written).toBeGreaterThan(64 * 1024));
    // Each round lets the server and the client finish their pending work.
    for (let before = -1; before !== written; ) {
      before = written;
      for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve));
    }
    // The buffers of the two sockets hold a few megabytes.
    expect(written).toBeLessThan(size);
    let length = 0;
    for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) length += chunk.value.length;
    expect(length).toBe(size);
  });

  it("reads what has arrived in one piece", async () => {
    const finished = Promise.withResolvers<void>();
    const url = await serve((_request, response) => {
      response.once("finish", finished.resolve);
      for (let piece = 0; piece < 200; piece++) response.write(`piece ${piece};`);
      response.end();
    });
    const reader = (await post(url)).body?.getReader();
    await finished.promise;
    // The client receives what the server has sent.
    for (let round = 0; round < 100; round++) await new Promise((resolve) => setImmediate(resolve));
    const texts: string[] = [];
    for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read())
      texts.push(new TextDecoder().decode(chunk.value));
    expect(texts.join("")).toBe(Array.from({ length: 200 }, (_, piece) => `piece ${piece};`).join(""));
    expect(texts.length).toBeLessThan(20);
  });

  it("rejects at once when the signal aborts, before and after the headers, and closes the connection", async () => {
    let closed = 0;
    const arrived = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      request.socket.once("close", () => closed++);
      if (request.url === "/started") response.write("start");
      else arrived.resolve();
    });
    const reason = new Error("enough");
    const waiting = new AbortController();
    const pending = post(`${url}/silent`, { signal: waiting.signal });
    await arrived.promise;
    waiting.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await expect(post(url, { signal: waiting.signal })).rejects.toBe(reason);

    const started = new AbortController();
    const reader = (await post(`${url}/started`, { signal: started.signal })).body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(5);
    const reading = reader?.read();
    started.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await vi.waitFor(() => expect(closed).toBe(2));
  });

  it("closes the connection of a body that is cancelled", async () => {
    let closed = false;
    const url = await serve((request, response) => {
      request.socket.once("close", () => {
        closed = true;
      });
      response.write("start");
    });
    const body = (await post(url)).body;
    await body?.cancel();
    expect(await body?.getReader().read()).toEqual({ done: true });
    await vi.waitFor(() => expect(closed).toBe(true));
  });

  it("fails with the errors of fetch", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/refuse") request.socket.destroy();
      else response.write("start", () => request.socket.destroy());
    });
    await expect(post(`${url}/refuse`)).rejects.toMatchObject({ name: "TypeError", message: "fetch failed" });
    const reader = (await post(`${url}/break`)).body?.getReader();
    await reader?.read();
    await expect(reader?.read()).rejects.toMatchObject({ name: "TypeError", message: "terminated" });
  });

  it("skips informational responses", async () => {
    const url = await serve((_request, response) => {
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.end("body");
    });
    const response = await post(url);
    expect(response.status).toBe(200);
    expect(await readText(response)).toBe("body");
  });
});

describe("the adapter of an application", () => {
  it("gets whole responses, and those of this package take the direct way", async () => {
    const url = await serve((_request, response) => response.end('data: {"over":true,"stop":"stop"}\n\n'));
    const dispatched = watchDispatcher();
    const seen: unknown[] = [];
    const { stream } = createApiProvider({
      ...plainAdapter,
      send: async (request, _, io) => {
        const init = { method: "POST", headers: {}, body: JSON.stringify(request.body), signal: io.signal };
        const response = await io.fetch(request.baseUrl, init);
        seen.push(response.constructor, await response.clone().text());
        return toWireResponse(response, "sse");
      },
    });
    await stream({ ...plainModel, baseUrl: url }, { messages: [] }, { apiKey: "k" }).result();
    expect(seen).toEqual([Response, 'data: {"over":true,"stop":"stop"}\n\n']);
    const handlers = (): string[] => dispatched.mock.calls.map(([, handler]) => String(handler?.constructor.name));
    expect(handlers()).not.toContain("DirectExchange");
    const { compat: _, ...plain } = plainModel;
    const model = { ...plain, api: "openai-completions" as const, baseUrl: url };
    await complete(model, { messages: [] }, { apiKey: "k", maxRetries: 0 });
    expect(handlers()).toContain("DirectExchange");
  });
});
