/** One call in all the forms in which servers write it twice: one call in the message, on every api. */
import { getModel, type Model, stream, type ToolCall } from "pi-ai";
import { describe, expect, it } from "vitest";
import { encodeAwsEvent } from "../support/aws-frames.js";

const WHOLE = '{"path":"a","n":[1]}';
const SPACED = '{ "n": [ 1 ], "path": "a" }';
const PIECES = ['{"pa', 'th":"a",', '"n":[1]}'];
const ONE = [["call00001", "read", { path: "a", n: [1] }, undefined]];
type Events = readonly object[];

const sse = (list: Events, end = ""): Response =>
  new Response(list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + end, {
    headers: { "content-type": "text/event-stream" },
  });
const named = (list: readonly { type: string }[]): Response =>
  new Response(list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

async function callsOf(model: Model, response: Response): Promise<unknown[][]> {
  const context = { messages: [{ role: "user" as const, content: "Read", timestamp: 0 }] };
  const fetch = async (): Promise<Response> => response;
  const message = await stream(model, context, { apiKey: "test-key", maxRetries: 0, fetch }).result();
  expect(message.errorMessage).toBeUndefined();
  expect(message.stopReason).toBe("toolUse");
  const found = message.content.filter((block): block is ToolCall => block.type === "toolCall");
  return found.map(({ id, name, arguments: given, argumentsError }) => [
    id.replace(/\|.*$/, ""),
    name,
    given,
    argumentsError,
  ]);
}

// Chat Completions, and apis modelled on it.

const chunk = (calls: Events, finish: string | null = null): object => ({
  ...{ id: "c", object: "chat.completion.chunk", model: "m" },
  choices: [{ index: 0, delta: calls.length > 0 ? { tool_calls: calls } : {}, finish_reason: finish }],
});
const call = (index: number | undefined, text: unknown, fields: object = { id: "call00001", name: "read" }): object => {
  const { id, name } = fields as { id?: string; name?: string };
  return {
    ...(index === undefined ? {} : { index }),
    ...(id === undefined ? {} : { id }),
    type: "function",
    function: { ...(name === undefined ? {} : { name }), arguments: text },
  };
};
const first = (index: number | undefined): Events =>
  PIECES.map((piece, place) => call(index, piece, place === 0 ? undefined : {}));

const CHAT: Readonly<Record<string, readonly Events[]>> = {
  "whole at two indexes": [[call(0, WHOLE)], [call(1, WHOLE)]],
  "whole at two indexes of one chunk": [[call(0, WHOLE), call(1, WHOLE)]],
  "whole at one index, twice": [[call(0, WHOLE)], [call(0, WHOLE)]],
  "whole three times": [[call(0, WHOLE)], [call(1, WHOLE)], [call(2, WHOLE)]],
  "in pieces, then whole at its index": [...first(0).map((piece) => [piece]), [call(0, WHOLE)]],
  "in pieces, then whole at another index": [...first(0).map((piece) => [piece]), [call(1, WHOLE)]],
  "whole, then in pieces at another index": [[call(0, WHOLE)], ...first(1).map((piece) => [piece])],
  "in pieces at two indexes in turn": first(0).map((piece, place) => [piece, first(1)[place] ?? {}]),
  "with other spaces and another order": [[call(0, WHOLE)], [call(1, SPACED)]],
  "in pieces, then whole with other spaces": [...first(0).map((piece) => [piece]), [call(0, SPACED)]],
  "announced without arguments, then whole": [[call(0, "")], [call(1, WHOLE)]],
  "whole without indexes, twice": [[call(undefined, WHOLE)], [call(undefined, WHOLE)]],
  "in pieces without indexes, then whole": [...first(undefined).map((piece) => [piece]), [call(undefined, WHOLE)]],
  "with its id only in the second writing": [[call(0, WHOLE, { name: "read" })], [call(0, WHOLE)]],
  "with its id after its pieces": [
    [call(0, PIECES[0], { name: "read" })],
    [call(0, PIECES[1], {}), call(0, PIECES[2], {})],
    [call(0, "", { id: "call00001" })],
  ],
  "with its id in each piece": PIECES.map((piece) => [call(0, piece)]),
  "whole as an object, then as a text": [[call(0, JSON.parse(WHOLE))], [call(1, WHOLE)]],
};
const chat = (chunks: readonly Events[]): Response =>
  sse([...chunks.map((calls) => chunk(calls)), chunk([], "tool_calls")], "data: [DONE]\n\n");

const CUSTOM: Model = { ...getModel("openai", "gpt-4.1"), api: "openai-completions", provider: "custom" } as Model;

describe.each([
  ["Chat Completions", CUSTOM],
  ["Groq", getModel("groq", "openai/gpt-oss-120b")],
  ["Mistral", getModel("mistral", "mistral-medium-latest")],
])("%s", (_, model) => {
  it.each(Object.entries(CHAT))("is one call: %s", async (_name, chunks) => {
    expect(await callsOf(model, chat(chunks))).toEqual(ONE);
  });
});

// The blocks of the Messages API and of Converse.

type Block = readonly [index: number, ...pieces: string[]];

const BLOCKS: Readonly<Record<string, readonly Block[]>> = {
  "whole in two blocks": [
    [0, WHOLE],
    [1, WHOLE],
  ],
  "whole in three blocks": [
    [0, WHOLE],
    [1, WHOLE],
    [2, WHOLE],
  ],
  "in pieces, then whole": [
    [0, ...PIECES],
    [1, WHOLE],
  ],
  "whole, then in pieces": [
    [0, WHOLE],
    [1, ...PIECES],
  ],
  "with other spaces and another order": [
    [0, WHOLE],
    [1, SPACED],
  ],
  "a block that begins again at its index": [
    [0, WHOLE],
    [0, WHOLE],
  ],
  "without arguments, then whole": [[0], [1, WHOLE]],
  "whole, then without arguments": [[0, WHOLE], [1]],
};

const usage = { input_tokens: 1, output_tokens: 1 };
function anthropic(blocks: readonly Block[], input: object = {}): Response {
  return named([
    { type: "message_start", message: { id: "m", role: "assistant", content: [], model: "c", usage } } as {
      type: string;
    },
    ...blocks.flatMap(([index, ...pieces]) => [
      { type: "content_block_start", index, content_block: { type: "tool_use", id: "call00001", name: "read", input } },
      ...pieces.map((partial_json) => ({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json },
      })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage } as { type: string },
    { type: "message_stop" },
  ]);
}

function bedrock(blocks: readonly Block[]): Response {
  const events = [
    { messageStart: { role: "assistant" } },
    ...blocks.flatMap(([contentBlockIndex, ...pieces]) => [
      { contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId: "call00001", name: "read" } } } },
      ...pieces.map((input) => ({ contentBlockDelta: { contentBlockIndex, delta: { toolUse: { input } } } })),
      { contentBlockStop: { contentBlockIndex } },
    ]),
    { messageStop: { stopReason: "tool_use" } },
    { metadata: { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } } },
  ];
  const headers = { "content-type": "application/vnd.amazon.eventstream" };
  return new Response(Buffer.concat(events.map(encodeAwsEvent)), { headers });
}

describe.each([
  ["Anthropic", getModel("anthropic", "claude-sonnet-4-6"), anthropic],
  ["MiniMax", getModel("minimax", "MiniMax-M3"), anthropic],
  ["Bedrock", getModel("amazon-bedrock", "us.anthropic.claude-sonnet-4-6"), bedrock],
] as const)("%s", (_, model, respond) => {
  it.each(Object.entries(BLOCKS))("is one call: %s", async (_name, blocks) => {
    expect(await callsOf(model, respond(blocks))).toEqual(ONE);
  });
});

it("is one call at Anthropic: whole at its start, and in pieces", async () => {
  const model = getModel("anthropic", "claude-sonnet-4-6");
  expect(await callsOf(model, anthropic([[0, ...PIECES], [1]], JSON.parse(WHOLE)))).toEqual(ONE);
});

// The items of the Responses API.

const item = (text: string, fields: object = {}): object => ({
  type: "function_call",
  ...{ id: "fc_1", call_id: "call00001", name: "read", arguments: text, status: "completed" },
  ...fields,
});
const added = (index: number, fields: object = {}) => ({
  type: "response.output_item.added",
  ...{ output_index: index, item: item("", fields) },
});
const grown = (index: number, id = "fc_1") =>
  PIECES.map((delta) => ({
    type: "response.function_call_arguments.delta",
    ...{ output_index: index, item_id: id, delta },
  }));
const settled = (index: number, text = WHOLE, id = "fc_1") => ({
  type: "response.function_call_arguments.done",
  ...{ output_index: index, item_id: id, arguments: text },
});
const done = (index: number, text = WHOLE, fields: object = {}) => ({
  type: "response.output_item.done",
  ...{ output_index: index, item: item(text, fields) },
});
const completed = (...output: object[]) => ({
  type: "response.completed",
  response: { id: "r", status: "completed", output },
});

const ITEMS: Readonly<Record<string, readonly { type: string }[]>> = {
  "in pieces, then whole": [added(0), ...grown(0), settled(0), done(0), completed(item(WHOLE))],
  "in pieces, then whole with other spaces": [
    ...[added(0), ...grown(0), settled(0, SPACED), done(0, SPACED), completed(item(SPACED))],
  ],
  "one item at two output indexes": [added(0), done(0), added(1), done(1), completed(item(WHOLE), item(WHOLE))],
  "two items of one call": [
    ...[added(0), done(0), added(1, { id: "fc_2" }), done(1, WHOLE, { id: "fc_2" }), completed()],
  ],
  "in pieces at two output indexes": [
    ...[added(0), added(1, { id: "fc_2" }), ...grown(0), ...grown(1, "fc_2"), done(0)],
    ...[done(1, WHOLE, { id: "fc_2" }), completed()],
  ],
  "done twice": [added(0), done(0), done(0, SPACED), completed()],
  "only done": [done(0), completed(item(WHOLE))],
  "only in the whole response, twice": [completed(item(WHOLE), item(WHOLE, { id: "fc_2" }))],
  "in pieces, and again in the whole response under another item": [
    ...[added(0), ...grown(0), done(0), completed(item(WHOLE, { id: "fc_9" }))],
  ],
  "with its id only when it is done": [
    added(0, { id: undefined, call_id: undefined }),
    ...[...grown(0), done(0), completed(item(WHOLE))],
  ],
  "with its id only in the whole response": [
    ...[added(0, { id: undefined }), ...grown(0), done(0, WHOLE, { id: undefined }), completed(item(WHOLE))],
  ],
};

const AZURE: Model = { ...getModel("azure", "gpt-5.2"), baseUrl: "https://x.openai.azure.com/openai/v1" };

describe.each([
  ["OpenAI", getModel("openai", "gpt-5.4")],
  ["Azure", AZURE],
  ["xAI", getModel("xai", "grok-4.3")],
] as const)("Responses at %s", (_, model) => {
  it.each(Object.entries(ITEMS))("is one call: %s", async (_name, events) => {
    expect(await callsOf(model, named(events))).toEqual(ONE);
  });
});

// Gemini sends whole calls.

const part = (args: object): object => ({ functionCall: { id: "call00001", name: "read", args } });
const content = (parts: Events, finishReason?: string): object => ({
  candidates: [{ content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
});
const [given, turned] = [JSON.parse(WHOLE), JSON.parse(SPACED)];

const PARTS: Readonly<Record<string, Events>> = {
  "two parts": [content([part(given), part(given)], "STOP")],
  "two chunks": [content([part(given)]), content([part(given)], "STOP")],
  "another order": [content([part(given)]), content([part(turned)], "STOP")],
  "with a signature the second time": [
    content([part(given)]),
    content([{ ...part(given), thoughtSignature: "c2ln" }], "STOP"),
  ],
};

describe.each([
  ["Gemini", getModel("google", "gemini-3-flash-preview")],
  ["Vertex", getModel("google-vertex", "gemini-3-flash-preview")],
])("%s", (_, model) => {
  it.each(Object.entries(PARTS))("is one call: %s", async (_name, chunks) => {
    expect(await callsOf(model, sse(chunks))).toEqual(ONE);
  });
});
