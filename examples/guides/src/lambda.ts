/** An agent in AWS Lambda, behind a function URL that streams. It responds to `useChat` of the AI SDK. */
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Agent } from "pi-agent";
import { fromUIMessages, uiMessageResponse } from "pi-agent/ui-stream";
import { getModel } from "pi-ai";

interface FunctionUrlEvent {
  body?: string;
  isBase64Encoded?: boolean;
}

/** Lambda's runtime for Node.js has this global. */
declare const awslambda: {
  streamifyResponse(handle: (event: FunctionUrlEvent, stream: Writable) => Promise<void>): unknown;
  HttpResponseStream: { from(stream: Writable, head: { statusCode: number; headers: object }): Writable };
};

async function chat(body: string): Promise<Response> {
  const { messages }: { messages?: unknown } = await new Response(body).json().catch(() => ({}));
  if (!Array.isArray(messages)) return new Response("Send messages", { status: 400 });
  const agent = new Agent({
    initialState: { model: getModel("anthropic", "claude-sonnet-5-5"), messages: fromUIMessages(messages) },
    maxTurns: 20,
  });
  return uiMessageResponse(agent, { run: () => agent.continue() });
}

export const handler: unknown = awslambda.streamifyResponse(async ({ body = "", isBase64Encoded }, stream) => {
  const response = await chat(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
  const head = { statusCode: response.status, headers: Object.fromEntries(response.headers) };
  const target = awslambda.HttpResponseStream.from(stream, head);
  await pipeline(Readable.from(response.body ?? []), target);
});
