/** Losses around stream functions that once happened where two features met. Each title says what was lost. */
import type { StreamFn } from "pi-agent";
import { limits } from "pi-agent/limits";
import { trace } from "pi-agent/otel";
import { type AssistantMessageEvent, AssistantMessageEventStream, type Model } from "pi-ai";
import { watchCache } from "pi-ai/cache";
import { composeStreams } from "pi-ai/middleware";
import { traceStream } from "pi-ai/otel";
import { route } from "pi-ai/route";
import { describe, expect, test } from "vitest";
import { SpanRecorder } from "./doubles.js";
import { create, ruled, say, working } from "./kit.js";
import { failed, MODEL } from "./server.js";

const ONE: Model = { ...MODEL, id: "one", provider: "p1" };
const TWO: Model = { ...MODEL, id: "two", provider: "p2" };
const breaker = { failures: 10_000, coolMs: 1 };

describe("traceStream", () => {
  test("S16: a request was traced, and its tokens measured, twice by an agent and its stream function", async () => {
    const recorder = new SpanRecorder();
    const { streamFn, requests } = working(0);
    const { api } = recorder;
    const agent = create({ streamFn: traceStream(streamFn, { api }), requests }, { middleware: [trace({ api })] });
    await agent.prompt("Hi");
    expect(recorder.named("chat").length).toBe(1);
    const tokens = recorder.metrics.filter(({ name }) => name === "gen_ai.client.token.usage");
    expect(tokens.map(({ value }) => value)).toEqual([1]);
  });
});

describe("route", () => {
  test("S13: the second model got the key of the environment, not that of the application", async () => {
    const asked = new Set<string>();
    const model = ruled((_, request) => (request.model.id === "one" ? failed("server", "Busy") : say("done")));
    const agent = create(
      { ...model, streamFn: route([ONE, TWO], { streamFn: model.streamFn, breaker }) },
      {
        initialState: { model: ONE },
        getApiKey: (provider) => {
          asked.add(provider);
          return `key-of-${provider}`;
        },
      },
    );
    await agent.prompt("Hi");
    expect([...asked]).toEqual(["p1", "p2"]);
    expect(model.requests.map(({ options }) => options.apiKey)).toEqual(["key-of-p1", "key-of-p2"]);
  });

  test.each([
    ["outside of", ["one"]],
    ["inside of", ["one", "two"]],
  ] as const)(
    "S20: it was not said what a watched cache sees %s a route: one conversation, or one for each model",
    async (where, models) => {
      const breaks: string[] = [];
      const model = ruled((_, request) => (request.model.id === "one" ? failed("server", "Busy") : say("done")));
      const around = [
        (next: StreamFn) => watchCache(next, { onBreak: (_, { id }) => void breaks.push(id) }),
        (next: StreamFn) => route([ONE, TWO], { streamFn: next, breaker }),
      ];
      const streamFn = composeStreams(model.streamFn, where === "outside of" ? around : around.reverse());
      const agent = create({ ...model, streamFn }, { initialState: { model: ONE }, sessionId: "s" });
      await agent.prompt("Hi");
      agent.state.systemPrompt = "changed";
      await agent.prompt("Hi");
      expect(breaks).toEqual(models);
    },
  );

  test("S12: the answer of a second model without the first one's way to ask for an output was not read", async () => {
    const claude: Model = { ...MODEL, id: "claude-sonnet-4-5", provider: "anthropic", api: "anthropic-messages" };
    const llama: Model = { ...MODEL, id: "llama-3-8b", provider: "groq", api: "openai-completions" };
    const model = ruled((_, request) =>
      request.model.id === llama.id ? say('{"city":"Oslo"}') : failed("server", "Busy"),
    );
    const streamFn = route([claude, llama], { streamFn: model.streamFn, breaker });
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const agent = create({ ...model, streamFn }, { initialState: { model: claude, output: { schema } } });
    await agent.prompt("Hi");
    expect(agent.state.output).toEqual({ city: "Oslo" });
  });
});

describe("watchCache", () => {
  /** A stream that goes on until its reader leaves. */
  function endless(): { streamFn: StreamFn; pushes: () => number; whenLeft: Promise<void> } {
    let pushes = 0;
    const left = Promise.withResolvers<void>();
    const streamFn: StreamFn = () => {
      let isLeft = false;
      const onAbandoned = (): void => {
        isLeft = true;
        left.resolve();
      };
      const stream = new AssistantMessageEventStream({ onAbandoned });
      const partial = say("");
      const push = (event: AssistantMessageEvent): void => {
        pushes++;
        stream.push(event);
      };
      push({ type: "start", partial });
      const next = (): void => {
        if (isLeft || pushes > 1000) {
          stream.end();
          return;
        }
        push({ type: "text_delta", contentIndex: 0, delta: "x", partial });
        setImmediate(next);
      };
      setImmediate(next);
      return stream;
    };
    return { streamFn, pushes: () => pushes, whenLeft: left.promise };
  }

  test.each(["whole", "broken"])(
    "S15: a reader that left did not abort the request when the cache was %s",
    async (state) => {
      const { streamFn, pushes, whenLeft } = endless();
      const watched = watchCache(streamFn);
      const messages = [{ role: "user" as const, content: "Hi", timestamp: 1 }];
      const prompts = state === "whole" ? ["a"] : ["a", "b"];
      for (const systemPrompt of prompts) {
        let count = 0;
        for await (const _ of await watched(MODEL, { systemPrompt, messages }, { sessionId: "s" }))
          if (++count === 3) break;
      }
      await whenLeft;
      expect(pushes()).toBeLessThan(1000);
    },
  );

  test("U5: an asynchronous stream function broke with the cache, and did not fit into a route", async () => {
    const model = working(0);
    const later: StreamFn = async (...request) => model.streamFn(...request);
    for (const streamFn of [watchCache(later), route([MODEL], { streamFn: later })]) {
      const agent = create({ ...model, streamFn }, { sessionId: "s", middleware: [limits({})] });
      await agent.prompt("Hi");
      agent.state.systemPrompt = "changed";
      await agent.prompt("Hi");
      expect(agent.state.errorMessage).toBeUndefined();
    }
  });
});
