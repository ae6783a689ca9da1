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
import { afterEach, describe, expect, it, vi } from "vitest";
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
    // An unknown id leaves no open run in the store.
    await expect(eventStore.append(`${runId}/stop`, "stop")).rejects.toThrow("has ended");
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
});
