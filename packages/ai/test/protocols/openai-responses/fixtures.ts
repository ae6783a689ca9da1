/** Hand-written responses of the Responses API. */
import type { KnownApi } from "pi-ai";
import type { Frame, HttpFixtures, WireResponse } from "../../conformance/http-target.js";
import type { ExpectedBlock } from "../../conformance/target.js";
import { sseEvent } from "../../support/sse.js";
import { CITATION, COMPACTION, IMAGE, SERVER_TOOL, WAITING_TOOL, type WrittenItem } from "./server-fixtures.js";

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 15,
};

/** An output item: its events, and its final form. */
interface Item {
  events: Frame[];
  done: object;
}

export const openAIResponses: HttpFixtures = {
  name: "openai-responses",
  model: (baseUrl) => ({
    id: "gpt-test",
    name: "GPT Test",
    api: "openai-responses",
    provider: "conformance",
    baseUrl: `${baseUrl}/v1`,
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 8192,
  }),
  contentType: "text/event-stream; charset=utf-8",
  responses: {
    text: response([{ type: "text", text: "Hello, world!" }], [message(0, ["Hel", "lo, ", "world!"])]),
    thinking: response(
      [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Yes." },
      ],
      [reasoning(0, ["Let me", " see."]), message(1, ["Y", "es."])],
    ),
    call: response([call(0, { path: "a.txt" })], [functionCall(0, ['{"pa', 'th":"a.', 'txt"}'])]),
    parallelCalls: response(
      [call(0, { path: "a" }), call(1, {})],
      [functionCall(0, ['{"path":', '"a"}']), functionCall(1, ["{}"])],
    ),
    interleavedCalls: response(
      [call(0, { path: "a" }), call(1, { path: "b" })],
      alternate(functionCall(0, ['{"path":', '"a"}']), functionCall(1, ['{"path":', '"b"}'])),
    ),
    unicode: response(
      [{ type: "text", text: "Grüße, 世界 👩‍👩‍👧 𝒳" }, call(1, { path: "naïve/🌍.txt" })],
      [message(0, ["Grüße, 世", "界 👩‍👩‍👧", " 𝒳"]), functionCall(1, ['{"path":"naïve/', '🌍.txt"}'])],
    ),
    citation: written(CITATION),
    serverTool: written(SERVER_TOOL),
    waitingTool: { ...written(WAITING_TOOL), stopReason: "toolUse" },
    image: written(IMAGE),
    compaction: written(COMPACTION),
  },
  unknownEvent: event("response.hologram.delta", { output_index: 0, item_id: "item_0", delta: "depth" }),
  keepAlive: event("keepalive", {}),
  malformedEvent: sseEvent('{"type":"response.output_text.delta","output_index":0,"del', "response.output_text.delta"),
  errorEvent: (words) => event("error", { code: "server_error", message: words, param: null }),
  errorBody: (words) => JSON.stringify({ error: { message: words, type: "some_error", param: null, code: null } }),
};

/** The same responses from another host, which has its own api name. */
export function createResponsesFixtures(api: KnownApi, headers: Record<string, string> = {}): HttpFixtures {
  return { ...openAIResponses, name: api, model: (baseUrl) => ({ ...openAIResponses.model(baseUrl), api, headers }) };
}

function response(content: ExpectedBlock[], items: Item[]): WireResponse {
  const response = { id: "resp_1", object: "response", model: "gpt-test", status: "in_progress", output: [] };
  const output = items.map((item) => item.done);
  return {
    content,
    totalTokens: USAGE.total_tokens,
    frames: [
      event("response.created", { response }),
      ...items.flatMap((item) => item.events),
      event("response.completed", { response: { ...response, status: "completed", output, usage: USAGE } }),
    ],
  };
}

function written({ done, between = [], expected }: WrittenItem): WireResponse {
  const place = { output_index: 0, item_id: done["id"] };
  const added = { ...done, status: "in_progress", ...(done["type"] === "message" ? { content: [] } : {}) };
  const { result: _, ...begun } = added as { result?: unknown }; // an image has no result yet
  const events = between.map(({ type, ...fields }) => event(type, { ...place, ...fields }));
  return response(expected, [item(0, begun, done, events)]);
}

function call(index: number, args: Record<string, unknown>): ExpectedBlock {
  return { type: "toolCall", id: `call_${index}|fc_${index}`, name: "read", arguments: args };
}

function message(index: number, deltas: string[]): Item {
  const place = { output_index: index, item_id: `msg_${index}`, content_index: 0 };
  const head = { id: place.item_id, type: "message", role: "assistant" };
  const part = { type: "output_text", text: deltas.join(""), annotations: [] };
  const done = { ...head, status: "completed", content: [part] };
  return item(index, { ...head, status: "in_progress", content: [] }, done, [
    event("response.content_part.added", { ...place, part: { ...part, text: "" } }),
    ...deltas.map((delta) => event("response.output_text.delta", { ...place, delta })),
    event("response.output_text.done", { ...place, text: part.text }),
    event("response.content_part.done", { ...place, part }),
  ]);
}

function reasoning(index: number, deltas: string[]): Item {
  const place = { output_index: index, item_id: `rs_${index}`, summary_index: 0 };
  const head = { id: place.item_id, type: "reasoning" };
  const part = { type: "summary_text", text: deltas.join("") };
  return item(index, { ...head, summary: [] }, { ...head, summary: [part] }, [
    event("response.reasoning_summary_part.added", { ...place, part: { ...part, text: "" } }),
    ...deltas.map((delta) => event("response.reasoning_summary_text.delta", { ...place, delta })),
    event("response.reasoning_summary_text.done", { ...place, text: part.text }),
    event("response.reasoning_summary_part.done", { ...place, part }),
  ]);
}

function functionCall(index: number, deltas: string[]): Item {
  const place = { output_index: index, item_id: `fc_${index}` };
  const head = { id: place.item_id, type: "function_call", call_id: `call_${index}`, name: "read" };
  const args = deltas.join("");
  const done = { ...head, status: "completed", arguments: args };
  return item(index, { ...head, status: "in_progress", arguments: "" }, done, [
    ...deltas.map((delta) => event("response.function_call_arguments.delta", { ...place, delta })),
    event("response.function_call_arguments.done", { ...place, arguments: args }),
  ]);
}

function item(index: number, added: object, done: object, events: Frame[]): Item {
  return {
    done,
    events: [
      event("response.output_item.added", { output_index: index, item: added }),
      ...events,
      event("response.output_item.done", { output_index: index, item: done }),
    ],
  };
}

/** The events of two items, interleaved. */
function alternate(one: Item, other: Item): Item[] {
  const events = one.events.flatMap((frame, index) => [frame, ...other.events.slice(index, index + 1)]);
  return [
    { ...one, events },
    { ...other, events: [] },
  ];
}

function event(type: string, fields: object): Frame {
  return sseEvent({ type, ...fields }, type);
}
