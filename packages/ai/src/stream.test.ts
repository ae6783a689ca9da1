import {
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  clearApiProviders,
  complete,
  completeSimple,
  EventStream,
  type Model,
  registerApiProvider,
  stream,
  streamSimple,
} from "pi-ai";
import { afterEach, describe, expect, it } from "vitest";
import { createResponse } from "../test/messages.js";

const model: Model = {
  id: "m",
  name: "M",
  api: "test-api",
  provider: "test",
  baseUrl: "http://localhost",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};
const message = createResponse();

afterEach(clearApiProviders);

function register(make: () => AssistantMessageEventStream): void {
  registerApiProvider({ api: "test-api", stream: make, streamSimple: make });
}

describe("stream functions", () => {
  it.each([stream, streamSimple])("throw at once for an unknown api: %o", (call) => {
    expect(() => call({ ...model, api: "unheard-of" }, { messages: [] })).toThrow(
      "No API provider registered for api: unheard-of",
    );
  });

  it.each([complete, completeSimple])("reject for an unknown api: %o", async (call) => {
    const result = call({ ...model, api: "unheard-of" }, { messages: [] });
    await expect(result).rejects.toThrow("No API provider registered for api: unheard-of");
  });

  it.each([
    ["null", null, "The options must be an object, not null"],
    ["a number", 5, "The options must be an object, not 5"],
    ["a signal that is not one", { signal: {} }, "The option signal must be an AbortSignal"],
    ["a null signal", { signal: null }, "The option signal must be an AbortSignal"],
  ])("end the stream with an error for options that are %s", async (_what, options, text) => {
    register(() => {
      throw new Error("not reached");
    });
    for (const call of [stream, streamSimple]) {
      // Callers in JavaScript are not bound by the type.
      const failed = await call(model, { messages: [] }, options as never).result();
      expect(failed).toMatchObject({ stopReason: "error", error: { kind: "config" } });
      expect(failed.errorMessage).toContain(text);
    }
  });

  it("give the context and the options on as they are", () => {
    const seen: unknown[] = [];
    const events = new AssistantMessageEventStream();
    const record =
      (name: string) =>
      (...given: unknown[]) => {
        seen.push([name, ...given]);
        return events;
      };
    registerApiProvider({ api: "test-api", stream: record("stream"), streamSimple: record("streamSimple") });
    const context = { messages: [] };
    const options = { maxTokens: 5 };
    expect(stream(model, context, options)).toBe(events);
    expect(streamSimple(model, context, options)).toBe(events);
    expect(seen).toEqual([
      ["stream", model, context, options],
      ["streamSimple", model, context, options],
    ]);
  });

  it.each([complete, completeSimple])("keep no events for a caller who only wants the message: %o", async (call) => {
    const events = new AssistantMessageEventStream();
    register(() => events);
    const result = call(model, { messages: [] });
    events.push({ type: "start", partial: message });
    events.push({ type: "done", reason: "stop", message });
    expect(await result).toBe(message);
    expect(await events[Symbol.asyncIterator]().next()).toEqual({ value: undefined, done: true });
  });

  it("complete accepts a provider whose stream is another class", async () => {
    const events = new EventStream<AssistantMessageEvent, typeof message>(
      () => false,
      () => message,
    );
    events.end(message);
    register(() => events as AssistantMessageEventStream); // what a provider written in JavaScript may return
    expect(await complete(model, { messages: [] })).toBe(message);

    const foreign = { result: () => Promise.resolve(message) };
    register(() => foreign as unknown as AssistantMessageEventStream); // from another copy of the package
    expect(await complete(model, { messages: [] })).toBe(message);
  });
});
