/** Hand-written responses of the Mistral API. */

import type { Frame, HttpFixtures, WireResponse } from "../../conformance/http-target.js";
import type { ExpectedBlock } from "../../conformance/target.js";
import { PICTURE } from "../../handoff/script.js";
import { sseEvent } from "../../support/sse.js";

const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 2 },
};
const DONE = sseEvent("[DONE]");

export const mistralConversations: HttpFixtures = {
  name: "mistral-conversations",
  model: (baseUrl) => ({
    id: "mistral-test",
    name: "Mistral Test",
    api: "mistral-conversations",
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
    text: response([{ type: "text", text: "Hello, world!" }], texts("Hel", "lo, ", "world!")),
    thinking: response(
      [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Yes." },
      ],
      [...thoughts("Let me", " see."), ...texts("Y"), { content: [{ type: "text", text: "es." }] }],
    ),
    call: response([call("aaaaaaaa1", { path: "a.txt" })], pieces(0, "aaaaaaaa1", ['{"pa', 'th":"a.', 'txt"}'])),
    parallelCalls: response(
      [call("aaaaaaaa1", { path: "a" }), call("aaaaaaaa2", {})],
      // The API's usual form: complete tool calls without an index.
      [{ tool_calls: [whole("aaaaaaaa1", '{"path":"a"}'), whole("aaaaaaaa2", "{}")] }],
    ),
    interleavedCalls: response(
      [call("aaaaaaaa1", { path: "a" }), call("aaaaaaaa2", { path: "b" })],
      alternate(pieces(0, "aaaaaaaa1", ['{"path":', '"a"}']), pieces(1, "aaaaaaaa2", ['{"path":', '"b"}'])),
    ),
    unicode: response(
      [{ type: "text", text: "Grüße, 世界 👩‍👩‍👧 𝒳" }, call("aaaaaaaa1", { path: "naïve/🌍.txt" })],
      [...texts("Grüße, 世", "界 👩‍👩‍👧", " 𝒳"), ...pieces(0, "aaaaaaaa1", ['{"path":"naïve/', '🌍.txt"}'])],
    ),
    citation: response(
      [{ type: "text", text: "𝒳 is here.", citations: [{ source: "7", start: 11, end: 11 }] }],
      [...texts("𝒳 is ", "here."), { content: [{ type: "reference", reference_ids: [7] }] }],
    ),
    image: response(
      [{ type: "image", data: PICTURE, mimeType: "image/png" }],
      [{ content: [{ type: "image_url", image_url: `data:image/png;base64,${PICTURE}` }] }],
    ),
    file: response(
      [{ type: "file", mimeType: "text/csv", fileId: "file_1", name: "a.csv" }],
      [
        {
          content: [
            { type: "tool_file", tool: "code_interpreter", file_id: "file_1", file_name: "a.csv", file_type: "csv" },
          ],
        },
      ],
    ),
  },
  unknownEvent: sseEvent({ object: "chat.completion.hologram", depth: 3 }),
  keepAlive: ": keep-alive\n\n",
  malformedEvent: sseEvent('{"id":"1","choices":[{"index":0,"delta":{"content":"Hel'),
  errorEvent: (words) => sseEvent({ object: "error", message: words, type: "internal_error", code: "3000" }),
  errorBody: (words) => JSON.stringify({ object: "error", message: words, type: "invalid_request", code: "3051" }),
};

function response(content: ExpectedBlock[], deltas: object[]): WireResponse {
  const calls = content.some((one) => one.type === "toolCall");
  const frames = [
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({ content: "" }, calls ? "tool_calls" : "stop", USAGE),
    DONE,
  ];
  // A finish_reason completes the response.
  return { content, totalTokens: USAGE.total_tokens, frames, wholeFrom: frames.length - 1 };
}

function call(id: string, args: Record<string, unknown>): ExpectedBlock {
  return { type: "toolCall", id, name: "read", arguments: args };
}

function whole(id: string, args: string): object {
  return { id, function: { name: "read", arguments: args } };
}

function texts(...parts: string[]): object[] {
  return parts.map((content) => ({ content }));
}

function thoughts(...parts: string[]): object[] {
  return parts.map((text) => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] }));
}

/** The first piece of a tool call has its id and name, the others only its index. */
function pieces(index: number, id: string, parts: string[]): object[] {
  const head = { index, id, function: { name: "read", arguments: "" } };
  return [head, ...parts.map((part) => ({ index, function: { arguments: part } }))].map((one) => ({
    content: null,
    tool_calls: [one],
  }));
}

function alternate(one: object[], other: object[]): object[] {
  return one.flatMap((delta, index) => [delta, ...other.slice(index, index + 1)]);
}

function chunk(delta: object, finish_reason: string | null = null, usage?: object): Frame {
  const choices = [{ index: 0, delta, finish_reason }];
  return sseEvent({
    id: "1",
    object: "chat.completion.chunk",
    model: "mistral-test",
    choices,
    ...(usage && { usage }),
  });
}
