/** Hand-written responses of the Chat Completions API. */

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

const PAGE = { url: "https://example.com/a", title: "A" };
const SEARCH = { index: 0, type: "search", arguments: '{"query":"𝒳"}' };

export const openAICompletions: HttpFixtures = {
  name: "openai-completions",
  model: (baseUrl) => ({
    id: "gpt-test",
    name: "GPT Test",
    api: "openai-completions",
    provider: "conformance",
    baseUrl: `${baseUrl}/v1`,
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
      [{ reasoning_content: "Let me" }, { reasoning_content: " see." }, ...texts("Y", "es.")],
    ),
    call: response([call("call_1", { path: "a.txt" })], pieces(0, "call_1", ['{"pa', 'th":"a.', 'txt"}'])),
    parallelCalls: response(
      [call("call_1", { path: "a" }), call("call_2", {})],
      [...pieces(0, "call_1", ['{"path":', '"a"}']), ...pieces(1, "call_2", ["{}"])],
    ),
    interleavedCalls: response(
      [call("call_1", { path: "a" }), call("call_2", { path: "b" })],
      alternate(pieces(0, "call_1", ['{"path":', '"a"}']), pieces(1, "call_2", ['{"path":', '"b"}'])),
    ),
    unicode: response(
      [{ type: "text", text: "Grüße, 世界 👩‍👩‍👧 𝒳" }, call("call_1", { path: "naïve/🌍.txt" })],
      [...texts("Grüße, 世", "界 👩‍👩‍👧", " 𝒳"), ...pieces(0, "call_1", ['{"path":"naïve/', '🌍.txt"}'])],
    ),
    citation: response(
      [{ type: "text", text: "Here is 𝒳.", citations: [{ ...PAGE, start: 0, end: 4 }] }],
      [
        { content: "Here" },
        { content: " is 𝒳." },
        { annotations: [{ type: "url_citation", url_citation: { ...PAGE, start_index: 0, end_index: 4 } }] },
      ],
    ),
    serverTool: response(
      [
        {
          type: "serverTool",
          name: "web_search",
          status: "done",
          input: { query: "𝒳" },
          output: { text: "It is here. 👋" },
        },
      ],
      [{ executed_tools: [SEARCH] }, { executed_tools: [{ ...SEARCH, output: "It is here. 👋" }] }],
    ),
    image: response(
      [{ type: "image", data: PICTURE, mimeType: "image/png" }],
      [{ images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } }] }],
    ),
    file: response(
      [
        { type: "text", text: "Hi 👋" },
        { type: "file", mimeType: "audio/pcm", data: "AAAABBBB", fileId: "audio_1" },
      ],
      [
        { audio: { id: "audio_1", transcript: "Hi " } },
        { audio: { transcript: "👋", data: "AAAA" } },
        { audio: { data: "BBBB", expires_at: 4_102_444_800 } },
      ],
    ),
  },
  unknownEvent: sseEvent({ object: "chat.completion.hologram", depth: 3 }),
  keepAlive: ": keep-alive\n\n",
  malformedEvent: sseEvent('{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"Hel'),
  errorEvent: (words) => sseEvent({ error: { message: words, type: "server_error", code: "server_error" } }),
  errorBody: (words) => JSON.stringify({ error: { message: words, type: "some_error", param: null, code: null } }),
};

function response(content: ExpectedBlock[], deltas: object[]): WireResponse {
  const calls = content.some((one) => one.type === "toolCall");
  const frames = [
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: calls ? "tool_calls" : "stop" }]),
    chunk([], USAGE),
    DONE,
  ];
  // A finish_reason completes the response: some servers send nothing more.
  return { content, totalTokens: USAGE.total_tokens, frames, wholeFrom: frames.length - 2 };
}

function call(id: string, args: Record<string, unknown>): ExpectedBlock {
  return { type: "toolCall", id, name: "read", arguments: args };
}

function texts(...parts: string[]): object[] {
  return parts.map((content) => ({ content }));
}

/** The first piece of a tool call has its id and name, the others only its index. */
function pieces(index: number, id: string, parts: string[]): object[] {
  const head = { index, id, type: "function", function: { name: "read", arguments: "" } };
  return [head, ...parts.map((part) => ({ index, function: { arguments: part } }))].map((one) => ({
    tool_calls: [one],
  }));
}

function alternate(one: object[], other: object[]): object[] {
  return one.flatMap((delta, index) => [delta, ...other.slice(index, index + 1)]);
}

function chunk(choices: object[], usage: object | null = null): Frame {
  return sseEvent({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-test", choices, usage });
}
