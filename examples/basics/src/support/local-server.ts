/** A server on 127.0.0.1 with three apis, for examples that show what goes over the wire. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Returns the text of the response to a request. */
export type Responder = (path: string, body: Record<string, unknown>) => string;

export async function startLocalServer(responder: Responder): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void respond(request, response, responder).catch(() => response.destroy());
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

async function respond(request: IncomingMessage, response: ServerResponse, responder: Responder): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // without an encoding, chunks are buffers
  const path = request.url ?? "/";
  const text = responder(path, JSON.parse(Buffer.concat(chunks).toString("utf8")));
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of toEvents(path, text)) {
    const name = typeof event === "string" ? undefined : event["type"];
    response.write(
      `${name ? `event: ${name}\n` : ""}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`,
    );
  }
  response.end();
}

function toEvents(path: string, text: string): (Record<string, unknown> | string)[] {
  if (path.endsWith("/messages")) return anthropicEvents(text);
  if (path.includes("streamGenerateContent")) return googleEvents(text);
  return chatEvents(text);
}

function anthropicEvents(text: string): Record<string, unknown>[] {
  return [
    { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}

function googleEvents(text: string): Record<string, unknown>[] {
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 };
  const candidate = { content: { role: "model", parts: [{ text }] }, finishReason: "STOP" };
  return [{ candidates: [candidate], usageMetadata, responseId: "gemini-1" }];
}

function chatEvents(text: string): (Record<string, unknown> | string)[] {
  const chunk = (delta: object, finish: string | null): Record<string, unknown> => ({
    id: "chat-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
  return [chunk({ role: "assistant", content: text }, null), chunk({}, "stop"), { choices: [], usage }, "[DONE]"];
}
