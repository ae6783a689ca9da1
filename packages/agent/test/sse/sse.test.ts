/** Runs that reach pages over connections that fail, from two web servers that share a store. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, type AgentMessage, type AgentMiddleware, type AgentOptions, agentLoop, runAgentLoop } from "pi-agent";
import { durable } from "pi-agent/durable";
import { createMemoryEventStore, type PublishOptions, publish, stopRun } from "pi-agent/event-store";
import { createRunResponse, type RunEvent } from "pi-agent/sse";
import { applyRunEvent, type RunView, readRun } from "pi-agent/sse/client";
import { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall, registerFauxProvider } from "pi-ai";
import { type EventStore, toNodeListener } from "pi-ai/proxy-server";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, soon, turns } from "../../../../test/support/patience.js";
import { MODEL, scripted, stuckAfter, text } from "../scripted-stream.js";
import { result, tool } from "../scripted-tool.js";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function createStore(keepEvents?: number) {
  const store = createMemoryEventStore<RunEvent>(keepEvents === undefined ? {} : { keepEvents });
  stops.push(() => store.close());
  return store;
}

/** A web server whose connections fail after a few events each. */
async function serve(store: EventStore<RunEvent>, breakAfter: () => number = () => Number.POSITIVE_INFINITY) {
  const server: Server = createServer(
    toNodeListener((request) => {
      const response = createRunResponse(store, new URL(request.url).pathname.slice(1), { request });
      return new Response(breakOff(response.body!, breakAfter()), { headers: response.headers });
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Cuts the last piece in two, as a network does. */
function breakOff(body: ReadableStream<Uint8Array>, after: number): ReadableStream<Uint8Array> {
  let left = after;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      if (left-- > 0) return controller.enqueue(piece);
      controller.enqueue(piece.subarray(0, piece.length / 2));
      controller.error(new Error("The network broke"));
    },
  });
  return body.pipeThrough(cut);
}

const SLEEPLESS = { sleep: () => turns(1) };

async function view(events: AsyncIterable<[number, RunEvent]>, start: RunView = { messages: [] }): Promise<RunView> {
  let current = start;
  for await (const [, event] of events) current = applyRunEvent(current, event);
  return current;
}

const words = Array.from({ length: 60 }, (_, index) => `word ${index} 🌍 `).join("");
const steps = () => [
  fauxAssistantMessage([fauxThinking(words), fauxText(words), fauxToolCall("look", { at: words }, { id: "c1" })], {
    stopReason: "toolUse" as const,
  }),
  fauxAssistantMessage(words),
];
/** An agent whose responses arrive in many deltas. */
function createAgent(more: Partial<AgentOptions> = {}, messages: AgentMessage[] = []): Agent {
  const faux = registerFauxProvider({ tokenSize: { min: 1, max: 3 } });
  faux.setResponses(steps());
  stops.push(() => faux.unregister());
  const look = tool("look", async () => result("seen", { details: { shown: true } }));
  return new Agent({
    initialState: { model: faux.getModel(), tools: [{ ...look, parameters: {} as never }], messages },
    ...more,
  });
}

describe("a published run", () => {
  it("shows the agent's conversation in a page", async () => {
    const store = createStore();
    const agent = createAgent();
    agent.middleware = [publish(store, "a")];
    const reading = view(readRun(`${await serve(store)}/a`));
    await agent.prompt("Go.");
    const seen = await soon("the end of the run", reading);
    expect(seen).toEqual({ messages: JSON.parse(JSON.stringify(agent.state.messages)) });
  });

  it("is complete after any number of lost connections, on two servers", async () => {
    for (const lengths of [[0, 3], [2], [2, 5, 3], [7]]) {
      const store = createStore();
      const agent = createAgent();
      agent.middleware = [publish(store, "a")];
      let connection = 0;
      // A server that sends nothing is only temporary.
      const breakAfter = () => (lengths[connection++ % lengths.length] ?? 0) + (connection > 200 ? 1000 : 0);
      const hosts = [await serve(store, breakAfter), await serve(store, breakAfter)];
      let turn = 0;
      const alternate: typeof fetch = (url, init) =>
        fetch(String(url).replace("http://any", hosts[turn++ % 2] ?? ""), init);
      const offsets: number[] = [];
      const events = readRun("http://any/a", { fetch: alternate, maxAttempts: 500, ...SLEEPLESS });
      const reading = (async () => {
        let current: RunView = { messages: [] };
        for await (const [offset, event] of events) {
          offsets.push(offset);
          current = applyRunEvent(current, event);
        }
        return current;
      })();
      await agent.prompt("Go.");
      expect((await soon("the end", reading)).messages).toEqual(JSON.parse(JSON.stringify(agent.state.messages)));
      expect(offsets).toEqual(offsets.map((_, index) => index + 1));
      expect(connection).toBeGreaterThan(3);
    }
  });

  it("continues after a reload of the page, from the offset or from the beginning", async () => {
    const store = createStore();
    const agent = createAgent();
    agent.middleware = [publish(store, "a")];
    await agent.prompt("Go.");
    const url = `${await serve(store)}/a`;
    let current: RunView = { messages: [] };
    let last = 0;
    for await (const [offset, event] of readRun(url)) {
      current = applyRunEvent(current, event);
      last = offset;
      if (offset === 9) break;
    }
    expect(current.streamingMessage).toBeDefined();
    const whole = JSON.parse(JSON.stringify(agent.state.messages));
    expect((await view(readRun(url, { lastEventId: last }), current)).messages).toEqual(whole);
    expect((await view(readRun(url))).messages).toEqual(whole);
  });

  it("sends one snapshot for dropped events, with the conversation before the run", async () => {
    const earlier: AgentMessage[] = [{ role: "user", content: "Earlier", timestamp: 1 }];
    for (const snapshotEvery of [1, 7, 50]) {
      const store = createStore(2);
      const agent = createAgent({}, earlier);
      agent.middleware = [publish(store, "a", { snapshotEvery })];
      await agent.prompt("Go.");
      const url = `${await serve(store)}/a`;
      const types: string[] = [];
      let current: RunView = { messages: [] };
      for await (const [, event] of readRun(url)) {
        types.push(event.type);
        current = applyRunEvent(current, event);
      }
      expect(types.filter((type) => type === "snapshot")).toHaveLength(1);
      expect(types[0]).toBe("snapshot");
      expect(current.messages).toEqual(JSON.parse(JSON.stringify(agent.state.messages)));
    }
  });

  it("is stopped from another server, and ends for its readers", async () => {
    const store = createStore();
    const started = Promise.withResolvers<void>();
    const agent = new Agent({
      initialState: {
        tools: [
          tool("wait", (_id, _args, signal) => {
            started.resolve();
            return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("stopped"))));
          }),
        ],
      },
      streamFn: createScriptedStreamFn([fauxAssistantMessage(fauxToolCall("wait", {}), { stopReason: "toolUse" })]),
    });
    agent.middleware = [publish(store, "a")];
    const reading = view(readRun(`${await serve(store)}/a`));
    const run = agent.prompt("Go.");
    await soon("the tool", started.promise);
    await stopRun(store, "a");
    await soon("the end of the run", run);
    expect((await soon("the end for readers", reading)).messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  });

  it("shows a page only selected data, in snapshots too", async () => {
    const store = createStore(0);
    const agent = createAgent();
    const select: PublishOptions["select"] = (event) =>
      event.type === "snapshot" ? { ...event, messages: [] } : event.type.startsWith("tool_") ? undefined : event;
    agent.middleware = [publish(store, "a", { select, snapshotEvery: 40 })];
    await agent.prompt("Go.");
    const types: string[] = [];
    for await (const [, event] of readRun(`${await serve(store)}/a`)) {
      types.push(event.type);
      if (event.type === "snapshot") expect(event.messages).toEqual([]);
    }
    expect(types).toContain("snapshot");
    expect(types.some((type) => type.startsWith("tool_"))).toBe(false);
  });

  it("reports a failing store at the end, and continues without it", async () => {
    const errors: unknown[] = [];
    const broken: EventStore<RunEvent> = {
      ...createStore(),
      append: () => Promise.reject(new Error("The store is down")),
    };
    const agent = createAgent();
    agent.middleware = [publish(broken, "a", { onError: (error) => errors.push(error) })];
    await agent.prompt("Go.");
    expect(agent.state.messages).toHaveLength(4);
    expect(errors.map(String)).toEqual(["Error: The store is down"]);
  });

  it("sends what JSON cannot hold as text, and lacks no message", async () => {
    const store = createStore();
    const agent = new Agent({
      initialState: { tools: [tool("big", async () => result("seen", { details: { count: 7n } }))] },
      streamFn: createScriptedStreamFn([
        fauxAssistantMessage(fauxToolCall("big", {}), { stopReason: "toolUse" }),
        fauxAssistantMessage("Done."),
      ]),
    });
    agent.middleware = [publish(store, "a", { snapshotEvery: 1 })];
    await agent.prompt("Go.");
    const { messages } = await view(readRun(`${await serve(store)}/a`));
    expect(messages).toHaveLength(4);
    expect(messages[2]).toMatchObject({ content: [{ text: "seen" }], details: { count: "7" } });
  });

  it("leaves out an event whose selection throws, and reports it", async () => {
    const errors: unknown[] = [];
    const select = (event: RunEvent): RunEvent => {
      if (event.type === "turn_start") throw new Error("no");
      return event;
    };
    const agent = createAgent();
    agent.middleware = [publish(createStore(), "a", { select, onError: (error) => errors.push(error) })];
    await agent.prompt("Go.");
    expect(errors.map(String)).toEqual(["Error: no", "Error: no"]);
  });
});

describe("the published run", () => {
  const config = (middleware: readonly AgentMiddleware[]) => ({ model: MODEL, convertToLlm: () => [], middleware });
  const context = { systemPrompt: "", messages: [] };
  const read = async (store: EventStore<RunEvent>, runId: string): Promise<RunEvent[]> => {
    const events: RunEvent[] = [];
    for await (const [, event] of store.read(runId)) events.push(event);
    return events;
  };

  it("may be that of a function of the loop, with its deltas", async () => {
    const store = createStore();
    const stream = agentLoop([], context, config([publish(store, "a")]), undefined, scripted(text("Hello")).streamFn);
    const messages = await stream.result();
    const events = await read(store, "a");
    expect(events.map(({ type }) => type)).toContain("message_update");
    expect(events.reduce(applyRunEvent, { messages: [] as AgentMessage[] } as RunView).messages).toEqual(messages);
  });

  it("has an id for each run of an agent", async () => {
    const store = createStore();
    let count = 0;
    const agent = new Agent({
      initialState: { model: MODEL },
      streamFn: scripted().streamFn,
      middleware: [publish(store, () => `run ${++count}`)],
    });
    await agent.prompt("One");
    await agent.prompt("Two");
    for (const run of ["run 1", "run 2"]) expect((await read(store, run)).at(-1)).toEqual({ type: "agent_end" });
  });

  it("is stopped at once if it was stopped before it began", async () => {
    const store = createStore();
    const agent = new Agent({
      initialState: { model: MODEL },
      streamFn: scripted(stuckAfter([])).streamFn,
      middleware: [publish(store, "a")],
    });
    await stopRun(store, "a");
    await soon("the end of the run", agent.prompt("Go."));
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  });

  it("ends for its readers when a function of the loop rejects, and not when an engine fails", async () => {
    const store = createStore();
    const failing = { ...config([publish(store, "a")]), convertToLlm: () => Promise.reject(new Error("no")) };
    await expect(runAgentLoop([], context, failing, () => {}, undefined, scripted().streamFn)).rejects.toThrow("no");
    expect((await read(store, "a")).at(0)).toEqual({ type: "agent_start" });
    const steps = { runId: "b", run: () => Promise.reject(new Error("no database")) };
    const agent = new Agent({
      steps: durable(steps),
      initialState: { model: MODEL },
      streamFn: scripted().streamFn,
      middleware: [publish(store, "b")],
    });
    await expect(agent.prompt("Go.")).rejects.toThrow("no database");
    // Another process may continue it.
    await store.append("b", { type: "agent_start" });
  });
});

describe("a reader", () => {
  const end = () => new Response("event: end\ndata:\n\n");

  it("retries after failures of servers and networks, up to a limit", async () => {
    const waits: number[] = [];
    const responses = [new Response("", { status: 503 }), new Response("", { status: 429 }), undefined, end()];
    const fetch = async () => {
      const response = responses.shift();
      if (!response) throw new TypeError("fetch failed");
      return response;
    };
    const sleep = async (milliseconds: number) => waits.push(milliseconds);
    expect(await view(readRun("http://x", { fetch, sleep }))).toEqual({ messages: [] });
    expect(waits).toEqual([200, 400, 800]);
    await expect(view(readRun("http://x", { fetch, maxAttempts: 3, ...SLEEPLESS }))).rejects.toThrow("fetch failed");
  });

  it("does not retry after a rejection, or if the events are gone", async () => {
    let requests = 0;
    const respond = (response: Response) => ({
      ...SLEEPLESS,
      fetch: async () => {
        requests++;
        return response;
      },
    });
    await expect(view(readRun("http://x", respond(new Response("", { status: 403 }))))).rejects.toThrow(
      "The run cannot be read: status 403",
    );
    const gone = new Response("event: gone\ndata:\n\n");
    await expect(view(readRun("http://x", respond(gone)))).rejects.toThrow("The events of the run are gone");
    expect(requests).toBe(2);
    const url = `${await serve(createStore())}/never`;
    await expect(view(readRun(url, { lastEventId: 5 }))).rejects.toThrow("The events of the run are gone");
  });

  it("ends with its signal, and frees the server", async () => {
    const store = createStore();
    let readers = 0;
    const counted: EventStore<RunEvent> = {
      ...store,
      read: async function* (...words) {
        readers++;
        try {
          yield* store.read(...words);
        } finally {
          readers--;
        }
      },
    };
    const leaving = new AbortController();
    const reading = view(readRun(`${await serve(counted)}/a`, { signal: leaving.signal }));
    await eventually(() => expect(readers).toBe(1));
    leaving.abort();
    expect(await soon("the end of the reader", reading)).toEqual({ messages: [] });
    await eventually(() => expect(readers).toBe(0));
  });

  it.each(["x", "-1", "1e3", "9".repeat(16), "1; drop"])("reads from the beginning for the offset %j", async (id) => {
    const store = createStore();
    await store.append("a", { type: "agent_start" });
    await store.end("a");
    const request = new Request("http://x/a", { headers: { "last-event-id": id } });
    expect(await createRunResponse(store, "a", { request }).text()).toBe(
      'id: 1\ndata: {"type":"agent_start"}\n\nevent: end\ndata:\n\n',
    );
  });

  it("learns that a run which nobody has begun is gone", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const store = createStore();
    const text = createRunResponse(store, "unknown").text();
    const later = createRunResponse(store, "later").text();
    const patient = createRunResponse(store, "unknown", { startMs: 3000 }).text();
    // Published here, and begun later than any other run could be.
    const agent = createAgent();
    agent.middleware = [publish(store, "slow")];
    const slow = createRunResponse(store, "slow").text();
    await vi.advanceTimersByTimeAsync(900);
    await store.append("later", { type: "agent_end" });
    await vi.advanceTimersByTimeAsync(100);
    expect(await text).toBe("event: gone\ndata:\n\n");
    await vi.advanceTimersByTimeAsync(1999);
    expect(await Promise.race([patient, Promise.resolve("waits")])).toBe("waits");
    await vi.advanceTimersByTimeAsync(1);
    expect(await patient).toBe("event: gone\ndata:\n\n");
    await store.end("later");
    expect(await later).toContain("event: end");
    vi.useRealTimers();
    await agent.prompt("Go.");
    expect(await soon("the end of the run", slow)).toMatch(/"agent_end".*event: end/s);
  });

  it("waits for a run in a store that does not tell which runs it has", async () => {
    const { has: _, ...store } = createStore();
    const text = createRunResponse(store, "a", { startMs: 0 }).text();
    await turns(10);
    await store.append("a", { type: "agent_end" });
    await store.end("a");
    expect(await soon("the end", text)).toContain('"agent_end"');
  });

  it("receives keep-alive comments during silence", async () => {
    const store = createStore();
    const response = createRunResponse(store, "a", { keepAliveMs: 1, startMs: 600_000 });
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    expect(decoder.decode((await soon("a comment", reader.read())).value)).toBe(": keep-alive\n\n");
    await store.append("a", { type: "turn_start" });
    let text = "";
    while (!text.includes("turn_start")) text = decoder.decode((await soon("the event", reader.read())).value);
    await reader.cancel();
  });
});
