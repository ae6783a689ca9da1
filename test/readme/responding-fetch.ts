/**
 * A network in which every provider responds `Hello!`, each in its own wire format; a request with a JSON Schema gets a
 * value that fits it.
 */

type Event = Record<string, unknown> | "[DONE]";

export async function respondingFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  if (pathname === "/model") return Response.json(MODEL);
  if (pathname.endsWith("/models")) return Response.json({ data: [{ id: "acme/new", context_length: 100_000 }] });
  const response = EVENTS_BY_PATH.find(([path]) => pathname.endsWith(path))?.[1];
  if (!response) return new Response(`Nothing responds at ${pathname}`, { status: 404 });
  const body = JSON.parse((input instanceof Request ? await input.clone().text() : String(init?.body ?? "")) || "{}");
  const schema =
    body.output_config?.format?.schema ?? body.text?.format?.schema ?? body.generationConfig?.responseJsonSchema;
  const text = JSON.stringify(schema ? JSON.stringify(sampleOf(schema)) : "Hello!");
  return new Response(
    response
      .map(toLine)
      .join("")
      .replaceAll('"Hello!"', () => text),
    { headers: { "content-type": "text/event-stream" } },
  );
}

interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

const SAMPLES: Readonly<Record<string, unknown>> = { string: "text", integer: 1, number: 1, boolean: true };

function sampleOf(schema: Schema): unknown {
  const { type, const: constant, enum: values, anyOf, items, properties } = schema;
  if (constant !== undefined) return constant;
  if (values) return values[0];
  if (anyOf?.[0]) return sampleOf(anyOf[0]);
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, sampleOf(part)]));
  return items ? [sampleOf(items)] : SAMPLES[String([type].flat()[0])];
}

function toLine(event: Event): string {
  if (event === "[DONE]") return "data: [DONE]\n\n";
  return `${typeof event["type"] === "string" ? `event: ${event["type"]}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}

const MESSAGES: Event[] = [
  { type: "message_start", message: { id: "1", usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello!" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const ITEM = { id: "1", type: "message", role: "assistant", content: [] };
const TEXT = { type: "output_text", text: "Hello!", annotations: [] };
const RESPONSES: Event[] = [
  { type: "response.created", response: { id: "1" } },
  { type: "response.output_item.added", output_index: 0, item: ITEM },
  { type: "response.content_part.added", output_index: 0, content_index: 0, item_id: "1", part: { ...TEXT, text: "" } },
  { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "1", delta: "Hello!" },
  { type: "response.output_item.done", output_index: 0, item: { ...ITEM, content: [TEXT], status: "completed" } },
  {
    type: "response.completed",
    response: { id: "1", status: "completed", usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 } },
  },
];

const CHAT: Event[] = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "Hello!" }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  "[DONE]",
];

const GEMINI: Event[] = [
  { candidates: [{ content: { role: "model", parts: [{ text: "Hello!" }] }, finishReason: "STOP" }] },
];

const USAGE = { input: 9, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 14 };
const PROXY: Event[] = [
  { type: "start" },
  { type: "text_start", contentIndex: 0 },
  { type: "text_delta", contentIndex: 0, delta: "Hello!" },
  { type: "text_end", contentIndex: 0 },
  {
    type: "done",
    reason: "stop",
    usage: { ...USAGE, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
  },
];

const EVENTS_BY_PATH: [path: string, events: Event[]][] = [
  ["/messages", MESSAGES],
  ["/responses", RESPONSES],
  ["/chat/completions", CHAT],
  [":streamGenerateContent", GEMINI],
  ["/api/stream", PROXY],
];

const MODEL = {
  id: "a-model",
  name: "A model",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};
