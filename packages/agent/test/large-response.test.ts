/** Responses with very many blocks: nothing is lost. */

import { Agent, type AgentMessage, type StreamFn } from "pi-agent";
import { AssistantMessageEventStream } from "pi-ai";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { afterEach, expect, test, vi } from "vitest";
import { MODEL } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Streams the blocks of one response through the builder, as an adapter does. Later responses are a text. */
function manyBlocks(count: number, write: (builder: AssistantMessageBuilder, key: number) => void): StreamFn {
  let length = count;
  return (model) => {
    const stream = new AssistantMessageEventStream();
    const builder = new AssistantMessageBuilder({ model, emit: (event) => stream.push(event) });
    for (let key = 0; key < length; key++) write(builder, key);
    if (length === 0) builder.open("text", { type: "text" });
    length = 0;
    builder.stop("stop");
    builder.finish();
    return stream;
  };
}

const writeText = (builder: AssistantMessageBuilder, key: number): void => {
  builder.open(key, { type: "text" });
  builder.append(key, `text ${key}`);
};
const writeCall = (builder: AssistantMessageBuilder, key: number): void => {
  builder.open(key, { type: "toolCall", id: `call_${key}`, name: "a" });
  builder.append(key, "{}");
};

test("20,000 texts: every block is in the transcript", async () => {
  const agent = new Agent({ streamFn: manyBlocks(20_000, writeText), initialState: { model: MODEL } });
  let updates = 0;
  agent.subscribe((event) => {
    if (event.type === "message_update") updates++;
  });
  await agent.prompt("hi");
  expect(updates).toBe(3 * 20_000);
  const last = agent.state.messages.at(-1);
  expect(last?.role === "assistant" && last.content.map((block) => block.type === "text" && block.text)).toEqual(
    Array.from({ length: 20_000 }, (_, index) => `text ${index}`),
  );
});

interface Work {
  /** The number of ids added to a set. */
  added: number;
  messages: readonly AgentMessage[];
}

async function runCalls(count: number): Promise<Work> {
  const streamFn = manyBlocks(count, writeCall);
  const agent = new Agent({ streamFn, initialState: { model: MODEL, tools: [tool("a")] } });
  agent.subscribe(() => {});
  const add = Set.prototype.add;
  let added = 0;
  // Not a spy, which would store every call. Copying a set also goes through this method.
  Set.prototype.add = function (this: Set<unknown>, value): Set<unknown> {
    added++;
    return add.call(this, value);
  };
  try {
    await agent.prompt("hi");
  } finally {
    Set.prototype.add = add;
  }
  return { added, messages: agent.state.messages };
}

test("8,000 parallel tool calls: each gets its result, in order", async () => {
  const { messages } = await runCalls(8000);
  expect(messages).toHaveLength(1 + 1 + 8000 + 1);
  expect(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []))).toEqual(
    Array.from({ length: 8000 }, (_, index) => `call_${index}`),
  );
});

test("the pending tool calls are not copied for each of them", async () => {
  await runCalls(1);
  const small = await runCalls(500);
  const large = await runCalls(2000);
  expect(large.added).toBeLessThan(4.2 * small.added);
});
