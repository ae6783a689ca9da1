/**
 * Combinations of stream functions, middleware and options that must compile, checked by `tsc`. What can run without a
 * network runs, too.
 */
import {
  Agent,
  type AgentLoopConfig,
  type AssistantResponseStream,
  agentLoop,
  type StreamFn,
  streamProxy,
} from "pi-agent";
import { compact } from "pi-agent/compact";
import { limits } from "pi-agent/limits";
import * as ai from "pi-ai";
import { type AssistantMessageEventStream, fauxAssistantMessage, type Message, streamSimple } from "pi-ai";
import { streamAnthropic, streamSimpleAnthropic } from "pi-ai/anthropic";
import { watchCache } from "pi-ai/cache";
import { type CachedContent, withCachedContent } from "pi-ai/cached-content";
import { composeStreams, mapStream, type StreamMiddleware } from "pi-ai/middleware";
import { completeObject } from "pi-ai/object";
import { type OtelApi, traceStream } from "pi-ai/otel";
import { route } from "pi-ai/route";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, expectTypeOf, test } from "vitest";

const model = ai.getModel("anthropic", "claude-sonnet-4-5");
const context = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }] };
const cached: CachedContent = {
  name: "cachedContents/a",
  model,
  expiresAt: 0,
  prefix: { instructions: "", length: 0, contents: "" },
};
const api: OtelApi = {
  trace: {
    getTracer: () => ({ startSpan: () => ({ setAttributes() {}, addEvent() {}, setStatus() {}, end() {} }) }),
    setSpan: () => undefined,
  },
  context: { active: () => undefined, with: (_context, work) => work() },
  metrics: { getMeter: () => ({ createHistogram: () => ({ record() {} }) }) },
};
const scripted = () => createScriptedStreamFn([fauxAssistantMessage("Hello")]);
const later: StreamFn = async (...request) => scripted()(...request);

describe("a stream function of an agent", () => {
  const functions: Record<string, StreamFn> = {
    "of every api": streamSimple,
    "of every api, with its own options": ai.stream,
    "of one api": streamSimpleAnthropic,
    "of one api, with its own options": streamAnthropic,
    bedrock: ai.streamBedrock,
    codex: ai.streamOpenAICodexResponses,
    google: ai.streamGoogle,
    mistral: ai.streamSimpleMistral,
    responses: ai.streamAzureOpenAIResponses,
    "of another agent": new Agent().streamFn,
    asynchronous: later,
    scripted: scripted(),
    route: route([model]),
    "route of an api's own function": route([model], { streamFn: streamSimpleAnthropic }),
    "route of an agent's": route([model], { streamFn: new Agent().streamFn }),
    watched: watchCache(route([model])),
    "watched, of one api": watchCache(streamSimpleAnthropic),
    "watched, of an agent": watchCache(new Agent().streamFn),
    "watched relay": watchCache((m, c, o) => streamProxy(m, c, { ...o, proxyUrl: "https://x", authToken: "t" })),
    traced: traceStream(route([model], { streamFn: watchCache(streamSimple) }), { api }),
    "traced, of an agent": traceStream(new Agent().streamFn, { api }),
    "cached content": watchCache(withCachedContent(streamSimple, cached)),
    "cached content, of one api": withCachedContent(ai.streamSimpleGoogle, cached),
    composed: composeStreams(streamSimpleAnthropic, [
      (next) => traceStream(next, { api }),
      watchCache,
      (next) => route([model], { streamFn: next }),
      (next) => withCachedContent(next, cached),
    ]),
  };

  test.each(Object.entries(functions))("%s", (_name, streamFn) => {
    expect(new Agent({ streamFn, initialState: { model } }).streamFn).toBe(streamFn);
  });

  test("is not any function", () => {
    // @ts-expect-error: a string is not a model.
    const wrongModel: StreamFn = (name: string) => streamSimple(model, name);
    // @ts-expect-error: a number is not a stream.
    const noStream: StreamFn = () => 3;
    // @ts-expect-error: nothing is no stream.
    expect(() => watchCache(undefined)).toThrow("watchCache needs a stream function");
    expect([wrongModel, noStream]).toHaveLength(2);
  });

  test("that is asynchronous works wherever one is taken", async () => {
    for (const streamFn of [
      later,
      watchCache(later),
      traceStream(later, { api }),
      withCachedContent(later, cached),
      route([model], { streamFn: later }),
      composeStreams(later, [watchCache]),
    ]) {
      const agent = new Agent({ streamFn, initialState: { model } });
      await agent.prompt("Hi");
      expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
    }
    const config: AgentLoopConfig = { model, convertToLlm: (messages) => messages as Message[] };
    await agentLoop(
      [],
      { systemPrompt: "", ...context },
      { ...config, middleware: [limits({ budget: { turns: 9 } })] },
      undefined,
      later,
    ).result();
    const schema = ai.Type.Object({ a: ai.Type.Number() });
    const streamFn: StreamFn = async (...request) =>
      createScriptedStreamFn([fauxAssistantMessage(ai.fauxToolCall("output", { a: 1 }), { stopReason: "toolUse" })])(
        ...request,
      );
    expect((await completeObject(model, "x", { schema, streamFn, mode: "tool" })).object).toEqual({ a: 1 });
    expect(await compact().compact([], { model, streamFn: new Agent().streamFn })).toBeUndefined();
  });

  test("of the relay says what it needs from its caller", async () => {
    const agent = new Agent({ streamFn: streamProxy, initialState: { model } });
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toContain("streamProxy needs proxyUrl and authToken");
  });

  test("of one api throws for a model of another", async () => {
    const other = ai.getModel("openai", "gpt-5");
    expect(() => watchCache(streamSimpleAnthropic as StreamFn)(other, context)).toThrow("Mismatched api");
    const agent = new Agent({ streamFn: streamSimpleAnthropic, initialState: { model: other } });
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toContain("Mismatched api: openai-responses expected anthropic-messages");
  });
});

test("what is around a stream function keeps its arguments and its result", () => {
  expectTypeOf(watchCache(streamSimple)).returns.toEqualTypeOf<AssistantMessageEventStream>();
  expectTypeOf(watchCache(streamSimple)).toBeCallableWith(model, "Hi");
  expectTypeOf(traceStream(route([model]), { api })).returns.toEqualTypeOf<AssistantMessageEventStream>();
  expectTypeOf(watchCache(() => scripted()(model, context))).toBeCallableWith(model, context, { maxTokens: 1 });
  // @ts-expect-error: the function of one api takes its own models.
  expectTypeOf(watchCache(streamSimpleAnthropic)).toBeCallableWith(ai.getModel("openai", "gpt-5"), context);
  expectTypeOf(watchCache(later)).toEqualTypeOf<StreamFn>();
  expectTypeOf(composeStreams(streamSimple, [watchCache])).toEqualTypeOf<StreamFn>();
  expectTypeOf<ReturnType<StreamFn>>().toEqualTypeOf<AssistantResponseStream | Promise<AssistantResponseStream>>();
  expectTypeOf<ai.StreamFn>().toEqualTypeOf<StreamFn>();
  const counting: StreamMiddleware = (next) => (m, c, o) =>
    mapStream(next(m, c, o), { onEvent: ({ partial }) => void partial });
  expectTypeOf(counting).returns.toEqualTypeOf<StreamFn>();
});
