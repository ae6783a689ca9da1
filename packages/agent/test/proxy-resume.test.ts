/** The relay over connections that break: what it keeps, a client reads on from any server. */

import { type ProxyStreamOptions, streamProxy } from "pi-agent";
import { createMemoryEventStore } from "pi-agent/event-store";
import {
  type AssistantMessage,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
  registerFauxProvider,
} from "pi-ai";
import { AssistantMessageEventStream } from "pi-ai/call";
import {
  createProxyHandler,
  type EventStore,
  type ProxyHandler,
  type ProxyHandlerOptions,
  type ProxyUsage,
} from "pi-ai/proxy-server";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, soon } from "../../../test/support/patience.js";

const TOKEN = "token-of-the-user";
const words = Array.from({ length: 60 }, (_, index) => `word ${index} 🌍 `).join("");
const RESPONSE = () =>
  fauxAssistantMessage([fauxThinking(words), fauxText(words), fauxToolCall("look", { at: words }, { id: "c1" })], {
    stopReason: "toolUse",
  });

const faux = registerFauxProvider({ tokenSize: { min: 4, max: 9 } });
const stores: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

function createStore() {
  const store = createMemoryEventStore();
  stores.push(store);
  return store;
}

function serve(more: Partial<ProxyHandlerOptions> = {}) {
  const usages: ProxyUsage[] = [];
  const errors: unknown[] = [];
  faux.setResponses([RESPONSE()]);
  const handler = createProxyHandler({
    authorize: TOKEN,
    allowModels: () => true,
    getModel: () => faux.getModel(),
    onUsage: (usage) => void usages.push(usage),
    onError: (error) => errors.push(error),
    ...more,
  });
  return { handler, usages, errors };
}

interface Network {
  fetch: typeof fetch;
  methods: string[];
}

/** Each connection breaks after some events, in the middle of the next one. */
function connect(handlers: readonly ProxyHandler[], breakAfter: (connection: number) => number): Network {
  const methods: string[] = [];
  const fetch: Network["fetch"] = async (input, init) => {
    const connection = methods.length;
    const gone = new AbortController();
    const signal = init?.signal ? AbortSignal.any([init.signal, gone.signal]) : gone.signal;
    const request = new Request(String(input), { ...init, signal });
    methods.push(request.method);
    const response = await handlers[connection % handlers.length]!(request);
    if (request.method === "DELETE" || !response.body) return response;
    let left = breakAfter(connection);
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        if (left-- > 0) return controller.enqueue(piece);
        controller.enqueue(piece.subarray(0, piece.length / 2));
        gone.abort();
        return controller.error(new TypeError("The network broke"));
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
  return { fetch, methods };
}

function call(network: Pick<Network, "fetch">, options: Partial<ProxyStreamOptions> = {}) {
  const context = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }] };
  const relay = { authToken: TOKEN, proxyUrl: "https://relay.test", fetch: network.fetch };
  return streamProxy(faux.getModel(), context, { ...relay, ...options });
}

const plain = ({ timestamp: _, ...message }: AssistantMessage) => JSON.parse(JSON.stringify(message));

/** A provider that is silent until its request is aborted. */
function createNeverEnding() {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const streamFn: NonNullable<ProxyHandlerOptions["streamFn"]> = (_model, _context, { signal }) => {
    const stream = new AssistantMessageEventStream();
    const message = fauxAssistantMessage("", { stopReason: "aborted", errorMessage: "Request was aborted" });
    stream.push({ type: "start", partial: fauxAssistantMessage("") });
    signal?.addEventListener("abort", () => {
      resolve();
      stream.push({ type: "error", reason: "aborted", error: message });
    });
    return stream;
  };
  return { aborted, streamFn };
}

describe("a relay that keeps events", () => {
  it("delivers the same response over any number of connections, on two servers", async () => {
    const whole = await call(connect([serve().handler], () => Number.POSITIVE_INFINITY)).result();
    expect(whole.stopReason).toBe("toolUse");
    // No connection is lost soon after the one before: it would be opened again after a pause.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    onTestFinished(() => clock.mockRestore());
    for (const lengths of [[1], [2, 5, 3], [40]]) {
      const eventStore = createStore();
      const { handler, usages } = serve({ eventStore });
      const other = serve({ eventStore });
      const network = connect([handler, other.handler], (index) => lengths[index % lengths.length] ?? 0);
      const stream = call(network);
      const deltas: string[] = [];
      for await (const event of stream) if (event.type === "text_delta") deltas.push(event.delta);
      expect(plain(await stream.result())).toEqual(plain(whole));
      expect(deltas.join("")).toBe(words);
      expect(network.methods[0]).toBe("POST");
      expect(new Set(network.methods.slice(1))).toEqual(new Set(["GET"]));
      expect(usages).toMatchObject([{ clientLeft: false, complete: true }]);
    }
  });

  it("stops the provider's request from another server when the client aborts", async () => {
    const eventStore = createStore();
    const upstream = createNeverEnding();
    const { handler, usages } = serve({ eventStore, streamFn: upstream.streamFn });
    const network = connect([handler, serve({ eventStore }).handler], () => Number.POSITIVE_INFINITY);
    const controller = new AbortController();
    const stream = call(network, { signal: controller.signal });
    // Before the response, the client does not know the name of the run.
    await soon("the first event", stream[Symbol.asyncIterator]().next());
    controller.abort();
    expect(await stream.result()).toMatchObject({ stopReason: "aborted" });
    await soon("the abort of the provider's request", upstream.aborted);
    expect(network.methods).toEqual(["POST", "DELETE"]);
    await eventually(() => expect(usages).toHaveLength(1));
  });

  it("goes on when the client leaves the page, and bills the whole response", async () => {
    const eventStore = createStore();
    const { handler, usages } = serve({ eventStore });
    const leaving = new AbortController();
    const request = new Request("https://relay.test/api/stream", {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ model: faux.getModel(), context: { messages: [] } }),
      signal: leaving.signal,
    });
    const response = await handler(request);
    const runId = response.headers.get("x-run-id") ?? "";
    leaving.abort();
    await eventually(() => expect(usages).toMatchObject([{ clientLeft: false, complete: true }]));
    const headers = { authorization: `Bearer ${TOKEN}`, "x-run-id": runId };
    const again = await handler(new Request("https://relay.test/api/stream", { headers }));
    const text = await again.text();
    expect(text).toMatch(/^id: 1\ndata: \{"type":"start"/);
    expect(text).toMatch(/\{"type":"done".*\n\n$/);
  });

  it("reports a failing store, aborts the request, and lets the client know", async () => {
    const broken: EventStore = { ...createStore(), append: () => Promise.reject(new Error("The store is down")) };
    const { handler, errors, usages } = serve({ eventStore: broken });
    const message = await call(
      connect([handler], () => Number.POSITIVE_INFINITY),
      { timeoutMs: 60_000 },
    ).result();
    expect(message).toMatchObject({
      stopReason: "error",
      errorMessage: "The rest of this response is no longer stored",
    });
    expect(errors.map(String)).toContain("Error: The store is down");
    await eventually(() => expect(usages).toHaveLength(1));
  });

  it("says when the rest of a response is no longer there", async () => {
    const eventStore = createStore();
    const { handler } = serve({ eventStore });
    const network = connect([handler, serve({ eventStore: createStore() }).handler], () => 3);
    expect(await call(network).result()).toMatchObject({
      stopReason: "error",
      errorMessage: "The rest of this response is no longer stored",
      error: { kind: "not_found" },
    });
  });

  it("refuses to continue and to stop without a token or an id", async () => {
    const eventStore = createStore();
    const { handler } = serve({ eventStore });
    const runId = crypto.randomUUID();
    const send = (method: string, headers: Record<string, string>) =>
      handler(new Request("https://relay.test/api/stream", { method, headers })).then(({ status }) => status);
    const authorization = `Bearer ${TOKEN}`;
    for (const method of ["GET", "DELETE"]) {
      expect(await send(method, { "x-run-id": runId })).toBe(401);
      expect(await send(method, { authorization })).toBe(400);
      expect(await send(method, { authorization, "x-run-id": `${runId}/stop` })).toBe(400);
      expect(await send(method, { authorization, "x-run-id": runId, "last-event-id": "-1" })).toBe(400);
    }
    expect(await send("DELETE", { authorization, "x-run-id": runId })).toBe(204);
    expect(await send("DELETE", { authorization, "x-run-id": runId })).toBe(204);
    const without = serve().handler;
    const request = { method: "GET", headers: { authorization, "x-run-id": runId } };
    expect((await without(new Request("https://relay.test/api/stream", request))).status).toBe(405);
  });

  it("lets pages of allowed origins continue", async () => {
    const origin = "https://page.test";
    const { handler } = serve({ eventStore: createStore(), allowOrigins: [origin] });
    const options = new Request("https://relay.test/api/stream", { method: "OPTIONS", headers: { origin } });
    expect(Object.fromEntries((await handler(options)).headers)).toMatchObject({
      "access-control-allow-methods": "POST, GET, DELETE",
      "access-control-allow-headers": "authorization, content-type, x-run-id, last-event-id",
      "access-control-expose-headers": "x-run-id",
    });
  });
});

/** A store that notes what is written to it. */
function createNotingStore() {
  const store = createStore();
  const written: string[] = [];
  const note =
    <TArguments extends unknown[], TResult>(name: string, call: (...args: TArguments) => TResult) =>
    (...args: TArguments) => {
      written.push(name);
      return call(...args);
    };
  const noting: EventStore = {
    ...store,
    append: note("append", store.append),
    begin: note("begin", store.begin),
    end: note("end", store.end),
    snapshot: note("snapshot", store.snapshot),
  };
  return { store: noting, written };
}

describe("a run", () => {
  const send = (handler: ProxyHandler, method: string, token: string, runId?: string) =>
    handler(
      new Request("https://relay.test/api/stream", {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          ...(runId === undefined ? {} : { "x-run-id": runId }),
        },
        ...(method === "POST" && { body: JSON.stringify({ model: faux.getModel(), context: { messages: [] } }) }),
      }),
    );
  /** Who reads a run that nobody has begun. */
  const answerOf = async (response: Response) => {
    const { status } = response;
    return { status, text: await soon("the answer", response.text()) };
  };

  it.each<[string, Partial<ProxyHandlerOptions>]>([
    ["a text", { authorize: (token) => ({ caller: token }) }],
    ["an object", { authorize: (token) => ({ caller: { tenant: 1, [`user ${token}`]: true } }) }],
    [
      "what the host says",
      {
        authorize: (token) => ({ caller: new Map([["id", token]]) }),
        runOwner: (caller) => String((caller as Map<string, string>).get("id")),
      },
    ],
    ["one of several tokens", { authorize: ["alice", "bob"] }],
    ["a token without a caller", { authorize: () => true }],
  ])("belongs to its caller, who is known by %s", async (_, options) => {
    const eventStore = createStore();
    const upstream = createNeverEnding();
    const { handler } = serve({ ...options, eventStore, streamFn: upstream.streamFn });
    const { handler: other } = serve({ ...options, eventStore });
    let isAborted = false;
    void upstream.aborted.then(() => {
      isAborted = true;
    });
    const runId = (await send(handler, "POST", "alice")).headers.get("x-run-id") ?? "";
    const unknown = await answerOf(await send(other, "GET", "bob", crypto.randomUUID()));
    expect(unknown.text).toContain('"kind":"not_found"');
    for (const server of [handler, other]) {
      expect(await answerOf(await send(server, "GET", "bob", runId))).toEqual(unknown);
      expect((await send(server, "DELETE", "bob", runId)).status).toBe(204);
    }
    const reading = (await send(other, "GET", "alice", runId)).text();
    expect(isAborted).toBe(false);
    expect((await send(other, "DELETE", "alice", runId)).status).toBe(204);
    await soon("the abort of the provider's request", upstream.aborted);
    expect(await soon("the rest", reading)).toMatch(/"type":"start".*"type":"error","reason":"aborted"/s);
  });

  it("belongs to the same caller in any order of fields, and to no token or caller that is named like its owner", async () => {
    const eventStore = createStore();
    const upstream = createNeverEnding();
    const named = serve({
      authorize: () => true,
      runOwner: () => "token bob",
      eventStore,
      streamFn: upstream.streamFn,
    });
    const runId = (await send(named.handler, "POST", "alice")).headers.get("x-run-id") ?? "";
    const byToken = serve({ authorize: () => true, eventStore });
    expect((await answerOf(await send(byToken.handler, "GET", "bob", runId))).text).toContain('"kind":"not_found"');
    expect((await send(named.handler, "DELETE", "alice", runId)).status).toBe(204);
    await soon("the abort of the provider's request", upstream.aborted);

    const again = createNeverEnding();
    const caller = { name: "alice", team: { id: 1, at: "x" } };
    const turned = { team: { at: "x", id: 1 }, name: "alice" };
    const first = serve({ authorize: () => ({ caller }), eventStore, streamFn: again.streamFn });
    const second = serve({ authorize: () => ({ caller: turned }), eventStore });
    const ofCaller = (await send(first.handler, "POST", "alice")).headers.get("x-run-id") ?? "";
    expect((await send(second.handler, "DELETE", "alice", ofCaller)).status).toBe(204);
    await soon("the abort of the provider's request", again.aborted);

    const large = serve({ authorize: () => ({ caller: { id: 1n } }), eventStore, streamFn: upstream.streamFn });
    const ofLarge = (await send(large.handler, "POST", "alice")).headers.get("x-run-id") ?? "";
    const small = serve({ authorize: () => ({ caller: { id: "1" } }), eventStore });
    expect((await answerOf(await send(small.handler, "GET", "alice", ofLarge))).text).toContain('"kind":"not_found"');
    expect((await send(large.handler, "DELETE", "alice", ofLarge)).status).toBe(204);
  });

  it("needs a caller that can be told from others", async () => {
    class User {
      readonly #id: string;
      constructor(id: string) {
        this.#id = id;
      }
      get id(): string {
        return this.#id;
      }
    }
    for (const caller of [new User("alice"), { user: new User("alice") }, [() => "alice"], Number.NaN, Symbol("a")]) {
      const { handler, errors, usages } = serve({ authorize: () => ({ caller }), eventStore: createStore() });
      expect((await send(handler, "POST", "alice")).status).toBe(500);
      expect(errors.map(String)).toEqual([expect.stringContaining("needs the option runOwner")]);
      expect(usages).toEqual([]);
    }
    const { handler, errors } = serve({ runOwner: () => "", eventStore: createStore() });
    expect((await send(handler, "GET", TOKEN, crypto.randomUUID())).status).toBe(500);
    expect(errors.map(String)).toEqual([expect.stringContaining("runOwner must return a text")]);
  });

  it("that nobody has begun is gone at once, and leaves nothing in the store", async () => {
    const { store, written } = createNotingStore();
    const { handler } = serve({ eventStore: store, limits: { keepAliveMs: 0 } });
    for (let count = 0; count < 20; count++) {
      const runId = crypto.randomUUID();
      expect((await send(handler, "DELETE", TOKEN, runId)).status).toBe(204);
      const { text } = await answerOf(await send(handler, "GET", TOKEN, runId));
      expect(text.match(/"type":"error"/g)).toHaveLength(1);
    }
    expect(written).toEqual([]);
  });

  it("is known everywhere before its first event", async () => {
    const eventStore = createStore();
    const stream = new AssistantMessageEventStream();
    const { handler } = serve({ eventStore, streamFn: () => stream });
    const runId = (await send(handler, "POST", TOKEN)).headers.get("x-run-id") ?? "";
    const again = await send(serve({ eventStore }).handler, "GET", TOKEN, runId);
    stream.push({ type: "done", reason: "stop", message: fauxAssistantMessage("Hello") });
    expect(await soon("the response", again.text())).toMatch(/^id: 1\ndata: \{"type":"start".*"type":"done"/s);
  });

  it("whose store fails at the beginning is aborted, and its client is told", async () => {
    const begin = () => Promise.reject(new Error("The store is down"));
    const upstream = createNeverEnding();
    const { handler, errors, usages } = serve({
      eventStore: { ...createStore(), begin },
      streamFn: upstream.streamFn,
    });
    expect((await send(handler, "POST", TOKEN)).status).toBe(500);
    await soon("the abort of the provider's request", upstream.aborted);
    expect(errors.map(String)).toEqual(["Error: The store is down"]);
    await eventually(() => expect(usages).toHaveLength(1));
  });
});

/** A relay whose every connection ends after one event. */
function createFlappingRelay(eventAt: (id: number) => object) {
  const requests: string[] = [];
  let sent = 0;
  const fetch: Network["fetch"] = async (_input, init) => {
    requests.push(`${init?.method} ${new Headers(init?.headers).get("last-event-id")}`);
    const body = `data: ${JSON.stringify(eventAt(sent++))}\n\n`;
    return new Response(body, { headers: { "x-run-id": "1" } });
  };
  return { fetch, requests };
}

describe("a client of a relay", () => {
  it("gives up after several attempts without an event, with the error of the network", async () => {
    const eventStore = createStore();
    const upstream = createNeverEnding();
    const { handler } = serve({ eventStore, streamFn: upstream.streamFn });
    let requests = 0;
    const fetch: Network["fetch"] = async (input, init) => {
      if (requests++ > 0 && init?.method === "GET") throw new TypeError("fetch failed");
      const response = await handler(new Request(String(input), init));
      if (init?.method === "DELETE") return response;
      const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError("The network broke")) });
      return new Response(broken, response);
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const result = call({ fetch }).result();
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(await result).toMatchObject({
      stopReason: "error",
      errorMessage: "fetch failed",
      error: { kind: "network" },
    });
    await soon("the abort of the provider's request", upstream.aborted);
    expect(requests).toBe(8);
  });

  it.each<[string, object]>([
    ["start", { type: "start" }],
    ["text_start", { type: "text_start", contentIndex: 0 }],
    ["text_delta", { type: "text_delta", contentIndex: 0, delta: "" }],
    ["an event that it does not know", { type: "news" }],
  ])("gives up after several connections with nothing but %s", async (_, event) => {
    const { fetch, requests } = createFlappingRelay((id) =>
      id === 0 ? { type: "text_start", contentIndex: 0 } : event,
    );
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const result = call({ fetch }).result();
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(await result).toMatchObject({ stopReason: "error", error: { kind: "protocol" } });
    const ids = Array.from({ length: 6 }, (_, index) => `GET ${index + 1}`);
    expect(requests).toEqual(["POST null", ...ids, "DELETE null"]);
  });

  it("waits when connections with content are lost one after the other", async () => {
    const { fetch, requests } = createFlappingRelay((id) =>
      id === 0 ? { type: "text_start", contentIndex: 0 } : { type: "text_delta", contentIndex: 0, delta: "a" },
    );
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const leaving = new AbortController();
    const result = call({ fetch }, { signal: leaving.signal }).result();
    await vi.advanceTimersByTimeAsync(4000);
    const count = requests.length;
    leaving.abort();
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(await result).toMatchObject({ stopReason: "aborted", content: [{ text: "a".repeat(count - 1) }] });
    // At once after the first loss, then four times a second.
    expect(count).toBe(18);
  });

  it("reads on at once when a connection is lost now and then", async () => {
    const { fetch, requests } = createFlappingRelay((id) =>
      id === 0 ? { type: "text_start", contentIndex: 0 } : { type: "text_delta", contentIndex: 0, delta: "a" },
    );
    const slow: Network["fetch"] = async (input, init) => {
      const response = await fetch(input, init);
      const ended = Promise.withResolvers<void>();
      setTimeout(ended.resolve, 1000);
      const body = response.body?.pipeThrough(new TransformStream({ flush: () => ended.promise }));
      return new Response(body ?? null, response);
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const leaving = new AbortController();
    const result = call({ fetch: slow }, { signal: leaving.signal }).result();
    await vi.advanceTimersByTimeAsync(4500);
    const count = requests.length;
    leaving.abort();
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(await result).toMatchObject({ stopReason: "aborted" });
    expect(count).toBe(5);
  });
});
