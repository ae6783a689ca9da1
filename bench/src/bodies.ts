/** Prepared responses of each api: `count` deltas of `piece`, framed as the provider frames them. */

export type Protocol = "anthropic-messages" | "openai-completions" | "openai-responses" | "google-generative-ai";
/** `prose` is text with paragraphs, lists and code; `text` is one long word. */
export type Kind = "text" | "prose" | "arguments";

export interface BodyRequest {
  protocol: Protocol;
  kind: Kind;
  /** Number of deltas for text; number of characters for prose and arguments. */
  size: number;
  /** Characters in a delta. */
  piece: number;
}

/** A URL path that names a body, and its inverse. */
export function bodyPath({ protocol, kind, size, piece }: BodyRequest): string {
  return `/${protocol}/${kind}/${size}/${piece}`;
}

export function parseBodyPath(url: string): BodyRequest {
  const [, protocol, kind, size, piece] = url.split("/");
  return { protocol: protocol as Protocol, kind: kind as Kind, size: Number(size), piece: Number(piece) }; // our own clients wrote it
}

/** The number of characters in all deltas of a body. */
export function lengthOf(request: BodyRequest): number {
  return PIECES[request.kind](request).reduce((sum, { length }) => sum + length, 0);
}

export function buildBody(request: BodyRequest): Buffer {
  const kind = request.kind === "arguments" ? "arguments" : "text";
  return Buffer.from(FRAMES[request.protocol](kind, PIECES[request.kind](request)).join(""));
}

/** The arguments of a tool that writes a file. */
export function argumentsText(size: number): string {
  return JSON.stringify({
    path: "notes/answer.txt",
    content: "The quick brown fox jumps over the lazy dog. ".repeat(Math.ceil(size / 45)).slice(0, size),
  });
}

const PIECES: Record<Kind, (request: BodyRequest) => string[]> = {
  text: ({ size, piece }) => Array.from({ length: size }, () => "abcd".repeat(piece / 4)),
  prose: ({ size, piece }) => cut(proseText(size), piece),
  arguments: ({ size, piece }) => cut(argumentsText(size), piece),
};

function proseText(size: number): string {
  let text = "";
  // Paragraphs differ, because the embedding handler drops a block that repeats the previous one.
  for (let number = 1; text.length < size; number++) text += `${number}. ${PARAGRAPH}`;
  return text.slice(0, size);
}

const PARAGRAPH =
  "Text with `code <b>`, a <b> tag, and a sentence that goes on. More!\n\nA list:\n\n- one\n- two\n\n```js\na < b;\n```\n\n";

function cut(text: string, piece: number): string[] {
  return Array.from({ length: Math.ceil(text.length / piece) }, (_, index) =>
    text.slice(index * piece, (index + 1) * piece),
  );
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { type: string }): string => `event: ${value.type}\n${data(value)}`;

const RESPONSE = { id: "resp_1", object: "response", created_at: 1, model: "m", tools: [], parallel_tool_calls: true };
const RESPONSE_USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 99,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 109,
};

const FRAMES: Record<Protocol, (kind: Kind, pieces: string[]) => string[]> = {
  "anthropic-messages": (kind, pieces) => {
    const block =
      kind === "text" ? { type: "text", text: "" } : { type: "tool_use", id: "call_1", name: "write", input: {} };
    const delta = (piece: string): object =>
      kind === "text" ? { type: "text_delta", text: piece } : { type: "input_json_delta", partial_json: piece };
    const usage = { input_tokens: 10, output_tokens: 1 };
    return [
      named({
        type: "message_start",
        message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage },
      } as { type: string }),
      named({ type: "content_block_start", index: 0, content_block: block } as { type: string }),
      ...pieces.map((piece) =>
        named({ type: "content_block_delta", index: 0, delta: delta(piece) } as { type: string }),
      ),
      named({ type: "content_block_stop", index: 0 } as { type: string }),
      named({
        type: "message_delta",
        delta: { stop_reason: kind === "text" ? "end_turn" : "tool_use" },
        usage: { output_tokens: 99 },
      } as { type: string }),
      named({ type: "message_stop" }),
    ];
  },
  "openai-completions": (kind, pieces) => {
    const chunk = (delta: object, finish: string | null): string =>
      data({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const call = (piece: string, first: boolean): object => ({
      tool_calls: [
        {
          index: 0,
          ...(first ? { id: "call_1", type: "function" } : {}),
          function: { ...(first ? { name: "write" } : {}), arguments: piece },
        },
      ],
    });
    return [
      chunk({ role: "assistant", content: "" }, null),
      ...pieces.map((piece, index) => chunk(kind === "text" ? { content: piece } : call(piece, index === 0), null)),
      chunk({}, kind === "text" ? "stop" : "tool_calls"),
      data({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [],
        usage: { prompt_tokens: 10, completion_tokens: 99 },
      }),
      "data: [DONE]\n\n",
    ];
  },
  "openai-responses": (kind, pieces) => {
    let sequence = 0;
    const event = (type: string, fields: object): string =>
      named({ type, sequence_number: sequence++, ...fields } as { type: string });
    const item =
      kind === "text"
        ? { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] }
        : { type: "function_call", id: "fc_1", call_id: "call_1", name: "write", arguments: "" };
    const whole = pieces.join("");
    const place = { item_id: item.id, output_index: 0 };
    const part = { ...place, content_index: 0 };
    const finished =
      kind === "text"
        ? { ...item, status: "completed", content: [{ type: "output_text", text: whole, annotations: [] }] }
        : { ...item, arguments: whole };
    return [
      event("response.created", { response: { ...RESPONSE, status: "in_progress", output: [] } }),
      event("response.output_item.added", { output_index: 0, item }),
      ...(kind === "text"
        ? [event("response.content_part.added", { ...part, part: { type: "output_text", text: "", annotations: [] } })]
        : []),
      ...pieces.map((piece) =>
        kind === "text"
          ? event("response.output_text.delta", { ...part, delta: piece, logprobs: [] })
          : event("response.function_call_arguments.delta", { ...place, delta: piece }),
      ),
      ...(kind === "text"
        ? [event("response.output_text.done", { ...part, text: whole })]
        : [event("response.function_call_arguments.done", { ...place, arguments: whole })]),
      event("response.output_item.done", { output_index: 0, item: finished }),
      event("response.completed", {
        response: { ...RESPONSE, status: "completed", output: [finished], usage: RESPONSE_USAGE },
      }),
    ];
  },
  "google-generative-ai": (_kind, pieces) => {
    const chunk = (text: string, more: object): string =>
      data({
        candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
        modelVersion: "m",
        responseId: "r1",
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 99, totalTokenCount: 109 },
      });
    return pieces.map((piece, index) => chunk(piece, index === pieces.length - 1 ? { finishReason: "STOP" } : {}));
  },
};
