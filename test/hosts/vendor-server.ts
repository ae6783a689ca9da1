/**
 * A simulated vendor for the programs of the matrix: it speaks Anthropic Messages, Chat Completions, Bedrock Converse and
 * Gemini on Vertex AI, and answers by a word in the conversation. Pages of any origin may read its answers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { encodeAwsEvent } from "../../packages/ai/test/support/aws-frames.ts";

interface ToolCall {
  name: string;
  args: Record<string, unknown>;
}

/** What the model says, regardless of the wire format. */
interface Reply {
  text?: readonly string[];
  calls?: readonly ToolCall[];
  /** The response has no end: the client has to leave. */
  endless?: boolean;
}

/** How a wire format is recognized, how it marks a tool's result, and how it sends a reply. */
interface Wire {
  path: RegExp;
  result: RegExp;
  contentType: string;
  encode: (reply: Reply) => readonly (string | Uint8Array)[];
}

const WIRES: readonly Wire[] = [
  {
    path: /\/v1\/messages$/,
    result: /"type":"tool_result"/g,
    contentType: "text/event-stream",
    encode: encodeMessages,
  },
  {
    path: /\/chat\/completions$/,
    result: /"role":"tool"/g,
    contentType: "text/event-stream",
    encode: encodeCompletions,
  },
  {
    path: /\/converse-stream$/,
    result: /"toolResult":/g,
    contentType: "application/vnd.amazon.eventstream",
    encode: encodeConverse,
  },
  {
    path: /:streamGenerateContent$/,
    result: /"functionResponse":/g,
    contentType: "text/event-stream",
    encode: encodeGemini,
  },
];

/** What a security token service returns (RFC 8693). */
const TOKEN = {
  access_token: "vertex-token",
  issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
  expires_in: 3600,
  token_type: "Bearer",
};

export interface VendorServer {
  url: string;
  /** Responses without an end whose client has left. */
  left: () => number;
  close: () => Promise<void>;
}

export async function startVendorServer(): Promise<VendorServer> {
  let left = 0;
  const server = createServer((request, response) => {
    respond(request, response, () => left++).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    left: () => left,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, onLeft: () => void): Promise<void> {
  const cors = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*",
  };
  let body = "";
  for await (const piece of request) body += piece;
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  if (request.method === "OPTIONS") {
    response.writeHead(204, cors).end();
  } else if (path === "/token") {
    response.writeHead(200, { ...cors, "content-type": "application/json" });
    response.end(JSON.stringify(TOKEN));
  } else if (body.includes("REFUSE")) {
    response.writeHead(400, { ...cors, "content-type": "application/json" });
    response.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "Refused" } }));
  } else {
    const wire = WIRES.find((one) => one.path.test(path));
    if (!wire) throw new Error(`No wire format has the path ${path}`);
    const reply = decide(body, body.match(wire.result)?.length ?? 0);
    await send(response, { ...cors, "content-type": wire.contentType }, { wire, reply, request, onLeft });
  }
}

interface Sending {
  wire: Wire;
  reply: Reply;
  request: IncomingMessage;
  onLeft: () => void;
}

async function send(response: ServerResponse, headers: Record<string, string>, sending: Sending): Promise<void> {
  const { wire, reply, request, onLeft } = sending;
  const pieces = wire.encode(reply);
  if (reply.endless) {
    response.writeHead(200, headers);
    for (const piece of pieces) response.write(piece);
    response.on("close", onLeft);
    return;
  }
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  const isZipped = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  response.writeHead(200, { ...headers, ...(isZipped && { "content-encoding": "gzip" }) });
  response.end(isZipped ? gzipSync(bytes) : bytes);
}

/** @param results the number of tool results in the conversation */
function decide(body: string, results: number): Reply {
  if (body.includes("ENDLESS")) return { text: ["tick ", "tack ", "tick "], endless: true };
  if (body.includes("CITY")) return { text: ['{"name":"Oslo",', '"people":709000}'] };
  if (!body.includes("WEATHER")) return { text: ["Hello ", "from the ", "model."] };
  const flaky = { name: "flaky", args: {} };
  if (results === 0) return { calls: [{ name: "get_weather", args: { city: "Oslo" } }, flaky] };
  if (results === 2) return { calls: [flaky] };
  return { text: ["It rains ", "in Oslo."] };
}

const event = (data: object, name?: string): string =>
  `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;

/** platform.claude.com, "Streaming Messages", 2026-11. */
function encodeMessages({ text = [], calls = [], endless }: Reply): string[] {
  const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", content: [], model: "claude", usage };
  const blocks = [
    ...(text.length > 0
      ? [{ start: { type: "text", text: "" }, deltas: text.map((part) => ({ type: "text_delta", text: part })) }]
      : []),
    ...calls.map(({ name, args }, index) => ({
      start: { type: "tool_use", id: `toolu_${index}`, name, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(args) }],
    })),
  ];
  return [
    named({ type: "message_start", message }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      named({ type: "content_block_start", index, content_block: start }),
      ...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
      ...(endless ? [] : [named({ type: "content_block_stop", index })]),
    ]),
    ...(endless
      ? []
      : [
          named({
            type: "message_delta",
            delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" },
            usage: { output_tokens: 5 },
          }),
          named({ type: "message_stop" }),
        ]),
  ];
}

/** platform.openai.com, "Chat Completions streaming", 2026-11. */
function encodeCompletions({ text = [], calls = [], endless }: Reply): string[] {
  const chunk = (delta: object, finish: string | null = null): string =>
    event({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
  return [
    ...text.map((content) => chunk({ content })),
    ...calls.map(({ name, args }, index) =>
      chunk({
        tool_calls: [
          { index, id: `call_${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } },
        ],
      }),
    ),
    ...(endless
      ? []
      : [
          chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
          event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
          "data: [DONE]\n\n",
        ]),
  ];
}

/** docs.aws.amazon.com, "ConverseStream", 2026-11. */
function encodeConverse({ text = [], calls = [] }: Reply): Uint8Array[] {
  return [
    { messageStart: { role: "assistant" } },
    ...text.map((part) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: part } } })),
    ...calls.flatMap(({ name, args }, index) => [
      { contentBlockStart: { contentBlockIndex: index, start: { toolUse: { toolUseId: `tool_${index}`, name } } } },
      {
        contentBlockDelta: { contentBlockIndex: index, delta: { toolUse: { input: JSON.stringify(args) } } },
      },
      { contentBlockStop: { contentBlockIndex: index } },
    ]),
    ...(text.length > 0 ? [{ contentBlockStop: { contentBlockIndex: 0 } }] : []),
    { messageStop: { stopReason: calls.length > 0 ? "tool_use" : "end_turn" } },
    { metadata: { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } } },
  ].map(encodeAwsEvent);
}

/** cloud.google.com, "streamGenerateContent", 2026-11. */
function encodeGemini({ text = [], calls = [] }: Reply): string[] {
  const parts = [
    ...text.map((part) => ({ text: part })),
    ...calls.map(({ name, args }) => ({ functionCall: { name, args } })),
  ];
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  return parts.map((part, index) =>
    event({
      candidates: [
        {
          content: { role: "model", parts: [part] },
          ...(index === parts.length - 1 && { finishReason: "STOP" }),
        },
      ],
      usageMetadata,
    }),
  );
}
