/** Hand-written responses of the Anthropic Messages API. */

import type { Frame, HttpFixtures, WireResponse } from "../../conformance/http-target.js";
import type { ExpectedBlock } from "../../conformance/target.js";
import { sseEvent } from "../../support/sse.js";
import { CITATION, COMPACTION, FILE, PAUSE, SERVER_TOOL, type WrittenBlocks } from "./server-fixtures.js";

const USAGE = { input_tokens: 7, cache_read_input_tokens: 2, cache_creation_input_tokens: 1, output_tokens: 1 };
const TOTAL = 15;

export const anthropicMessages: HttpFixtures = {
  name: "anthropic-messages",
  model: (baseUrl) => ({
    id: "claude-test",
    name: "Claude Test",
    api: "anthropic-messages",
    provider: "conformance",
    baseUrl,
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    contextWindow: 200_000,
    maxTokens: 8192,
  }),
  contentType: "text/event-stream; charset=utf-8",
  responses: {
    text: response([{ type: "text", text: "Hello, world!" }], textBlock(0, ["Hel", "lo, ", "world!"])),
    thinking: response(
      [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Yes." },
      ],
      [
        ...block(0, { type: "thinking", thinking: "", signature: "" }, [
          { type: "thinking_delta", thinking: "Let me" },
          { type: "thinking_delta", thinking: " see." },
          { type: "signature_delta", signature: "c2ln" },
        ]),
        ...textBlock(1, ["Y", "es."]),
      ],
    ),
    call: response([call("toolu_1", { path: "a.txt" })], callBlock(0, "toolu_1", ['{"pa', 'th":"a.', 'txt"}'])),
    parallelCalls: response(
      [call("toolu_1", { path: "a" }), call("toolu_2", {})],
      [...callBlock(0, "toolu_1", ['{"path":', '"a"}']), ...callBlock(1, "toolu_2", [])],
    ),
    interleavedCalls: response(
      [call("toolu_1", { path: "a" }), call("toolu_2", { path: "b" })],
      alternate(callBlock(0, "toolu_1", ['{"path":', '"a"}']), callBlock(1, "toolu_2", ['{"path":', '"b"}'])),
    ),
    unicode: response(
      [{ type: "text", text: "Grüße, 世界 👩‍👩‍👧 𝒳" }, call("toolu_1", { path: "naïve/🌍.txt" })],
      [...textBlock(0, ["Grüße, 世", "界 👩‍👩‍👧", " 𝒳"]), ...callBlock(1, "toolu_1", ['{"path":"naïve/', '🌍.txt"}'])],
    ),
    citation: written(CITATION),
    serverTool: written(SERVER_TOOL),
    pause: { ...written(PAUSE, "pause_turn"), stopReason: "pause" },
    file: written(FILE),
    compaction: written(COMPACTION),
  },
  unknownEvent: event({ type: "content_block_rewritten", index: 0, content_block: { type: "hologram", depth: 3 } }),
  keepAlive: event({ type: "ping" }),
  malformedEvent: sseEvent('{"type":"content_block_delta","index":0,"delta":{"type":"text_del', "content_block_delta"),
  errorEvent: (words) => event({ type: "error", error: { type: "overloaded_error", message: words } }),
  errorBody: (words) => JSON.stringify({ type: "error", error: { type: "some_error", message: words } }),
};

function written({ blocks, expected }: WrittenBlocks, stop?: string): WireResponse {
  const frames = blocks.flatMap(({ start, deltas = [] }, index) => block(index, start, [...deltas]));
  return response(expected, frames, stop);
}

function response(content: ExpectedBlock[], blocks: Frame[], stop?: string): WireResponse {
  const calls = content.some((one) => one.type === "toolCall");
  return {
    content,
    totalTokens: TOTAL,
    frames: [
      event({
        type: "message_start",
        message: { id: "msg_1", type: "message", role: "assistant", content: [], model: "claude-test", usage: USAGE },
      }),
      ...blocks,
      event({
        type: "message_delta",
        delta: { stop_reason: stop ?? (calls ? "tool_use" : "end_turn"), stop_sequence: null },
        usage: { output_tokens: 5 },
      }),
      event({ type: "message_stop" }),
    ],
  };
}

function call(id: string, args: Record<string, unknown>): ExpectedBlock {
  return { type: "toolCall", id, name: "read", arguments: args };
}

function textBlock(index: number, pieces: string[]): Frame[] {
  return block(
    index,
    { type: "text", text: "" },
    pieces.map((text) => ({ type: "text_delta", text })),
  );
}

function callBlock(index: number, id: string, pieces: string[]): Frame[] {
  return block(
    index,
    { type: "tool_use", id, name: "read", input: {} },
    pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
  );
}

function block(index: number, start: object, deltas: object[]): Frame[] {
  return [
    event({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
}

function alternate(one: Frame[], other: Frame[]): Frame[] {
  return one.flatMap((frame, index) => [frame, ...other.slice(index, index + 1)]);
}

function event(data: { type: string; [field: string]: unknown }): Frame {
  return sseEvent(data, data.type);
}
