/** Hand-written responses of Amazon Bedrock's ConverseStream API. */

import type { Frame, HttpFixtures, WireResponse } from "../../conformance/http-target.js";
import type { ExpectedBlock } from "../../conformance/target.js";
import { PICTURE } from "../../handoff/script.js";
import { encodeAwsEvent, encodeAwsFrame } from "../../support/aws-frames.js";

const PAGE = { url: "https://example.com/a", domain: "example.com" };
const USAGE = { inputTokens: 8, outputTokens: 5, cacheReadInputTokens: 2, cacheWriteInputTokens: 0, totalTokens: 15 };

export const bedrockConverseStream: HttpFixtures = {
  name: "bedrock-converse-stream",
  model: (baseUrl) => ({
    id: "anthropic.claude-test-4-v1:0",
    name: "Claude Test",
    api: "bedrock-converse-stream",
    provider: "conformance",
    baseUrl,
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
    contextWindow: 128_000,
    maxTokens: 8192,
  }),
  options: { region: "us-east-1" },
  contentType: "application/vnd.amazon.eventstream",
  responses: {
    text: response([{ type: "text", text: "Hello, world!" }], texts(0, "Hel", "lo, ", "world!")),
    thinking: response(
      [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Yes." },
      ],
      [
        delta(0, { reasoningContent: { text: "Let me" } }),
        delta(0, { reasoningContent: { text: " see." } }),
        delta(0, { reasoningContent: { signature: "c2lnbmVk" } }),
        stop(0),
        ...texts(1, "Y", "es."),
      ],
    ),
    call: response(
      [call("tooluse_1", { path: "a.txt" })],
      [...pieces(0, "tooluse_1", '{"pa', 'th":"a.', 'txt"}'), stop(0)],
    ),
    parallelCalls: response(
      [call("tooluse_1", { path: "a" }), call("tooluse_2", {})],
      [...pieces(0, "tooluse_1", '{"path":', '"a"}'), stop(0), ...pieces(1, "tooluse_2"), stop(1)],
    ),
    interleavedCalls: response(
      [call("tooluse_1", { path: "a" }), call("tooluse_2", { path: "b" })],
      [
        ...alternate(pieces(0, "tooluse_1", '{"path":', '"a"}'), pieces(1, "tooluse_2", '{"path":', '"b"}')),
        stop(0),
        stop(1),
      ],
    ),
    unicode: response(
      [{ type: "text", text: "Grüße, 世界 👩‍👩‍👧 𝒳" }, call("tooluse_1", { path: "naïve/🌍.txt" })],
      [...texts(0, "Grüße, 世", "界 👩‍👩‍👧", " 𝒳"), ...pieces(1, "tooluse_1", '{"path":"naïve/', '🌍.txt"}'), stop(1)],
    ),
    citation: response(
      [{ type: "text", text: "𝒳 is here.", citations: [{ url: PAGE.url, title: "A" }] }],
      [
        delta(0, { text: "𝒳 is " }),
        delta(0, { text: "here." }),
        delta(0, { citation: { title: "A", location: { web: PAGE } } }),
        stop(0),
      ],
    ),
    serverTool: response(
      [
        {
          type: "serverTool",
          id: "tooluse_1",
          name: "nova_code_interpreter",
          status: "done",
          input: { snippet: 'print("👋")' },
          output: { stdout: "👋", exitCode: 0 },
        },
      ],
      [
        start(0, { toolUse: { toolUseId: "tooluse_1", name: "nova_code_interpreter", type: "server_tool_use" } }),
        delta(0, { toolUse: { input: '{"snippet":' } }),
        delta(0, { toolUse: { input: '"print(\\"👋\\")"}' } }),
        stop(0),
        start(1, { toolResult: { toolUseId: "tooluse_1", type: "nova_code_interpreter_result", status: "success" } }),
        delta(1, { toolResult: [{ json: { stdOut: "👋", exitCode: 0 } }] }),
        stop(1),
      ],
    ),
    image: response(
      [{ type: "image", data: PICTURE, mimeType: "image/png" }],
      [start(0, { image: { format: "png" } }), delta(0, { image: { source: { bytes: PICTURE } } }), stop(0)],
    ),
  },
  unknownEvent: encodeAwsEvent({ hologram: { depth: 3 } }),
  malformedEvent: encodeAwsFrame(
    { ":event-type": "contentBlockDelta", ":message-type": "event" },
    Buffer.from('{"contentBlockIndex":0,"delta":{"text":"Hel'),
  ),
  errorEvent: (words) => encodeAwsEvent({ "exception:internalServerException": { message: words } }),
  errorBody: (words) => JSON.stringify({ message: words }),
  needsKey: false,
};

function response(content: ExpectedBlock[], blocks: Frame[]): WireResponse {
  const calls = content.some((one) => one.type === "toolCall");
  const frames = [
    encodeAwsEvent({ messageStart: { role: "assistant" } }),
    ...blocks,
    encodeAwsEvent({ messageStop: { stopReason: calls ? "tool_use" : "end_turn" } }),
    encodeAwsEvent({ metadata: { usage: USAGE, metrics: { latencyMs: 1 } } }),
  ];
  // messageStop completes the response; only counts follow.
  return { content, totalTokens: USAGE.totalTokens, frames, wholeFrom: frames.length - 1 };
}

function call(id: string, args: Record<string, unknown>): ExpectedBlock {
  return { type: "toolCall", id, name: "read", arguments: args };
}

function texts(index: number, ...parts: string[]): Frame[] {
  return [...parts.map((text) => delta(index, { text })), stop(index)];
}

/** A tool call is announced, and its input arrives in pieces. */
function pieces(contentBlockIndex: number, toolUseId: string, ...parts: string[]): Frame[] {
  const start = { toolUse: { toolUseId, name: "read" } };
  const head = encodeAwsEvent({ contentBlockStart: { contentBlockIndex, start } });
  return [head, ...parts.map((input) => delta(contentBlockIndex, { toolUse: { input } }))];
}

function alternate(one: Frame[], other: Frame[]): Frame[] {
  return one.flatMap((frame, index) => [frame, ...other.slice(index, index + 1)]);
}

function start(contentBlockIndex: number, fields: object): Frame {
  return encodeAwsEvent({ contentBlockStart: { contentBlockIndex, start: fields } });
}

function delta(contentBlockIndex: number, fields: object): Frame {
  return encodeAwsEvent({ contentBlockDelta: { contentBlockIndex, delta: fields } });
}

function stop(contentBlockIndex: number): Frame {
  return encodeAwsEvent({ contentBlockStop: { contentBlockIndex } });
}
