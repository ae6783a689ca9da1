/** What is around the stream function of an agent, together with what an agent does itself. */
import * as diagnosticsChannel from "node:diagnostics_channel";
import { Agent, type AgentMiddleware, type StreamFn } from "pi-agent";
import { createChannelApi, trace } from "pi-agent/otel";
import {
  type AssistantMessage,
  AssistantMessageEventStream,
  type Context,
  fauxAssistantMessage,
  type Model,
  type SimpleStreamOptions,
} from "pi-ai";
import { type CacheBreak, watchCache } from "pi-ai/cache";
import { composeStreams, mapStream } from "pi-ai/middleware";
import { traceStream } from "pi-ai/otel";
import { route } from "pi-ai/route";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RecordedSpans, recordSpans } from "../../ai/test/support/recorded-spans.js";

const model = (id: string, provider = "p1"): Model => ({
  id,
  name: id,
  api: "scripted",
  provider,
  baseUrl: "https://example.invalid",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 100,
});
const ONE = model("one");
const TWO = model("two", "p2");
const OVERLOADED: AssistantMessage = {
  ...fauxAssistantMessage([], { stopReason: "error", errorMessage: "overloaded" }),
  error: { kind: "overloaded" },
};

interface Call {
  model: Model;
  context: Context;
  options: SimpleStreamOptions;
}

/** A stream function that keeps its requests. */
function scripted(respond: (call: Call, index: number) => AssistantMessage = () => fauxAssistantMessage("Hello")) {
  const calls: Call[] = [];
  const streamFn = (asked: Model, context: Context, options: SimpleStreamOptions = {}): AssistantMessageEventStream => {
    const call = { model: asked, context, options };
    return createScriptedStreamFn([respond(call, calls.push(call) - 1)])(asked, context, options);
  };
  return Object.assign(streamFn, { calls });
}

const later =
  (streamFn: StreamFn): StreamFn =>
  async (...request) =>
    streamFn(...request);

describe("the keys of a route", () => {
  const keysOf = ({ calls }: { calls: readonly Call[] }) =>
    calls.map(({ model, options }) => [model.id, options.apiKey]);

  test("of another provider come from the agent's getApiKey, each asked when it is needed", async () => {
    const asked: string[] = [];
    const base = scripted(({ model }) => (model === ONE ? OVERLOADED : fauxAssistantMessage("Hello")));
    const agent = new Agent({
      initialState: { model: ONE },
      getApiKey: async (provider) => {
        asked.push(provider);
        return `key-of-${provider}`;
      },
      streamFn: route([ONE, TWO], { streamFn: base, retryAfterAtMost: 0 }),
    });
    await agent.prompt("Hi");
    expect(keysOf(base)).toEqual([
      ["one", "key-of-p1"],
      ["two", "key-of-p2"],
    ]);
    expect(asked).toEqual(["p1", "p2"]);
    expect(JSON.stringify(agent.state.messages)).not.toContain("key-of");
  });

  test("come from the route where it has its own, and are hidden where a stream function quotes them", async () => {
    const quoting = scripted(({ model, options }) => {
      if (model === ONE) return OVERLOADED;
      throw new Error(`Refused: ${options.apiKey}`);
    });
    const run = async (targets: Parameters<typeof route>[0]) => {
      const agent = new Agent({
        initialState: { model: ONE },
        getApiKey: (provider) => `secret-key-of-${provider}`,
        streamFn: route(targets, { streamFn: quoting, retryAfterAtMost: 0 }),
      });
      await agent.prompt("Hi");
      return agent.state.errorMessage;
    };
    expect(await run([ONE, { model: TWO, apiKeys: ["own-key-of-the-route"] }])).toMatch(/^Refused: (?!own-key)/);
    expect(quoting.calls[1]?.options.apiKey).toBe("own-key-of-the-route");
    expect(await run([ONE, TWO])).toMatch(/^Refused: (?!secret-key)/);
    expect(quoting.calls[3]?.options.apiKey).toBe("secret-key-of-p2");
  });

  test("are asked for side requests, too, and an abort does not wait for them", async () => {
    const base = scripted(({ model }) => (model === ONE ? OVERLOADED : fauxAssistantMessage("Hello")));
    const judge: AgentMiddleware = {
      name: "judge",
      begin: (run) => ({
        wrapModelCall: async (request, send) => {
          await run.request({ model: ONE, context: request.context });
          return send(request);
        },
      }),
    };
    const agent = new Agent({
      initialState: { model: ONE },
      getApiKey: (provider) => `key-of-${provider}`,
      streamFn: route([ONE, TWO], { streamFn: base, breaker: { failures: 9, coolMs: 1 } }),
      middleware: [judge],
    });
    await agent.prompt("Hi");
    const keys = keysOf(base).filter(([id]) => id === "two");
    expect(keys).toEqual([
      ["two", "key-of-p2"],
      ["two", "key-of-p2"],
    ]);

    const stuck = new Agent({
      initialState: { model: ONE },
      getApiKey: (provider) => (provider === "p1" ? "key" : new Promise(() => stuck.abort())),
      streamFn: route([ONE, TWO], { streamFn: scripted(() => OVERLOADED) }),
    });
    await stuck.prompt("Hi");
    expect(stuck.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  });
});

describe("a watched cache", () => {
  let now = 0;
  // A model that has refused is available again at the next prompt.
  const clock = { now: () => now, wait: async () => {} };
  /** Four prompts, the last one with another system prompt. Every second request to the first model is refused. */
  async function breaksOf(compose: (base: StreamFn, onBreak: (found: CacheBreak, broken: Model) => void) => StreamFn) {
    const broken: string[] = [];
    let requests = 0;
    const base = scripted(({ model }) =>
      model === ONE && ++requests % 2 === 0 ? OVERLOADED : fauxAssistantMessage("Hello"),
    );
    const streamFn = compose(base, (_found, { id }) => broken.push(id));
    const agent = new Agent({ initialState: { model: ONE }, streamFn, sessionId: "s" });
    for (const [index, prompt] of ["a", "b", "c", "d"].entries()) {
      now += 60_000;
      if (index === 3) agent.state.systemPrompt = "Another one";
      await agent.prompt(prompt);
    }
    const noted = agent.state.messages.filter(
      (message) => message.role === "assistant" && message.diagnostics?.some(({ type }) => type === "cache_broken"),
    );
    return { broken, noted: noted.length };
  }

  test("around a route is that of the conversation with the model that was asked for", async () => {
    const found = await breaksOf((base, onBreak) =>
      composeStreams(base, [
        (next) => watchCache(next, { onBreak }),
        (next) => route([ONE, TWO], { clock, streamFn: next }),
      ]),
    );
    expect(found).toEqual({ broken: ["one"], noted: 1 });
  });

  test("inside of a route is that of each model", async () => {
    const found = await breaksOf((base, onBreak) =>
      composeStreams(base, [
        (next) => route([ONE, TWO], { clock, streamFn: next }),
        (next) => watchCache(next, { onBreak }),
      ]),
    );
    expect(found).toEqual({ broken: ["one", "two"], noted: 1 });
  });

  test("that breaks leaves a run around an asynchronous stream function as it is", async () => {
    for (const streamFn of [
      watchCache(later(scripted())),
      watchCache(route([ONE], { streamFn: later(scripted()) })),
      route([ONE], { streamFn: watchCache(later(scripted())) }),
    ]) {
      const agent = new Agent({ initialState: { model: ONE }, streamFn });
      await agent.prompt("a");
      agent.state.systemPrompt = "Another one";
      await agent.prompt("b");
      expect(agent.state.messages.at(-1)).toMatchObject({
        content: [{ text: "Hello" }],
        diagnostics: [{ type: "cache_broken" }],
      });
    }
  });

  test("that breaks passes on the abort of an agent, and of a reader that leaves", async () => {
    let left = 0;
    const source = watchCache(() => {
      const stream: AssistantMessageEventStream = new AssistantMessageEventStream({ onAbandoned: () => left++ });
      stream.push({ type: "start", partial: fauxAssistantMessage("") });
      return stream;
    });
    const ask = (systemPrompt: string) => source(ONE, { systemPrompt, messages: [] }, { sessionId: "s" });
    for (const prompt of ["whole", "broken"]) for await (const _ of ask(prompt)) break;
    expect(left).toBe(2);
    const agent = new Agent({ initialState: { model: ONE, systemPrompt: "again" }, streamFn: source, sessionId: "s" });
    agent.subscribe((event) => {
      if (event.type === "message_start" && event.message.role === "assistant") agent.abort();
    });
    await agent.prompt("Hi");
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
    expect(left).toBe(3);
  });
});

describe("a traced stream function of a traced agent", () => {
  let spans: RecordedSpans;
  beforeEach(() => {
    spans = recordSpans();
  });
  afterEach(() => spans.stop());

  test.each<[string, AgentMiddleware[]]>([
    ["", []],
    [
      " through middleware that copies the request",
      [
        {
          name: "copy",
          begin: () => ({
            wrapModelCall: (request, send) =>
              send({ ...request, context: { ...request.context }, options: { ...request.options } }),
          }),
        },
      ],
    ],
  ])("records each request once%s", async (_name, middleware) => {
    const streamFn = composeStreams(scripted(), [
      (next) => traceStream(next, { api: createChannelApi(diagnosticsChannel) }),
      (next) => route([ONE], { streamFn: traceStream(next, { api: spans.api }) }),
    ]);
    const agent = new Agent({
      initialState: { model: ONE },
      streamFn,
      middleware: [trace({ api: spans.api }), ...middleware],
    });
    await agent.prompt("Hi");
    await agent.prompt("Hi again");
    expect(spans.ended.filter(({ name }) => name === "chat one")).toHaveLength(2);
    expect(spans.metrics.filter(({ name }) => name === "gen_ai.client.operation.duration")).toHaveLength(2);
    expect(spans.open).toEqual([]);
  });
});

test("middleware of the application changes what an agent shows, and sees an abort", async () => {
  const seen: string[] = [];
  const streamFn = composeStreams(scripted(), [
    (next) => (asked, context, options) =>
      mapStream(next(asked, context, options), {
        onEvent: (event) => (event.type === "text_delta" ? { ...event, delta: event.delta.toUpperCase() } : undefined),
        final: ({ stopReason }) => void seen.push(stopReason),
      }),
  ]);
  const agent = new Agent({ initialState: { model: ONE }, streamFn });
  const deltas: string[] = [];
  agent.subscribe((event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
      deltas.push(event.assistantMessageEvent.delta);
      if (deltas.length > 2) agent.abort();
    }
  });
  await agent.prompt("Hi");
  expect(deltas.join("")).toBe("HELLO");
  expect(seen).toEqual(["stop"]);
});
