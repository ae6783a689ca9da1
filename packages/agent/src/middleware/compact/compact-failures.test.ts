/** What a compaction keeps when something fails. */
import { Agent, type AgentMessage } from "pi-agent";
import { type CompactionEvent, isCompactionMessage } from "pi-agent/compact";
import type { AssistantMessage } from "pi-ai";
import { describe, expect, it } from "vitest";
import { callWithResult, history, model, noUsage, overflow, script, setUp } from "../../../test/compact-script.js";
import { response, text, user } from "../../../test/scripted-stream.js";

const failed = response([], { stopReason: "error", errorMessage: "No" });
const instructions = (content: string): AgentMessage => ({ role: "system", content, timestamp: 0 }) as never; // an import

describe("a failed summary", () => {
  it("clears old results if the conversation does not fit otherwise", async () => {
    const { viewOf, events } = setUp({}, failed);
    const messages = [...history(2), ...callWithResult("a", 4000), user("Go on")];
    const view = await viewOf(messages, async (message) => void messages.push(message));
    expect(view).toHaveLength(5);
    expect(view[3]).toMatchObject({ content: [{ text: "(old tool result removed: 4000 characters)" }] });
    expect(events.at(-1)).toMatchObject({ result: { compaction: { replaced: 0, cleared: 4, summaryError: "No" } } });
    expect(await viewOf(messages)).toEqual(view);
    expect(events).toHaveLength(2);
  });

  it("changes nothing while the conversation fits", async () => {
    const { viewOf, events } = setUp({}, failed);
    const messages = [...history(2), ...callWithResult("a", 2600), user("Go on")];
    expect(await viewOf(messages)).toEqual(messages);
    expect(events.at(-1)).toEqual({ type: "compaction_end", errorMessage: "No" });
  });

  it("changes nothing if old results may not be cleared, or if that is not enough", async () => {
    const messages = [...history(2), ...callWithResult("a", 4000), user("Go on")];
    expect(await setUp({ clearToolResults: false }, failed).viewOf(messages)).toEqual(messages);
    const long = [...history(12), ...callWithResult("a", 1000), user("Go on")];
    expect(await setUp({}, failed).viewOf(long)).toEqual(long);
  });

  it("lets a run recover from an overflow", async () => {
    const { compaction, withSummaries } = setUp({ at: 1 }, failed);
    const { streamFn, requests } = script(overflow, text("Yes", noUsage));
    const messages = [...history(2), ...callWithResult("a", 2400)];
    const initialState = { model, messages };
    const agent = new Agent({
      streamFn: withSummaries(streamFn),
      middleware: [compaction],
      initialState,
    });
    await agent.prompt("Go on");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(requests[1]?.messages[3]).toMatchObject({ content: [{ text: expect.stringContaining("removed") }] });
  });

  it("keeps its finished parts for the next attempt", async () => {
    const { usage } = text("");
    const part = (words: string): AssistantMessage => text(words, { usage: { ...usage, totalTokens: 7 } });
    const summaryModel = { ...model, contextWindow: 1000 };
    const { viewOf, summaryRequests } = setUp({ summaryModel }, part("One."), failed, part("Two."));
    const messages = history(11);
    expect(await viewOf(messages)).toEqual(messages);
    expect(summaryRequests).toHaveLength(2);
    const record = (await viewOf(messages)).find(isCompactionMessage);
    expect(record?.compaction.summary).toBe("Two.");
    const read = summaryRequests.map((request) => JSON.stringify(request.messages));
    // The second part is requested again, the first is not.
    expect(read[2]).toBe(read[1]);
    expect(read[2]).toContain("One.");
    expect(read.filter((request) => request.includes("[User]\\n0 xxx"))).toHaveLength(1);
    expect(record?.compaction.usage?.totalTokens).toBe(7 * (summaryRequests.length - 1) + failed.usage.totalTokens);
  });

  it("begins again for other instructions and for other messages", async () => {
    const summaryModel = { ...model, contextWindow: 1000 };
    const { byHand, summaryRequests } = setUp({ summaryModel }, text("One."), failed, text("Two."));
    await byHand(history(11), { prompt: "Keep names." });
    const others = history(11).map((message) => ({ ...message }) as AgentMessage);
    const record = await byHand(others, { prompt: "Keep numbers." });
    expect(record?.compaction.summary).toBe("Two.");
    expect(JSON.stringify(summaryRequests[2])).toContain("[User]\\n0 xxx");
    expect(JSON.stringify(summaryRequests[2])).not.toContain("One.");
  });
});

it("forgets a record that was added although that failed, so that it can be undone", async () => {
  const { viewOf } = setUp({}, text("They counted."), failed);
  const messages = history(10);
  const add = (message: AgentMessage): Promise<void> => {
    messages.push(message);
    return Promise.reject(new Error("The log is full"));
  };
  await expect(viewOf(messages, add)).rejects.toThrow("The log is full");
  expect(isCompactionMessage(messages.pop())).toBe(true);
  expect(await viewOf(messages)).toEqual(messages);
});

it("keeps system messages, which other libraries have in the conversation", async () => {
  const { compaction, withSummaries, summaryRequests } = setUp({}, text("They counted."));
  const { streamFn, requests } = script(text("Yes", noUsage));
  const messages = [instructions("Be kind."), ...history(4), instructions("Be exact."), ...history(6)];
  const agent = new Agent({
    streamFn: withSummaries(streamFn),
    middleware: [compaction],
    initialState: { model, messages },
  });
  await agent.prompt("Go on");
  expect(agent.state.messages.some(isCompactionMessage)).toBe(true);
  expect(requests[0]?.systemPrompt).toBe("Be kind.\n\nBe exact.");
  expect(requests[0]?.messages[0]).toMatchObject({ content: expect.stringContaining("They counted.") });
  expect(JSON.stringify(summaryRequests)).not.toContain("Be kind.");
});

it("sends no opaque data of a provider to the model that writes the summary", async () => {
  const { byHand, summaryRequests } = setUp({}, text("They searched."));
  const search = response(
    [
      {
        type: "serverTool",
        id: "1",
        name: "web_search",
        status: "done",
        input: { query: "the number" },
        output: { text: "It is 42.", item: { encrypted_content: "b3BhcXVl" } },
        signature: "b3BhcXVl",
      },
    ],
    noUsage,
  );
  await byHand([user("Search"), search, ...history(10)]);
  const sent = JSON.stringify(summaryRequests);
  for (const words of ["web_search", "the number", "It is 42."]) expect(sent).toContain(words);
  expect(sent).not.toContain("b3BhcXVl");
});

it("ends once if the application throws when it ends", async () => {
  const ends: CompactionEvent[] = [];
  const onEvent = (event: CompactionEvent): void => {
    if (event.type !== "compaction_end") return;
    ends.push(event);
    throw new Error("bug");
  };
  const { viewOf } = setUp({ onEvent }, text("They counted."));
  await expect(viewOf(history(10))).rejects.toThrow("bug");
  expect(ends).toMatchObject([{ result: { compaction: { summary: "They counted." } } }]);
});

it("takes a stored message for a record only if its summary is a text", async () => {
  const { viewOf, byHand } = setUp({ at: 1, model: { ...model, contextWindow: 100_000 } }, text("They counted."));
  const record = await byHand(history(10));
  const stored = JSON.parse(JSON.stringify(record));
  stored.compaction.summary = 42;
  const messages = [...history(10), stored];
  expect(await viewOf(messages)).toEqual(messages);
});

it("summarises more messages than a function call can have arguments", async () => {
  const { viewOf, events } = setUp({ summaryModel: { ...model, contextWindow: 2_000_000 } }, text("They counted."));
  await viewOf(Array.from({ length: 150_000 }, (_, timestamp) => ({ ...user("x"), timestamp })));
  expect(events.at(-1)).toMatchObject({ result: { compaction: { summary: "They counted." } } });
});

it("finds where to cut in linear time if many calls without a result have the same id", async () => {
  const { viewOf } = setUp({}, text("They counted."));
  const calls = response(
    Array.from({ length: 100_000 }, () => ({ type: "toolCall" as const, id: "1", name: "read", arguments: {} })),
    noUsage,
  );
  const messages = [user("Go"), calls];
  // Nothing can be cut: the results may still come.
  expect(await viewOf(messages)).toEqual(messages);
});

describe("the size after a compaction was undone", () => {
  const reported = (totalTokens: number, more: Partial<AssistantMessage> = {}): AssistantMessage =>
    text("Yes", { usage: { ...text("").usage, totalTokens }, timestamp: 60, ...more });
  // 2,000 tokens. The last response was to a request that a record had shortened.
  const messages = [...history(10), reported(1010), ...history(10), reported(150)];

  it("is that of the whole conversation", async () => {
    const { viewOf, summaryRequests } = setUp({ model: { ...model, contextWindow: 2000 } }, text("They counted."));
    await viewOf(messages);
    expect(summaryRequests).not.toHaveLength(0);
  });

  it("is what the provider counted if the provider cleared the rest itself", async () => {
    const diagnostics = [{ type: "context_edits", timestamp: 1 }];
    const { viewOf, summaryRequests } = setUp({ model: { ...model, contextWindow: 2000 } }, text("They counted."));
    await viewOf([...messages.slice(0, -1), reported(150, { diagnostics })]);
    expect(summaryRequests).toHaveLength(0);
  });
});
