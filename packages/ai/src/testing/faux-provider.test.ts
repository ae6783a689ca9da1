import {
  type AssistantMessageEvent,
  complete,
  type FauxProviderOptions,
  type FauxProviderRegistration,
  fauxAssistantMessage,
  fauxCompaction,
  fauxFile,
  fauxImage,
  fauxServerTool,
  fauxText,
  fauxThinking,
  fauxToolCall,
  registerFauxProvider,
  stream,
} from "pi-ai";
import { afterEach, describe, expect, it, vi } from "vitest";

let faux: FauxProviderRegistration;
afterEach(() => faux.unregister());

const context = { messages: [{ role: "user" as const, content: "Hello there", timestamp: 1 }] };

async function play(
  options: FauxProviderOptions,
  ...steps: Parameters<FauxProviderRegistration["setResponses"]>[0]
): Promise<AssistantMessageEvent[]> {
  faux = registerFauxProvider(options);
  faux.setResponses(steps);
  const events: AssistantMessageEvent[] = [];
  for await (const event of stream(faux.getModel(), context)) events.push(event);
  return events;
}

const deltas = (events: AssistantMessageEvent[]): string[] =>
  events.flatMap((event) => ("delta" in event ? [event.delta] : []));

describe("the faux provider", () => {
  it("streams thinking, text and a tool call, each with one start and one end", async () => {
    const events = await play(
      {},
      fauxAssistantMessage(
        [fauxThinking("Let me see."), fauxText("Reading."), fauxToolCall("read", { path: "a.txt" }, { id: "c1" })],
        { stopReason: "toolUse" },
      ),
    );
    const kinds = events.map((event) => event.type).filter((type) => !type.endsWith("_delta"));
    expect(kinds).toEqual([
      "start",
      "thinking_start",
      "thinking_end",
      "text_start",
      "text_end",
      "toolcall_start",
      "toolcall_end",
      "done",
    ]);
    expect(events.at(-1)).toMatchObject({
      reason: "toolUse",
      message: {
        content: [{ thinking: "Let me see." }, { text: "Reading." }, { id: "c1", arguments: { path: "a.txt" } }],
      },
    });
  });

  it("plays what a provider cites, runs, makes and compacts, with the facts of the response", async () => {
    const content = [
      fauxCompaction("Earlier: cats."),
      fauxServerTool("web_search", { query: "cats" }, { output: { sources: [{ url: "https://cats.test/" }] } }),
      fauxText("Cats purr.", [{ url: "https://cats.test/" }]),
      fauxImage(),
      fauxFile("cats.csv"),
    ];
    const facts = { stopSequence: "END", container: { id: "box" } };
    const events = await play({}, fauxAssistantMessage(content, facts));
    expect(events.map((event) => event.type).filter((type) => !/_(delta|update)$/.test(type))).toEqual([
      "start",
      "compaction_end",
      "servertool_start",
      "servertool_end",
      "text_start",
      "text_end",
      "citation",
      "file_end",
      "file_end",
      "done",
    ]);
    expect(events.at(-1)).toMatchObject({ message: { content, ...facts, stopReason: "stop" } });
    expect(content[4]).toMatchObject({ fileId: "faux-cats.csv", mimeType: "application/octet-stream" });
    expect(fauxFile("a", { data: "AA==" })).not.toHaveProperty("fileId");
  });

  it("splits a response the same way on every run, and differently with another seed", async () => {
    const text = "All work and no play makes Jack a dull boy. ".repeat(20);
    const run = async (seed: number): Promise<string[]> => {
      const pieces = deltas(await play({ seed }, fauxAssistantMessage(text)));
      faux.unregister();
      return pieces;
    };
    const first = await run(7);
    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
    expect(first.join("")).toBe(text);
  });

  it("never splits a surrogate pair", async () => {
    const pieces = deltas(
      await play({ tokenSize: { min: 1, max: 1 } }, fauxAssistantMessage("abc🌍de🌍🌍f🌍".repeat(10))),
    );
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  it("streams arguments that grow", async () => {
    const events = await play(
      { tokenSize: { min: 1, max: 1 } },
      fauxAssistantMessage(fauxToolCall("write", { text: "abcdefghij" })),
    );
    const seen: unknown[] = [];
    for (const event of events) if (event.type === "toolcall_end") seen.push(event.toolCall.arguments);
    expect(deltas(events).length).toBeGreaterThan(3);
    expect(deltas(events).join("")).toBe('{"text":"abcdefghij"}');
    expect(seen).toEqual([{ text: "abcdefghij" }]);
  });

  it("keeps the usage of a step", async () => {
    const usage = {
      input: 5,
      output: 6,
      cacheRead: 7,
      cacheWrite: 8,
      totalTokens: 26,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    };
    const events = await play({}, fauxAssistantMessage("Hi", { usage }));
    expect(events.at(-1)).toMatchObject({ message: { usage } });
  });

  it("estimates usage, and counts each token of a session's prompt once", async () => {
    faux = registerFauxProvider();
    faux.setResponses([fauxAssistantMessage("One"), fauxAssistantMessage("Two")]);
    const first = await complete(faux.getModel(), context, { sessionId: "s" });
    expect(first.usage).toMatchObject({ input: 0, cacheRead: 0, output: 1 });
    expect(first.usage.cacheWrite).toBeGreaterThan(0);
    const longer = { messages: [...context.messages, first, { role: "user" as const, content: "More", timestamp: 2 }] };
    const second = await complete(faux.getModel(), longer, { sessionId: "s" });
    expect(second.usage.cacheRead).toBe(first.usage.cacheWrite);
    expect(second.usage.totalTokens).toBe(second.usage.output + second.usage.cacheRead + second.usage.cacheWrite);
  });

  it("counts the tool name in the prompt, with each of its results", async () => {
    faux = registerFauxProvider();
    faux.setResponses([fauxAssistantMessage("One"), fauxAssistantMessage("Two")]);
    const inputWith = async (toolName: string): Promise<number> => {
      const result = {
        role: "toolResult" as const,
        toolCallId: "c",
        toolName,
        content: [],
        isError: false,
        timestamp: 1,
      };
      return (await complete(faux.getModel(), { messages: [result] })).usage.input;
    };
    const short = await inputWith("");
    expect(await inputWith("a".repeat(400))).toBe(short + 100);
  });

  it("ends with a clear error if no response is left, and reports unused responses", async () => {
    const events = await play({});
    expect(events).toMatchObject([
      { type: "error", error: { errorMessage: "No more faux responses queued (request 1)" } },
    ]);
    faux.appendResponses([fauxAssistantMessage("Never heard")]);
    expect(faux.getPendingResponseCount()).toBe(1);
    expect(() => faux.assertNoPendingResponses()).toThrow("1 faux responses were never requested");
  });

  it("passes the context to a factory, and turns its failure into an error event", async () => {
    const good = await play({}, (asked, _options, state, model) =>
      fauxAssistantMessage(`${asked.messages.length} ${state.callCount} ${model.id}`),
    );
    expect(good.at(-1)).toMatchObject({ message: { content: [{ text: "1 1 faux-1" }] } });
    faux.unregister();
    const bad = await play({}, () => {
      throw new Error("the script is wrong");
    });
    expect(bad).toMatchObject([{ type: "error", error: { errorMessage: "the script is wrong" } }]);
  });

  it("plays a failed response", async () => {
    const events = await play({}, fauxAssistantMessage("Half", { stopReason: "error", errorMessage: "overloaded" }));
    expect(events.at(-1)).toMatchObject({
      type: "error",
      reason: "error",
      error: { content: [{ text: "Half" }], errorMessage: "overloaded" },
    });
  });

  it("stops where it is when it is aborted", async () => {
    faux = registerFauxProvider();
    faux.setResponses([fauxAssistantMessage("word ".repeat(200))]);
    const controller = new AbortController();
    const events: AssistantMessageEvent[] = [];
    for await (const event of stream(faux.getModel(), context, { signal: controller.signal })) {
      events.push(event);
      if (event.type === "text_delta") controller.abort();
    }
    expect(events.at(-1)).toMatchObject({
      type: "error",
      reason: "aborted",
      error: { errorMessage: "Request was aborted" },
    });
    expect(events.at(-2)?.type).toBe("text_end");
  });

  it("paces the response by the clock if asked to, and an abort does not wait", async () => {
    vi.useFakeTimers();
    try {
      faux = registerFauxProvider({ tokensPerSecond: 1, tokenSize: { min: 1, max: 1 } });
      faux.setResponses([fauxAssistantMessage("12345678")]);
      const controller = new AbortController();
      const result = complete(faux.getModel(), context, { signal: controller.signal });
      await vi.advanceTimersByTimeAsync(1000);
      controller.abort();
      expect(await result).toMatchObject({ stopReason: "aborted", content: [{ text: "1234" }] });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
