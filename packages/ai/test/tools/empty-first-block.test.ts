/** A server that writes a call twice, the first time without its arguments: one call, which has them. */
import { getModel, type Model, stream, type ToolCall } from "pi-ai";
import { describe, expect, it } from "vitest";
import { encodeAwsEvent } from "../support/aws-frames.js";

/** A block of the response: its id, and the pieces of its arguments. */
type Block = readonly [id: string, ...pieces: string[]];

const text = (events: readonly { type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

function anthropic(blocks: readonly Block[], closesAtEnd: boolean): Response {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stops = blocks.map((_, index) => ({ type: "content_block_stop", index }));
  const events = [
    { type: "message_start", message: { id: "m", role: "assistant", content: [], model: "c", usage } },
    ...blocks.flatMap(([id, ...pieces], index) => [
      { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "read", input: {} } },
      ...pieces.map((partial_json) => ({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json },
      })),
      ...(closesAtEnd ? [] : stops.slice(index, index + 1)),
    ]),
    ...(closesAtEnd ? stops : []),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
    { type: "message_stop" },
  ];
  return new Response(text(events), { headers: { "content-type": "text/event-stream" } });
}

function bedrock(blocks: readonly Block[], closesAtEnd: boolean): Response {
  const stops = blocks.map((_, contentBlockIndex) => ({ contentBlockStop: { contentBlockIndex } }));
  const events = [
    { messageStart: { role: "assistant" } },
    ...blocks.flatMap(([toolUseId, ...pieces], contentBlockIndex) => [
      { contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name: "read" } } } },
      ...pieces.map((input) => ({ contentBlockDelta: { contentBlockIndex, delta: { toolUse: { input } } } })),
      ...(closesAtEnd ? [] : stops.slice(contentBlockIndex, contentBlockIndex + 1)),
    ]),
    ...(closesAtEnd ? stops : []),
    { messageStop: { stopReason: "tool_use" } },
    { metadata: { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } } },
  ];
  const headers = { "content-type": "application/vnd.amazon.eventstream" };
  return new Response(Buffer.concat(events.map(encodeAwsEvent)), { headers });
}

const SERVERS: readonly [string, Model, typeof anthropic][] = [
  ["Anthropic", getModel("anthropic", "claude-sonnet-4-5"), anthropic],
  ["Bedrock", getModel("amazon-bedrock", "us.anthropic.claude-sonnet-4-6"), bedrock],
];

describe.each(SERVERS)("%s", (_, model, respond) => {
  const calls = async (blocks: readonly Block[], closesAtEnd: boolean): Promise<unknown[][]> => {
    const context = { messages: [{ role: "user" as const, content: "Read", timestamp: 0 }] };
    const fetch = async (): Promise<Response> => respond(blocks, closesAtEnd);
    const message = await stream(model, context, { apiKey: "test-key", maxRetries: 0, fetch }).result();
    expect(message.errorMessage).toBeUndefined();
    const found = message.content.filter((block): block is ToolCall => block.type === "toolCall");
    return found.map((call) => [call.id, call.arguments, call.argumentsError]);
  };
  const ONE = [["t1", { path: "a" }, undefined]];

  it.each([
    ["before it ends", true],
    ["after it has ended", false],
  ])("is one call if the first block has no arguments, and the second comes %s", async (_name, closesAtEnd) => {
    expect(await calls([["t1"], ["t1", '{"path":', '"a"}']], closesAtEnd)).toEqual(ONE);
    expect(
      await calls(
        [
          ["t1", ""],
          ["t1", '{"path":"a"}'],
        ],
        closesAtEnd,
      ),
    ).toEqual(ONE);
    expect(await calls([["t1"], ["t1"], ["t1", '{"path":"a"}']], closesAtEnd)).toEqual(ONE);
  });

  it("stays two calls if the first one has other arguments", async () => {
    const two = await calls(
      [
        ["t1", "{}"],
        ["t1", '{"path":"a"}'],
      ],
      false,
    );
    expect(two.map(([, input]) => input)).toEqual([{}, { path: "a" }]);
    expect(new Set(two.map(([id]) => id)).size).toBe(2);
  });

  it("is a call without arguments if nothing follows", async () => {
    expect(await calls([["t1"], ["t2", '{"path":"a"}']], false)).toEqual([
      ["t1", {}, undefined],
      ["t2", { path: "a" }, undefined],
    ]);
  });
});
