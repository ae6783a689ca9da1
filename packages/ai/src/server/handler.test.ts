import { createApiProvider } from "pi-ai/adapter";
import { createProxyHandler } from "pi-ai/proxy-server";
import { webSearchTool } from "pi-ai/server-tools";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { END, plainAdapter, sse } from "../../test/support/plain-adapter.js";
import { BODY, eventsOf, good, KEY, MODEL, post, refusal, setUp, TOKEN } from "../../test/support/proxy-setup.js";
import { scriptFetch } from "../../test/support/scripted-fetch.js";

const LARGE_SCHEMA = { type: "object", enum: Array.from({ length: 50_000 }, (_, index) => index) };

describe("a response", () => {
  it("contains the events without snapshots, and usage when it changes", async () => {
    const { handler, usages } = setUp();
    const response = await handler(post());
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    const events = await eventsOf(response);
    expect(events).toMatchObject([
      { type: "start" },
      { type: "text_start", contentIndex: 0, usage: { input: 5, output: 0 } },
      { type: "text_delta", contentIndex: 0, delta: "Hel" },
      { type: "text_delta", contentIndex: 0, delta: "lo" },
      { type: "text_end", contentIndex: 0, usage: { input: 5, output: 2 } },
      { type: "done", reason: "stop", usage: { input: 5, output: 2, totalTokens: 7 } },
    ]);
    expect(JSON.stringify(events)).not.toContain("partial");
    expect(events[2]).not.toHaveProperty("usage");
    expect(usages).toMatchObject([{ model: MODEL, message: { usage: { totalTokens: 7 } }, clientLeft: false }]);
  });

  it("uses only the server's key, base URL and headers for the provider's request", async () => {
    const { handler, requests } = setUp();
    const model = { ...MODEL, baseUrl: "https://evil.test", headers: { "x-vendor": "theirs" }, cost: {}, api: "evil" };
    const options = { apiKey: "theirs", baseUrl: "https://evil.test", headers: { Authorization: "Bearer x" } };
    await (await handler(post({ ...BODY, model, options }))).text();
    expect(requests[0]?.url).toBe("https://api.test/plain");
    expect(requests[0]?.headers.get("authorization")).toBe(`Bearer ${KEY}`);
  });

  it("forwards the client's options within the limits", async () => {
    const seen: unknown[] = [];
    const { handler } = setUp({
      allowHeaders: ["X-Trace", "Authorization", "cookie"],
      limits: { maxTokens: 100, timeoutMs: 9000 },
      streamFn: (model, context, options) => {
        seen.push({ context, options });
        return createApiProvider(plainAdapter).streamSimple(model, context, {
          ...options,
          fetch: scriptFetch(good).fetch,
        });
      },
    });
    const options = {
      temperature: 0.5,
      maxTokens: 5000,
      reasoning: "low",
      contextManagement: { compact: { atTokens: 60_000 }, clearToolResults: true },
      unknown: 1,
      signal: {},
      onPayload: "x",
      maxRetries: 50,
      headers: { "x-trace": "1", authorization: "x", cookie: "y", "x-other": "z", "X-Trace\r\nHost": "evil" },
    };
    const tools = [{ name: "t", description: "", parameters: { type: "object" }, cache: "long", label: "T" }];
    await (await handler(post({ ...BODY, context: { ...BODY.context, systemPrompt: "S", tools }, options }))).text();
    expect(seen).toEqual([
      {
        context: {
          systemPrompt: "S",
          messages: BODY.context.messages,
          tools: [{ name: "t", description: "", parameters: { type: "object" }, cache: "long" }],
        },
        options: {
          temperature: 0.5,
          maxTokens: 100,
          reasoning: "low",
          contextManagement: { compact: { atTokens: 60_000 }, clearToolResults: true },
          timeoutMs: 9000,
          headers: { "x-trace": "1" },
          apiKey: KEY,
          signal: expect.any(AbortSignal),
        },
      },
    ]);
  });

  it.each(["1\r\nHost: evil", "1\n", "\u0000", "é", "\u{1f600}"])("drops a header with the value %j", async (value) => {
    const seen: unknown[] = [];
    const { handler } = setUp({
      allowHeaders: ["x-trace"],
      streamFn: (model, context, { headers, ...options }) => {
        seen.push(headers);
        return createApiProvider(plainAdapter).streamSimple(model, context, {
          ...options,
          fetch: scriptFetch(good).fetch,
        });
      },
    });
    await (await handler(post({ ...BODY, options: { headers: { "x-trace": value } } }))).text();
    expect(seen).toEqual([undefined]);
  });

  it("forwards a provider's failure without secrets", async () => {
    const echo = { status: 401, pieces: [JSON.stringify({ error: { message: `bad key ${KEY}` } })] };
    const { handler, usages } = setUp({ scripts: [echo] });
    const events = await eventsOf(await handler(post()));
    expect(events).toMatchObject([
      {
        type: "error",
        reason: "error",
        errorMessage: "401 bad key [redacted] (provider test-provider, model m; asked: [address])",
        error: { kind: "auth", status: 401 },
      },
    ]);
    expect(usages).toMatchObject([{ message: { stopReason: "error" } }]);
  });

  it("hides the stack, and a key that a stream function does not hide", async () => {
    const { handler } = setUp({
      streamFn: (model) => {
        const stream = createApiProvider({ ...plainAdapter, send: () => Promise.reject(new Error(KEY)) });
        return stream.streamSimple(model, { messages: [] }, { apiKey: "another-key" });
      },
    });
    const text = await (await handler(post())).text();
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("at ");
  });
});

describe("a framework's second argument", () => {
  /** What Next.js requires of the handlers of a route (its generated `validator.ts`, version 16). */
  type NextRoute = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;
  /** Cloudflare's `ExecutionContext`. */
  interface ExecutionContext {
    waitUntil(promise: Promise<unknown>): void;
    passThroughOnException(): void;
  }

  it("may be the parameters of a route, or the services of a worker", async () => {
    const handler = createProxyHandler({ authorize: TOKEN, allowModels: [] });
    const route: NextRoute = handler;
    const worker: (request: Request, context: ExecutionContext) => Promise<Response> = handler;
    const request = (): Request => new Request("https://a.test/api/stream", { method: "POST" });
    expect((await route(request(), { params: Promise.resolve({}) })).status).toBe(401);
    expect((await worker(request(), { waitUntil: () => {}, passThroughOnException: () => {} })).status).toBe(401);
  });
});

describe("a caller", () => {
  it.each([
    ["no token", { authorization: "" }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
    ["a wrong token", { authorization: "Bearer wrong" }],
    ["the beginning of the token", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["more than the token", { authorization: `Bearer ${TOKEN}x` }],
    ["two tokens", { authorization: `Bearer ${TOKEN} ${TOKEN}` }],
    ["a huge token", { authorization: `Bearer ${"x".repeat(9000)}` }],
  ])("is rejected with %s", async (_, headers) => {
    const { handler, requests } = setUp();
    const response = await handler(post(BODY, { headers }));
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await refusal(response)).toEqual([401, expect.stringMatching(/bearer token/)]);
    expect(requests).toEqual([]);
  });

  it.each([["a token of several", ["a", TOKEN]] as const, ["a function", () => ({ caller: "ann" })] as const])(
    "is authorized by %s",
    async (_, authorize) => {
      const { handler } = setUp({ authorize });
      expect((await handler(post())).status).toBe(200);
    },
  );

  it("is rejected for an empty list, and a result other than true", async () => {
    for (const authorize of [[], () => undefined, () => "yes", () => 1]) {
      const { handler } = setUp({ authorize: authorize as unknown as string }); // plain JavaScript may pass any value
      expect((await handler(post(BODY, { headers: { authorization: "Bearer  " } }))).status).toBe(401);
      expect((await handler(post())).status).toBe(401);
    }
  });

  it("may use a model only if allowModels returns true", async () => {
    for (const verdict of ["no", 1, {}, undefined]) {
      const { handler, requests } = setUp({ allowModels: () => verdict as boolean }); // as above
      expect((await handler(post())).status).toBe(403);
      expect(requests).toEqual([]);
    }
  });

  it("is passed to allowModels, getApiKey and onUsage", async () => {
    const getApiKey = vi.fn(() => KEY);
    const allowModels = vi.fn(() => true);
    const { handler, usages } = setUp({
      authorize: async (token) => ({ caller: `user of ${token}` }),
      getApiKey,
      allowModels,
    });
    await (await handler(post())).text();
    expect(allowModels).toHaveBeenCalledWith(MODEL, `user of ${TOKEN}`);
    expect(getApiKey).toHaveBeenCalledWith("test-provider", `user of ${TOKEN}`);
    expect(usages).toMatchObject([{ caller: `user of ${TOKEN}` }]);
  });

  it("may be recognized and still be forbidden", async () => {
    expect(await refusal(await setUp({ authorize: () => "forbidden" }).handler(post()))).toEqual([
      403,
      expect.any(String),
    ]);
    expect(await refusal(await setUp({ allowModels: ["test-provider/other"] }).handler(post()))).toEqual([
      403,
      "The model test-provider/m may not be used here",
    ]);
  });

  it("receives no details of errors that the server's functions throw", async () => {
    const onError = vi.fn();
    const error = new Error("database at 10.0.0.1 is down");
    const { handler } = setUp({ authorize: () => Promise.reject(error), onError });
    expect(await refusal(await handler(post()))).toEqual([500, "The server failed"]);
    expect(onError).toHaveBeenCalledWith(error);
  });
});

describe("a request", () => {
  const message = BODY.context.messages[0];
  const withMessage = (value: unknown): object => ({ ...BODY, context: { messages: [value] } });

  it.each<[string, unknown, number, RegExp]>([
    ["no JSON", "{", 400, /not valid JSON/],
    ["nothing", "", 400, /not valid JSON/],
    ["null", "null", 400, /^body: expected object/],
    ["no model", { context: BODY.context }, 400, /^model: /],
    ["a model that is a text", { ...BODY, model: "m" }, 400, /^model: expected object/],
    [
      "an unknown model",
      { ...BODY, model: { provider: "test-provider", id: "x" } },
      400,
      /^Unknown model: test-provider\/x$/,
    ],
    [
      "a model of the prototype",
      { ...BODY, model: { provider: "__proto__", id: "constructor" } },
      400,
      /^Unknown model/,
    ],
    ["no messages", { ...BODY, context: {} }, 400, /^context\.messages: /],
    ["a message that is none", withMessage(5), 400, /^context\.messages\.0: expected object/],
    ["an unknown role", withMessage({ ...message, role: "system" }), 400, /^context\.messages\.0\.role: must be user/],
    ["a role of the prototype", withMessage({ ...message, role: "constructor" }), 400, /role: must be user/],
    ["content that is none", withMessage({ ...message, content: 5 }), 400, /^context\.messages\.0\.content: /],
    [
      "a tool with an unknown lifetime",
      { ...BODY, context: { ...BODY.context, tools: [{ name: "t", description: "", parameters: {}, cache: "ever" }] } },
      400,
      /^context\.tools\.0/,
    ],
    [
      "a tool without a name",
      { ...BODY, context: { ...BODY.context, tools: [{ name: "" }] } },
      400,
      /^context\.tools\.0/,
    ],
    [
      "too many messages",
      { ...BODY, context: { messages: Array(4).fill(message) } },
      400,
      /^context\.messages: more than 3$/,
    ],
    [
      "too many tools",
      { ...BODY, context: { ...BODY.context, tools: Array(3).fill({ name: "t", description: "", parameters: {} }) } },
      400,
      /^context\.tools: more than 2$/,
    ],
    [
      "schemas with more fields than any vendor takes",
      { ...BODY, context: { ...BODY.context, tools: [{ name: "t", description: "", parameters: LARGE_SCHEMA }] } },
      400,
      /^context\.tools: their schemas have more than 50000 fields$/,
    ],
    [
      "an output format with as many",
      { ...BODY, options: { outputFormat: { schema: LARGE_SCHEMA } } },
      400,
      /^options\.outputFormat\.schema: the schema cannot be used: it has more than 50000 fields$/,
    ],
    ["a bad temperature", { ...BODY, options: { temperature: "hot" } }, 400, /^options\.temperature: expected number/],
    [
      "a bad threshold",
      { ...BODY, options: { contextManagement: { compact: { atTokens: -1 } } } },
      400,
      /^options\.contextManagement/,
    ],
    ["a bad level", { ...BODY, options: { reasoning: "extreme" } }, 400, /^options\.reasoning/],
    ["a session that is two headers", { ...BODY, options: { sessionId: "a\r\nHost: b" } }, 400, /^options\.sessionId/],
    ["an object for headers' values", { ...BODY, options: { headers: { a: {} } } }, 400, /^options\.headers\.a/],
    [
      "a web search, which costs extra",
      { ...BODY, context: { ...BODY.context, tools: [webSearchTool()] } },
      400,
      /^context\.tools: more than 0 tools that the provider runs/,
    ],
    [
      "a server tool of an unknown kind",
      { ...BODY, context: { ...BODY.context, tools: [{ ...webSearchTool(), server: { kind: "root" } }] } },
      400,
      /^context\.tools\.0\.server/,
    ],
    ["100,000 levels", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, 400, /nested deeper than 100 levels/],
    ["100,000 open levels", "[".repeat(100_000), 400, /nested deeper/],
    ["half a character", new TextDecoder().decode(new Uint8Array()), 400, /not valid JSON/],
    ["too many bytes", JSON.stringify({ ...BODY, padding: "x".repeat(2_000_000) }), 413, /larger than 1000000 bytes/],
  ])("with %s is rejected with the reason", async (_, body, status, text) => {
    const { handler, requests } = setUp({ limits: { maxBodyBytes: 1_000_000, maxMessages: 3, maxTools: 2 } });
    expect(await refusal(await handler(post(body)))).toEqual([status, expect.stringMatching(text)]);
    expect(requests).toEqual([]);
  });

  it("that is too large is rejected before it is read, or while it is read if content-length is wrong", async () => {
    const { handler } = setUp({ limits: { maxBodyBytes: 1000 } });
    let pulled = 0;
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream(
        {
          pull: (controller) => {
            pulled++;
            controller.enqueue(new Uint8Array(100).fill(32));
          },
        },
        { highWaterMark: 0 },
      );
    const init = (headers: Record<string, string>): RequestInit =>
      ({ body: endless(), duplex: "half", headers }) as RequestInit;
    expect((await handler(post("", init({ "content-length": "9999" })))).status).toBe(413);
    expect(pulled).toBe(0);
    expect((await handler(post("", init({ "content-length": "5" })))).status).toBe(413);
    expect(pulled).toBeLessThan(15);
  });

  it.each([
    ["another path", new Request("https://app.test/api/other", { method: "POST" }), 404],
    ["another method", new Request("https://app.test/api/stream"), 405],
    ["another type", post(BODY, { headers: { "content-type": "text/plain" } }), 415],
  ])("of %s is rejected", async (_, request, status) => {
    expect((await setUp().handler(request)).status).toBe(status);
  });

  it("is accepted under any path that ends in /api/stream", async () => {
    const request = new Request("https://app.test/ai/v1/api/stream?x=1", post());
    expect((await setUp().handler(request)).status).toBe(200);
  });

  it("cannot pollute Object.prototype", async () => {
    const body = JSON.stringify(BODY).replace(
      '"options":{}',
      '"options":{"__proto__":{"polluted":true},"metadata":{"__proto__":{"a":1}}}',
    );
    await (await setUp().handler(post(body))).text();
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const silent = { pieces: [sse({ usage: { input: 5 } }, { text: "Hel" })], after: "silence" } as const;

  it("a client that leaves aborts the provider's request within 10 ms, and its usage is reported", async () => {
    const { handler, usages, requests } = setUp({ scripts: [silent] });
    const reader = (await handler(post())).body?.getReader();
    for (let count = 0; count < 3; count++) await reader?.read();
    await reader?.cancel();
    await vi.advanceTimersByTimeAsync(10);
    expect(requests[0]).toMatchObject({ response: "cancelled", signal: { aborted: true } });
    expect(usages).toMatchObject([{ message: { stopReason: "aborted", usage: { input: 5 } }, clientLeft: true }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("an aborted request aborts the provider's request, before and during the response", async () => {
    const controller = new AbortController();
    const { handler, usages, requests } = setUp({ scripts: [silent] });
    const reader = (await handler(post(BODY, { signal: controller.signal }))).body?.getReader();
    await reader?.read();
    controller.abort();
    await vi.advanceTimersByTimeAsync(10);
    expect(requests[0]?.signal?.aborted).toBe(true);
    expect(usages).toMatchObject([{ clientLeft: true }]);
  });

  it("keeps a worker alive until onUsage has settled", async () => {
    const kept: Promise<unknown>[] = [];
    const { handler, usages } = setUp({ scripts: [silent] });
    const response = await handler(post(), { waitUntil: (promise) => void kept.push(promise) });
    await response.body?.cancel();
    await kept[0];
    expect(usages).toHaveLength(1);
  });

  it("comments fill the provider's silence", async () => {
    const { handler } = setUp({ scripts: ["silence"], limits: { keepAliveMs: 100 } });
    const reader = (await handler(post())).body?.getReader();
    const first = reader?.read();
    await vi.advanceTimersByTimeAsync(100);
    expect(new TextDecoder().decode((await first)?.value)).toBe(": keep-alive\n\n");
    await reader?.cancel();
    await vi.advanceTimersByTimeAsync(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("the default keepAliveMs is short enough for every runtime", async () => {
    const { handler } = setUp({ scripts: ["silence"] });
    const reader = (await handler(post())).body?.getReader();
    const first = reader?.read();
    await vi.advanceTimersByTimeAsync(9000); // Bun waits ten seconds
    expect(new TextDecoder().decode((await Promise.race([first, Promise.resolve(undefined)]))?.value)).toMatch(/^:/);
    await reader?.cancel();
  });

  it("a client that never reads pauses the provider's stream, then loses its request", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          pulled++;
          controller.enqueue(new TextEncoder().encode(sse({ text: "x".repeat(100) })));
        },
      },
      { highWaterMark: 0 },
    );
    const { handler, usages } = setUp({
      limits: { stallTimeoutMs: 5000 },
      streamFn: (model, context, options) =>
        createApiProvider(plainAdapter).streamSimple(model, context, {
          ...options,
          fetch: async () => new Response(body),
        }),
    });
    const response = await handler(post());
    await vi.advanceTimersByTimeAsync(4999);
    expect(pulled).toBeLessThan(300);
    expect(usages).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    expect(usages).toMatchObject([{ clientLeft: true, message: { stopReason: "aborted" } }]);
    await expect(response.text()).rejects.toThrow("The client did not read");
    expect(vi.getTimerCount()).toBe(0);
  });

  /** A provider that sends as fast as it is read. */
  const endless = (length: number) => {
    const sent = { bytes: 0 };
    const piece = new TextEncoder().encode(sse({ text: "x".repeat(length) }));
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          sent.bytes += piece.length;
          controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
    const test = setUp({
      limits: { stallTimeoutMs: 5000 },
      streamFn: (model, context, options) =>
        createApiProvider(plainAdapter).streamSimple(model, context, {
          ...options,
          fetch: async () => new Response(body),
        }),
    });
    return { ...test, sent };
  };

  it.each([100, 10_000, 200_000])(
    "an unread response is buffered up to a limit, in events of %s bytes",
    async (length) => {
      const { handler, sent } = endless(length);
      const reader = (await handler(post())).body?.getReader();
      await vi.advanceTimersByTimeAsync(4000);
      expect(sent.bytes).toBeLessThan(512 * 1024);
      for (let count = 0; count < 10; count++) await reader?.read();
      await vi.advanceTimersByTimeAsync(10);
      expect(sent.bytes).toBeLessThan(10 * length + 512 * 1024);
      await reader?.cancel();
    },
  );

  it.each([
    ["reads a little at a time loses its request", 1, true],
    ["takes its share keeps it", 40, false],
  ])("a client that %s", async (_, chunks, isLost) => {
    const { handler, usages } = endless(100);
    const reader = (await handler(post())).body?.getReader();
    let read = 0;
    let isBroken = false;
    for (let second = 0; second < 30 && !isBroken; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      for (let count = 0; count < chunks && !isBroken; count++) {
        await reader?.read().then(
          () => read++,
          () => {
            isBroken = true;
          },
        );
      }
    }
    expect(isBroken).toBe(isLost);
    if (isLost) {
      expect(read).toBeLessThan(15);
      await vi.advanceTimersByTimeAsync(0);
      expect(usages).toMatchObject([{ clientLeft: true, message: { stopReason: "aborted" } }]);
    }
    await reader?.cancel().catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a client that has caught up waits for as long as the provider does", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        controller.enqueue(new TextEncoder().encode(sse({ text: "Hel" })));
        await promise;
        controller.enqueue(new TextEncoder().encode(sse({ text: "lo" }) + END));
        controller.close();
      },
    });
    const { handler } = setUp({
      limits: { stallTimeoutMs: 5000, keepAliveMs: 0 },
      streamFn: (model, context, options) =>
        createApiProvider(plainAdapter).streamSimple(model, context, {
          ...options,
          fetch: async () => new Response(body),
        }),
    });
    const text = (await handler(post())).text();
    await vi.advanceTimersByTimeAsync(20_000);
    resolve();
    expect(await text).toContain('"type":"done"');
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a request whose body does not arrive is rejected", async () => {
    const { handler } = setUp({ authorize: () => true, limits: { bodyTimeoutMs: 1000 } });
    const response = handler(post("", { body: new ReadableStream(), duplex: "half" } as RequestInit));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refusal(await response)).toEqual([408, "The body did not arrive within 1000 ms"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("an error in onUsage is reported, and the response continues", async () => {
    const onError = vi.fn();
    const { handler } = setUp({ onUsage: () => Promise.reject(new Error("full")), onError });
    expect((await eventsOf(await handler(post()))).at(-1)).toMatchObject({ type: "done" });
    await vi.advanceTimersByTimeAsync(0);
    expect(onError).toHaveBeenCalledOnce();
  });
});
