/**
 * Preloaded into the programs of `examples/migrate`: a network in which OpenAI (Responses) and Anthropic call the tool `weather`,
 * and after its result advise an umbrella. Every other address refuses.
 */

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { hostname, pathname } = new URL(request.url);
  const body = await request.text();
  if (hostname === "api.openai.com" && pathname.endsWith("/responses")) return openAi(body);
  if (hostname === "api.anthropic.com" && pathname.endsWith("/messages")) return toStream(anthropicEvents(body));
  return new Response(`Nothing responds at ${request.url}`, { status: 404 });
};

const ARGS = JSON.stringify({ city: "Oslo" });
const DELTAS = ["Yes, take ", "an umbrella."];

function openAi(body: string): Response {
  const events = openAiEvents(body.includes('"function_call_output"'));
  if (JSON.parse(body).stream === true) return toStream(events);
  return Response.json(events.at(-1)?.["response"]);
}

function openAiEvents(hasResult: boolean): Event[] {
  const text = { type: "output_text", text: DELTAS.join(""), annotations: [] };
  const item = hasResult
    ? { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [text] }
    : { id: "fc_1", type: "function_call", call_id: "call_1", name: "weather", arguments: ARGS, status: "completed" };
  const response = { id: hasResult ? "resp_2" : "resp_1", object: "response", created_at: 0, model: "gpt-5.4" };
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const parts = hasResult ? textEvents(text) : argumentEvents();
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, ...(hasResult ? { content: [] } : { arguments: "" }) },
    },
    ...parts,
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
  ].map((event, index) => ({ ...event, sequence_number: index }));
}

function textEvents(part: object): Event[] {
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  return [
    { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
    ...DELTAS.map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
    { type: "response.output_text.done", ...at, text: DELTAS.join("") },
    { type: "response.content_part.done", ...at, part },
  ];
}

function argumentEvents(): Event[] {
  const at = { item_id: "fc_1", output_index: 0 };
  return [
    { type: "response.function_call_arguments.delta", ...at, delta: ARGS },
    { type: "response.function_call_arguments.done", ...at, arguments: ARGS },
  ];
}

function anthropicEvents(body: string): Event[] {
  const hasResult = body.includes('"tool_result"');
  const block = hasResult
    ? { type: "text", text: "" }
    : { type: "tool_use", id: "toolu_1", name: "weather", input: {} };
  const deltas = hasResult
    ? DELTAS.map((text) => ({ type: "text_delta", text }))
    : [{ type: "input_json_delta", partial_json: ARGS }];
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-6", content: [] };
  return [
    { type: "message_start", message: { ...message, usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: hasResult ? "end_turn" : "tool_use" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}

function toStream(events: readonly Event[]): Response {
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}
