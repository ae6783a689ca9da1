/** A model without a network: a server on 127.0.0.1 that speaks the Anthropic Messages API and follows a script. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { nextResponse, type ScriptedResponse } from "./scripted-model.ts";
import type { WireRequestBody } from "./scripted-request.ts";

export interface ScriptedServer {
  url: string;
  close(): Promise<void>;
}

/** Milliseconds between two deltas: fast enough for a reader, slow enough to look like a stream. */
const PACE_MS = 8;
const PIECE_LENGTH = 12;

export async function createScriptedServer(): Promise<ScriptedServer> {
  const server = createServer((request, response) => {
    void respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // the address of a TCP server is an object
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // without an encoding, chunks are buffers
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as WireRequestBody; // all of its fields are optional
  const script = nextResponse(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of toEvents(script, Buffer.concat(chunks).length)) {
    if (response.destroyed) return;
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (event.type === "content_block_delta") await sleep(PACE_MS);
  }
  response.end();
}

interface WireEvent {
  type: string;
  [field: string]: unknown;
}

/** @param bytes size of the request; four bytes are counted as a token */
function* toEvents({ thinking, text, calls }: ScriptedResponse, bytes: number): Generator<WireEvent> {
  const usage = { input_tokens: Math.ceil(bytes / 4), output_tokens: 1 };
  yield {
    type: "message_start",
    message: { id: "msg_scripted", type: "message", role: "assistant", content: [], usage },
  };
  const blocks = [
    ...(thinking ? [{ start: { type: "thinking", thinking: "" }, delta: "thinking", text: thinking }] : []),
    ...(text ? [{ start: { type: "text", text: "" }, delta: "text", text }] : []),
    ...calls.map(({ id, name, input }) => ({
      start: { type: "tool_use", id, name, input: {} },
      delta: "input_json",
      text: JSON.stringify(input),
    })),
  ];
  let length = 0;
  for (const [index, block] of blocks.entries()) {
    yield { type: "content_block_start", index, content_block: block.start };
    const field = block.delta === "input_json" ? "partial_json" : block.delta;
    for (let from = 0; from < block.text.length; from += PIECE_LENGTH) {
      const piece = block.text.slice(from, from + PIECE_LENGTH);
      yield { type: "content_block_delta", index, delta: { type: `${block.delta}_delta`, [field]: piece } };
    }
    if (block.delta === "thinking") {
      yield { type: "content_block_delta", index, delta: { type: "signature_delta", signature: "scripted" } };
    }
    yield { type: "content_block_stop", index };
    length += block.text.length;
  }
  const stopReason = calls.length > 0 ? "tool_use" : "end_turn";
  yield { type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: Math.ceil(length / 4) } };
  yield { type: "message_stop" };
}
