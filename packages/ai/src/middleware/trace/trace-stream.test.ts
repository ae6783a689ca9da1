import * as diagnosticsChannel from "node:diagnostics_channel";
import {
  AssistantMessageEventStream,
  type Context,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  type Model,
  type SimpleStreamOptions,
  streamSimple,
} from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";
import { createChannelApi, createTelemetry, type OtelApi, traceStream } from "pi-ai/otel";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { turns } from "../../../../../test/support/patience.js";
import { type RecordedSpans, recordSpans } from "../../../test/support/recorded-spans.js";

const MODEL: Model = {
  id: "m-1",
  name: "M",
  api: "a",
  provider: "google",
  baseUrl: "https://example.invalid/v1",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 100_000, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

const HI: Context = { messages: [{ role: "user", content: "Hi", timestamp: 1 }] };

let spans: RecordedSpans;
beforeEach(() => {
  spans = recordSpans();
});
afterEach(() => spans.stop());

/** A stream function whose stream the test fills. */
function createManual() {
  const left: string[] = [];
  const stream = new AssistantMessageEventStream({
    onAbandoned: () => {
      left.push("abandoned");
      const error = {
        ...createAssistantMessage(MODEL),
        stopReason: "aborted" as const,
        error: { kind: "aborted" as const },
      };
      stream.push({ type: "error", reason: "aborted", error });
    },
  });
  const traced = traceStream((_model: Model, _context: Context) => stream, { api: spans.api });
  return { left, stream, traced };
}

test("a request is a span with the facts of the conventions", async () => {
  const message = fauxAssistantMessage([fauxThinking("hm"), fauxText("Hello")], {
    responseId: "r-1",
    usage: {
      input: 3,
      output: 5,
      cacheRead: 7,
      cacheWrite: 11,
      reasoning: 2,
      totalTokens: 26,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
    },
  });
  const traced = traceStream(createScriptedStreamFn([{ ...message, responseModel: "m-1-dated" }]), { api: spans.api });
  const events = [];
  for await (const event of traced(MODEL, HI, { maxTokens: 10, temperature: 0, sessionId: "s-1" }))
    events.push(event.type);
  expect(events.at(-1)).toBe("done");
  expect(spans.ended).toHaveLength(1);
  expect(spans.ended[0]).toMatchObject({ name: "chat m-1" });
  expect(spans.ended[0]?.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "gcp.gemini",
    "gen_ai.request.model": "m-1",
    "gen_ai.request.stream": true,
    "gen_ai.request.max_tokens": 10,
    "gen_ai.request.temperature": 0,
    "gen_ai.conversation.id": "s-1",
    "server.address": "example.invalid",
    "server.port": 443,
    "gen_ai.response.time_to_first_chunk": expect.any(Number),
    "gen_ai.response.id": "r-1",
    "gen_ai.response.model": "m-1-dated",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 21,
    "gen_ai.usage.output_tokens": 5,
    "gen_ai.usage.cache_read.input_tokens": 7,
    "gen_ai.usage.cache_creation.input_tokens": 11,
    "gen_ai.usage.reasoning.output_tokens": 2,
    "pi.usage.cost": 0.5,
  });
});

test("the metrics name the server and the model that responded, with the boundaries of the conventions", async () => {
  const message = { ...fauxAssistantMessage("Hello"), responseModel: "m-1-dated" };
  const created = new Map<string, number[]>();
  const api: OtelApi = {
    ...spans.api,
    metrics: {
      getMeter: (name) => {
        const meter = spans.api.metrics.getMeter(name);
        return {
          createHistogram: (metric, options) => {
            created.set(metric, options.advice.explicitBucketBoundaries);
            return meter.createHistogram(metric, options);
          },
        };
      },
    },
  };
  const traced = traceStream(createScriptedStreamFn([message]), { api });
  await traced({ ...MODEL, baseUrl: "http://127.0.0.1:8080/v1" }, HI).result();
  expect(spans.metrics.map(({ name }) => name)).toEqual([
    "gen_ai.client.operation.time_to_first_chunk",
    "gen_ai.client.token.usage",
    "gen_ai.client.token.usage",
    "gen_ai.client.operation.duration",
  ]);
  for (const { name, attributes } of spans.metrics)
    expect(attributes).toMatchObject({
      "server.address": "127.0.0.1",
      "server.port": 8080,
      // Known only at the end of this response.
      "gen_ai.response.model": name.endsWith("first_chunk") ? expect.any(String) : "m-1-dated",
    });
  expect(created.get("gen_ai.client.operation.duration")?.slice(0, 2)).toEqual([0.01, 0.02]);
  expect(created.get("gen_ai.client.operation.duration")?.at(-1)).toBe(81.92);
  expect(created.get("gen_ai.client.token.usage")?.slice(0, 3)).toEqual([1, 4, 16]);
  createTelemetry({ api }).record("gen_ai.invoke_agent.duration", "s", 1, {});
  expect(created.get("gen_ai.invoke_agent.duration")).toEqual([
    0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6,
  ]);
});

test("a failure without counts reports no tokens, and no model that responded", async () => {
  const failed = {
    ...fauxAssistantMessage([], { stopReason: "error", errorMessage: "overloaded" }),
    error: { kind: "overloaded" as const, attempts: 3 },
  };
  const { stream, traced } = createManual();
  stream.push({ type: "error", reason: "error", error: { ...failed, usage: createAssistantMessage(MODEL).usage } });
  await traced(MODEL, HI).result();
  const names = Object.keys(spans.ended[0]?.attributes ?? {});
  expect(names.filter((name) => /usage|response\.model/.test(name))).toEqual([]);
  expect(spans.ended[0]?.attributes).toMatchObject({ "error.type": "overloaded", "pi.request.attempts": 3 });
  expect(spans.metrics.filter(({ attributes }) => "gen_ai.response.model" in attributes)).toEqual([]);
});

test("a request that succeeded at a second attempt says so", async () => {
  const answers = [
    new Response("busy", { status: 503 }),
    new Response(
      ['{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}', "[DONE]"]
        .map((data) => `data: ${data}\n\n`)
        .join(""),
      { headers: { "content-type": "text/event-stream" } },
    ),
  ];
  const traced = traceStream(streamSimple, { api: spans.api });
  const model = { ...MODEL, api: "openai-completions", provider: "openai" };
  const fetch = async (): Promise<Response> => answers.shift() ?? new Response("", { status: 500 });
  const message = await traced(model, HI, { apiKey: "k", fetch, maxRetryDelayMs: 1 }).result();
  expect(message).toMatchObject({ stopReason: "stop" });
  expect(spans.ended[0]?.attributes["pi.request.attempts"]).toBe(2);
});

describe("the span ends", () => {
  const message = createAssistantMessage(MODEL);

  test("when the stream had ended before it was returned", async () => {
    const { stream, traced } = createManual();
    stream.push({ type: "done", reason: "stop", message });
    expect(await traced(MODEL, HI).result()).toBe(message);
    expect(spans.open).toEqual([]);
  });

  test("when the reader leaves, which still aborts the request", async () => {
    const { left, stream, traced } = createManual();
    stream.push({ type: "start", partial: message });
    for await (const event of traced(MODEL, HI)) if (event.type === "start") break;
    expect(left).toEqual(["abandoned"]);
    await turns();
    expect(spans.ended[0]?.attributes["error.type"]).toBe("aborted");
  });

  test("when the stream has no reader", async () => {
    const { stream, traced } = createManual();
    traced(MODEL, HI);
    stream.push({ type: "done", reason: "stop", message });
    await turns();
    expect(spans.open).toEqual([]);
  });

  test("when the stream ends without a message", async () => {
    const { stream, traced } = createManual();
    const result = traced(MODEL, HI).result();
    stream.end();
    await expect(result).rejects.toThrow();
    expect(spans.ended[0]?.attributes["error.type"]).toBe("Error");
  });

  test("when the function throws", () => {
    const traced = traceStream(streamSimple, { api: spans.api });
    expect(() => traced({ ...MODEL, api: "nothing" }, HI)).toThrow();
    expect(spans.open).toEqual([]);
    expect(spans.ended[0]?.attributes["error.type"]).toBe("Error");
  });

  test("when an asynchronous function rejects", async () => {
    const traced = traceStream(async () => Promise.reject(new TypeError("No token")), { api: spans.api });
    await expect(traced(MODEL, HI)).rejects.toThrow("No token");
    expect(spans.open).toEqual([]);
    expect(spans.ended[0]?.attributes["error.type"]).toBe("TypeError");
  });
});

describe("a request that is traced twice", () => {
  const scripted = (count: number) =>
    createScriptedStreamFn(Array.from({ length: count }, () => fauxAssistantMessage("Hi")));
  const chats = () => spans.ended.map(({ name }) => name);

  test("is recorded once by the same API, by the outer function", async () => {
    const inner = traceStream(scripted(1), { api: createChannelApi(diagnosticsChannel) });
    // A copy of the options in between, as other middleware makes it.
    const outer = traceStream(
      (model: Model, context: Context, options?: SimpleStreamOptions) =>
        inner(model, context, { ...options, maxTokens: 5 }),
      { api: spans.api },
    );
    await outer(MODEL, HI).result();
    expect(chats()).toEqual(["chat m-1"]);
    expect(spans.metrics.filter(({ name }) => name === "gen_ai.client.operation.duration")).toHaveLength(1);
  });

  test("is recorded by each of two APIs", async () => {
    const other: string[] = [];
    const api: OtelApi = {
      ...spans.api,
      trace: {
        ...spans.api.trace,
        getTracer: (name) => {
          const tracer = spans.api.trace.getTracer(name);
          return {
            startSpan: (span, ...rest) => {
              other.push(span);
              return tracer.startSpan(`other ${span}`, ...rest);
            },
          };
        },
      },
    };
    await traceStream(traceStream(scripted(1), { api }), { api: spans.api })(MODEL, HI).result();
    expect(chats().sort()).toEqual(["chat m-1", "other chat m-1"]);
    expect(other).toEqual(["chat m-1"]);
  });

  test("is recorded again when it is sent again, at the same time or later", async () => {
    const traced = traceStream(scripted(3), { api: spans.api });
    const options = { maxTokens: 5 };
    await Promise.all([traced(MODEL, HI, options).result(), traced(MODEL, HI, options).result()]);
    await traced(MODEL, HI, options).result();
    expect(chats()).toHaveLength(3);
    expect(Reflect.ownKeys(options)).toEqual(["maxTokens"]);
  });
});
