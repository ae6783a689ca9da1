import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RecordedSpans, recordSpans } from "../../test/support/recorded-spans.js";
import { createAssistantMessage } from "../assemble/empty-message.js";
import { AssistantMessageEventStream } from "../event-stream/assistant-message-event-stream.js";
import { fauxAssistantMessage, fauxText, fauxThinking } from "../faux/faux-message.js";
import { streamSimple } from "../stream.js";
import { createScriptedStreamFn } from "../testing/scripted-stream-fn.js";
import type { Context } from "../types/context.js";
import type { Model } from "../types/model.js";
import { traceStream } from "./trace-stream.js";

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
    expect(spans.ended[0]?.attributes["error.type"]).toBe("aborted");
  });

  test("when the stream has no reader", () => {
    const { stream, traced } = createManual();
    traced(MODEL, HI);
    stream.push({ type: "done", reason: "stop", message });
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
});
