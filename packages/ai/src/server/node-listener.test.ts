import { EventEmitter, once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { createApiProvider } from "pi-ai/adapter";
import {
  createProxyHandler,
  type ProxyLimits,
  type ProxyUsage,
  type RequestHandler,
  toNodeListener,
} from "pi-ai/proxy-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually, soon } from "../../../../test/support/patience.js";
import { plainAdapter, plainModel, sse } from "../../test/support/plain-adapter.js";

const servers: http.Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(listener: http.RequestListener): Promise<number> {
  const server = http.createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens on a port
}

const serve = (handler: RequestHandler): Promise<number> => listen(toNodeListener(handler));

const BODY = JSON.stringify({
  model: { provider: plainModel.provider, id: plainModel.id },
  context: { messages: [{ role: "user", content: "Hi", timestamp: 1 }] },
});
const HEADERS = { authorization: "Bearer secret-token", "content-type": "application/json" };

function ask(port: number, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/api/stream`, { method: "POST", headers: HEADERS, body: BODY, ...init });
}

/** A relay in front of a provider, both with real sockets. */
async function relayTo(provider: http.RequestListener, limits?: ProxyLimits) {
  const port = await listen(provider);
  const model = { ...plainModel, baseUrl: `http://127.0.0.1:${port}` };
  const usages: ProxyUsage[] = [];
  const handler = createProxyHandler({
    authorize: "secret-token",
    allowModels: ["test-provider/*"],
    getApiKey: () => "provider-key",
    getModel: () => model,
    streamFn: createApiProvider(plainAdapter).streamSimple,
    onUsage: (usage) => void usages.push(usage),
    ...(limits && { limits }),
  });
  return { port: await serve(handler), usages };
}

describe("a Node listener", () => {
  it.each([
    ["/public", "x/api/stream?", 400],
    ["/public", "x/api/stream#", 400],
    ["/public", "x\\api\\stream?", 400],
    ["/public", "user@x", 400],
    ["/public", "x:80:80", 400],
    ["/public", "x y", 400],
    ["/public", "[::1", 400],
    ["/public", "%", 400],
    ["/public", "%78.example", 400],
    ["/public", "0x7f.1", 400],
    ["/public", "x\r\nHost: y", 400],
    ["/public/../api/stream", "x", 400],
    ["/public/%2e%2E/api/stream", "x", 400],
    ["/public/./api/stream", "x", 400],
    ["/public\\api/stream", "x", 400],
    ["/public/..", "x", 400],
    ["/public#/api/stream", "x", 400],
    ["//x/public", "y", 200],
    ["/public?/../api/stream", "x", 200],
    ["/public/..a/.b", "x:8080", 200],
    ["/public", "X.Example", 200],
    ["/public", "[::1]:80", 200],
    ["/public", "bücher.example", 200],
  ])("lets the path alone decide: %s, host %s", async (path, host, status) => {
    const seen: string[] = [];
    const port = await serve((request) => {
      seen.push(new URL(request.url).pathname);
      return new Response();
    });
    const socket = net.connect(port, "127.0.0.1");
    socket.end(Buffer.from(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`));
    const [line] = await once(socket.setEncoding("latin1"), "data");
    socket.destroy();
    expect([String(line).slice(0, 12), seen]).toEqual([
      `HTTP/1.1 ${status}`,
      status === 200 ? [path.replace(/\?.*/, "")] : [],
    ]);
  });

  it("forwards method, URL, headers and body, and returns the response", async () => {
    const port = await serve(async (request) => {
      const body = await request.text();
      return new Response(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("x-a")} ${body}`, {
        status: 201,
        headers: { "x-b": "c" },
      });
    });
    const response = await fetch(`http://127.0.0.1:${port}/p?q`, {
      method: "PUT",
      headers: { "x-a": "b" },
      body: "äö",
    });
    expect([response.status, response.headers.get("x-b"), await response.text()]).toEqual([201, "c", "PUT /p b äö"]);
    expect(await (await fetch(`http://127.0.0.1:${port}/p`)).text()).toBe("GET /p null ");
  });

  /** A middleware that reads the body, as `express.json()` does. */
  async function serveParsed(handler: RequestHandler, parse: (bytes: Buffer) => unknown) {
    const next = toNodeListener(handler);
    return listen((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => next(Object.assign(request, { body: parse(Buffer.concat(pieces)) }), response));
    });
  }
  const echo: RequestHandler = async (request) =>
    new Response(`${request.headers.get("content-length")} ${await request.text()}`);

  it.each<[string, (bytes: Buffer) => unknown, string]>([
    ["parsed JSON", (bytes) => JSON.parse(bytes.toString()), 'null {"a":"ö"}'],
    ["read text", (bytes) => bytes.toString(), 'null { "a": "ö" }'],
    ["read bytes", (bytes) => bytes, 'null { "a": "ö" }'],
  ])("forwards the body that a middleware has taken and kept as %s", async (_, parse, text) => {
    const port = await serveParsed(echo, parse);
    expect(await (await ask(port, { body: '{ "a": "ö" }' })).text()).toBe(text);
  });

  it("reports a body that a middleware has taken and lost", async () => {
    const errors: unknown[] = [];
    for (const headers of [HEADERS, { "content-type": "application/x-www-form-urlencoded" }]) {
      const parse = (): unknown => (headers === HEADERS ? undefined : { a: "b" });
      const port = await listen((request, response) => {
        const next = toNodeListener(echo, { onError: (error) => errors.push(error) });
        request.resume().on("end", () => next(Object.assign(request, { body: parse() }), response));
      });
      expect((await ask(port, { headers, body: "a=b" })).status).toBe(500);
    }
    const message = expect.stringMatching(/^The request's body was read before toNodeListener: mount it before/);
    expect(errors).toEqual([expect.objectContaining({ message }), expect.objectContaining({ message })]);
  });

  it("rejects an invalid URL, and keeps serving", async () => {
    const port = await serve(() => new Response("ok"));
    const socket = net.connect(port, "127.0.0.1");
    socket.end("GET http://[ HTTP/1.1\r\nHost: [bad\r\nConnection: close\r\n\r\n");
    const [response] = await once(socket, "data");
    expect(String(response)).toMatch(/^HTTP\/1\.1 400/);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("ok");
  });

  it.each([
    ["throws", () => Promise.reject(new Error("a bug")), "a bug"],
    ["returns nothing", () => undefined as unknown as Response, "The handler returned no Response"],
  ])("responds with 500 if the handler %s, and reports it", async (_name, handler, message) => {
    const errors: unknown[] = [];
    const port = await listen(toNodeListener(handler, { onError: (error) => errors.push(error) }));
    const response = await ask(port);
    expect([response.status, await response.text()]).toEqual([500, ""]);
    expect(errors).toEqual([expect.objectContaining({ message })]);
  });

  it("prints what onError throws, at once or later, and responds", async () => {
    const print = vi.spyOn(console, "error").mockReturnValue();
    const late = vi.fn(() => Promise.reject(new Error("late")));
    const fails = (): never => {
      throw new Error("no");
    };
    for (const onError of [fails, late])
      expect(
        (await ask(await listen(toNodeListener(() => Promise.reject(new Error("a bug")), { onError })))).status,
      ).toBe(500);
    expect(print.mock.calls).toEqual([[new Error("no")], [new Error("late")]]);
    print.mockRestore();
  });

  it("cancels the body and aborts the signal only of the client that left", async () => {
    const seen: string[] = [];
    const port = await serve((request) => {
      const name = new URL(request.url).pathname;
      request.signal.addEventListener("abort", () => seen.push(`signal ${name}`));
      if (name === "/whole") return new Response("ok");
      return new Response(new ReadableStream({ cancel: () => void seen.push(`body ${name}`) }));
    });
    await (await fetch(`http://127.0.0.1:${port}/whole`, { headers: { connection: "close" } })).text();
    const controller = new AbortController();
    // Only the headers have arrived.
    await fetch(`http://127.0.0.1:${port}/left`, { signal: controller.signal });
    controller.abort();
    await eventually(() => expect(seen.toSorted()).toEqual(["body /left", "signal /left"]));
  });

  it("forwards every cookie", async () => {
    const cookies = ["a=1; Path=/", "b=2"];
    const port = await serve(() => {
      const response = new Response("ok");
      for (const cookie of cookies) response.headers.append("set-cookie", cookie);
      return response;
    });
    expect((await fetch(`http://127.0.0.1:${port}/`)).headers.getSetCookie()).toEqual(cookies);
  });

  it.each([
    ["unread", { headers: {} }, 401],
    ["unread, with another token", { headers: { ...HEADERS, authorization: "Bearer no" } }, 401],
    ["read in part", { headers: HEADERS }, 413],
  ])("an error reaches a client that is still sending, body %s", async (_, init, status) => {
    const { port } = await relayTo((__, response) => response.end());
    // More than the sockets' buffers hold, and twice over one connection.
    for (let count = 0; count < 2; count++) {
      const response = await ask(port, { ...init, body: "x".repeat(22_000_000) });
      expect([response.status, (await response.json()).error]).toEqual([status, expect.any(String)]);
    }
  });

  it("a client that does not stop sending loses the connection", async () => {
    const port = await listen(toNodeListener(() => new Response("no", { status: 401 }), { discardTimeoutMs: 50 }));
    const socket = net.connect(port, "127.0.0.1");
    // The client may fail to send, or see the connection close.
    socket.on("error", () => {}).resume();
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx");
    const timer = setInterval(() => socket.write("x"), 10);
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(timer);
  });

  it("streams through two sockets, and aborts the provider's request when the client leaves", async () => {
    let left = (): void => {};
    const closed = new Promise<void>((resolve) => {
      left = resolve;
    });
    const { port, usages } = await relayTo((_, response) => {
      response.on("close", left);
      // The response has no end, so only the client's leaving can close it.
      response.write(sse({ usage: { input: 3 } }, { text: "Hello" }));
    });
    const controller = new AbortController();
    const response = await ask(port, { signal: controller.signal });
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("text_delta")) text += new TextDecoder().decode((await reader?.read())?.value);
    controller.abort();
    await soon("the end of the provider's request", closed);
    await eventually(() => expect(usages).toMatchObject([{ clientLeft: true, message: { usage: { input: 3 } } }]));
  });

  it("a client that never reads pauses the provider's socket, and loses its request", async () => {
    let written = 0;
    let closed = false;
    const piece = sse({ text: "x".repeat(10_000) });
    const { port, usages } = await relayTo(
      (_, response) => {
        const more = (): void => {
          if (!closed && written < 200_000_000) while (response.write(piece)) written += piece.length;
        };
        response.on("drain", more);
        response.on("close", () => (closed = true));
        more();
      },
      { stallTimeoutMs: 500 },
    );
    const socket = net.connect(port, "127.0.0.1");
    socket.pause();
    const headers = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /api/stream HTTP/1.1\r\nHost: x\r\n${headers.join("")}Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    await eventually(() => expect(closed && usages.length > 0).toBe(true));
    // The buffers of four sockets, and the queue of the stream between them.
    expect(written).toBeLessThan(40_000_000);
    expect(usages).toMatchObject([{ clientLeft: true, message: { stopReason: "aborted" } }]);
    socket.destroy();
  });

  it("adds one listener to a slow client's response, not one for each chunk", async () => {
    const added = { drain: 0, close: 0 };
    let waits = 0;
    let wake = (): void => {};
    const response = Object.assign(new EventEmitter(), {
      writableFinished: false,
      destroyed: false,
      writeHead: () => response,
      flushHeaders: () => {},
      write: () => {
        waits++;
        wake();
        return false;
      },
      end: () => void response.emit("ended"),
      destroy: () => {},
    });
    response.on("newListener", (name: keyof typeof added) => name in added && added[name]++);
    const request = {
      url: "/",
      headers: {},
      headersDistinct: {},
      readableEnded: true,
      destroyed: false,
      iterator: () => ({ next: async () => ({ done: true as const, value: undefined }) }),
      once: () => {},
      resume: () => {},
      destroy: () => {},
    };
    const chunks = Array.from({ length: 50 }, () => new Uint8Array(10));
    const body = new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    const ended = once(response, "ended");
    toNodeListener(() => new Response(body))(request, response);
    while (waits < chunks.length) {
      await new Promise<void>((resolve) => (wake = resolve));
      // The drain event comes after the response has begun to wait for it.
      setImmediate(() => response.emit("drain"));
    }
    await ended;
    expect(added).toEqual({ drain: 1, close: 2 });
  });

  it.each([-1, Number.NaN])("rejects a discardTimeoutMs of %d", (discardTimeoutMs) => {
    expect(() => toNodeListener(() => new Response(), { discardTimeoutMs })).toThrow(
      "discardTimeoutMs must be a number of milliseconds that is not negative",
    );
  });

  it("serves 200 clients at once, each with its own response", async () => {
    const { port, usages } = await relayTo(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      const { content } = JSON.parse(body).messages[0];
      response.end(sse({ text: "Hello " }, { text: content }, { stop: "stop" }, { over: true }));
    });
    const responses = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const response = await ask(port, { body: BODY.replace("Hi", `client ${index}`) });
        return (await response.text()).includes(`"delta":"client ${index}"`);
      }),
    );
    expect(responses.filter(Boolean)).toHaveLength(200);
    expect(usages).toHaveLength(200);
  });
});
