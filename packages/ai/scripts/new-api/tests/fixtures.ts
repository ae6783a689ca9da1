/** Hand-written responses of the Example API. */
import type { Frame, HttpFixtures, WireResponse } from "../../../test/conformance/http-target.js";
import type { ExpectedBlock } from "../../../test/conformance/target.js";
import { sseEvent } from "../../../test/support/sse.js";

const USAGE = { input: 10, cached: 2, output: 5 };
const TOTAL = 15;

export const exampleApi: HttpFixtures = {
  name: "example-api",
  model: (baseUrl) => ({
    id: "example-test",
    name: "Example Test",
    api: "example-api",
    provider: "conformance",
    baseUrl,
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 8192,
  }),
  contentType: "text/event-stream",
  responses: {
    text: response([{ type: "text", text: "Hello, world!" }], texts("text", "Hel", "lo, ", "world!")),
    thinking: response(
      [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Yes." },
      ],
      [...texts("thinking", "Let me", " see."), ...texts("text", "Y", "es.")],
    ),
    call: response([toolCall("call_1", { path: "a.txt" })], toolCallEvents(0, "call_1", '{"pa', 'th":"a.', 'txt"}')),
    parallelCalls: response(
      [toolCall("call_1", { path: "a" }), toolCall("call_2", {})],
      [...toolCallEvents(0, "call_1", '{"path":', '"a"}'), ...toolCallEvents(1, "call_2", "{}")],
    ),
    interleavedCalls: response(
      [toolCall("call_1", { path: "a" }), toolCall("call_2", { path: "b" })],
      alternate(toolCallEvents(0, "call_1", '{"path":', '"a"}'), toolCallEvents(1, "call_2", '{"path":', '"b"}')),
    ),
    unicode: response(
      [{ type: "text", text: "Grüße, 世界 👩‍👩‍👧 𝒳" }, toolCall("call_1", { path: "naïve/🌍.txt" })],
      [...texts("text", "Grüße, 世", "界 👩‍👩‍👧", " 𝒳"), ...toolCallEvents(0, "call_1", '{"path":"naïve/', '🌍.txt"}')],
    ),
  },
  unknownEvent: sseEvent({ type: "hologram", depth: 3 }),
  keepAlive: ": keep-alive\n\n",
  malformedEvent: sseEvent('{"type":"text","text":"Hel'),
  errorEvent: (words) => sseEvent({ type: "error", error: { message: words } }),
  errorBody: (words) => JSON.stringify({ error: { message: words } }),
};

function response(content: ExpectedBlock[], events: Frame[]): WireResponse {
  const reason = content.some((block) => block.type === "toolCall") ? "tool_calls" : "stop";
  const frames = [
    sseEvent({ type: "start", id: "response_1" }),
    ...events,
    sseEvent({ type: "end", reason, usage: USAGE }),
  ];
  return { content, totalTokens: TOTAL, frames };
}

function toolCall(id: string, args: Record<string, unknown>): ExpectedBlock {
  return { type: "toolCall", id, name: "read", arguments: args };
}

function texts(type: "text" | "thinking", ...pieces: string[]): Frame[] {
  return pieces.map((text) => sseEvent({ type, text }));
}

function toolCallEvents(index: number, id: string, ...pieces: string[]): Frame[] {
  const head = sseEvent({ type: "tool_call", index, id, name: "read" });
  return [head, ...pieces.map((piece) => sseEvent({ type: "arguments", index, arguments: piece }))];
}

function alternate(one: Frame[], other: Frame[]): Frame[] {
  return one.flatMap((frame, index) => [frame, ...other.slice(index, index + 1)]);
}
