import { fauxAssistantMessage, fauxToolCall, type Model } from "pi-ai";
import { route } from "pi-ai/route";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, it } from "vitest";

const model: Model = {
  id: "m",
  name: "m",
  api: "x",
  provider: "x",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1,
  maxTokens: 1,
};
const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });

describe("a scripted stream function", () => {
  it("responds to one request after the other and records what it received", async () => {
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage(fauxToolCall("look", {}, { id: "c" })),
      fauxAssistantMessage("Done"),
    ]);
    const messages = [user("One")];
    expect((await streamFn(model, { messages }).result()).content).toMatchObject([{ name: "look" }]);
    messages.push(user("Two"));
    expect((await streamFn(model, { messages }, { temperature: 1 }).result()).content).toEqual([
      { type: "text", text: "Done" },
    ]);
    expect(streamFn.calls.map((call) => call.context.messages.length)).toEqual([1, 2]);
    expect(streamFn.calls[1]?.options).toEqual({ temperature: 1 });
    streamFn.assertDone();
  });

  it("takes functions that return a text, blocks or a message, and refuses what is none", async () => {
    const steps = [
      () => "Hello",
      async () => fauxToolCall("look"),
      () => fauxAssistantMessage("Whole"),
      () => undefined as never,
      () => null as never,
    ];
    const streamFn = createScriptedStreamFn(steps);
    const messages = [];
    for (const _ of steps) messages.push(await streamFn(model, { messages: [] }).result());
    expect(messages.map(({ stopReason, content }) => [stopReason, content[0]?.type])).toEqual([
      ["stop", "text"],
      ["toolUse", "toolCall"],
      ["stop", "text"],
      ["error", undefined],
      ["error", undefined],
    ]);
    expect(messages.at(-1)?.errorMessage).toBe('A faux block must be one such as fauxText("Hello"), but it is null');
  });

  it("plays a failure with its facts", async () => {
    const error = { kind: "rate_limit", status: 429, retryAfterMs: 1000 } as const;
    const [plain, told] = [{ error }, { error, errorMessage: "Slow down", stopReason: "aborted" } as const].map(
      (options) => fauxAssistantMessage("Half", options),
    );
    expect(plain).toMatchObject({ stopReason: "error", errorMessage: "rate_limit", error });
    expect(told).toMatchObject({ stopReason: "aborted", errorMessage: "Slow down", error });
    const streamFn = createScriptedStreamFn([fauxAssistantMessage("Half", { error })]);
    const message = await streamFn(model, { messages: [] }).result();
    expect(message).toMatchObject({
      stopReason: "error",
      errorMessage: "rate_limit",
      error,
      content: [{ text: "Half" }],
    });
  });

  it("takes responses in short: a text, a block, several blocks", async () => {
    const call = fauxToolCall("look", {}, { id: "c" });
    const streamFn = createScriptedStreamFn(["Hello", call, [{ type: "text", text: "I look" }, call], ""]);
    const messages = await Promise.all([1, 2, 3, 4].map(() => streamFn(model, { messages: [] }).result()));
    expect(messages.map(({ content, stopReason }) => [stopReason, ...content.map(({ type }) => type)])).toEqual([
      ["stop", "text"],
      ["toolUse", "toolCall"],
      ["toolUse", "text", "toolCall"],
      ["stop", "text"],
    ]);
    expect(messages[2]?.content).toEqual([{ type: "text", text: "I look" }, call]);
    expect(() => createScriptedStreamFn(["Never"]).assertDone()).toThrow('step 1: [{"type":"text","text":"Never"}]');
  });

  it("plays a failure without a text before anything arrived, so that a route tries again", async () => {
    const error = { kind: "rate_limit", retryAfterMs: 1 } as const;
    const streamFn = createScriptedStreamFn([fauxAssistantMessage("", { error }), "Hello"]);
    const message = await route([model], { streamFn })(model, { messages: [user("Hi")] }).result();
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "Hello" }] });
    expect(fauxAssistantMessage("So far", { error }).content).toEqual([{ type: "text", text: "So far" }]);
    streamFn.assertDone();
  });

  it("names the steps that were not used", async () => {
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage("One"),
      fauxAssistantMessage("Two"),
      () => fauxAssistantMessage("Three"),
    ]);
    await streamFn(model, { messages: [] }).result();
    expect(() => streamFn.assertDone()).toThrow(
      '2 of 3 scripted steps were never requested:\nstep 2: [{"type":"text","text":"Two"}]\nstep 3: (a function)',
    );
  });

  it("reports a request beyond the end of the script", async () => {
    const streamFn = createScriptedStreamFn([]);
    expect(await streamFn(model, { messages: [user("Anyone?")] }).result()).toMatchObject({
      stopReason: "error",
      errorMessage: "No more faux responses queued (request 1)",
    });
    expect(() => streamFn.assertDone()).toThrow(
      /1 requests were sent, but the script has 0 steps; the first request without a step ended with: .*Anyone\?/,
    );
  });
});
