/** Typed output over the WebSocket of the Codex api, whose later requests hold only what is new. */
import { Type } from "@sinclair/typebox";
import { expect, onTestFinished, test } from "vitest";
import { createApiProvider } from "../../src/driver/create-api-provider.js";
import { completeObject } from "../../src/object/complete-object.js";
import type { ObjectOptions } from "../../src/object/object-attempts.js";
import { streamObject } from "../../src/object/object-stream.js";
import { createCodexAdapter } from "../../src/providers/openai-responses/codex.js";
import { CodexTransport } from "../../src/providers/openai-responses/codex-transport.js";
import type { Model } from "../../src/types/model.js";
import type { SimpleStreamOptions, StreamFn } from "../../src/types/options.js";
import { callPart, responseOf, textPart, type WireEnd, type WirePart } from "../faults/fault-wire-format.js";
import { codexSocketWire } from "../protocols/openai-codex-responses/fault-wire.js";
import { type SocketScript, type SocketServer, serveSockets } from "../support/socket-server.js";
import { CODEX_KEY } from "./typed-models.js";

const SCHEMA = Type.Object({ title: Type.String(), pages: Type.Integer() });
const BOOK = { title: 'Über "alles" 😀\n', pages: 1234567 };
const JSON_TEXT = JSON.stringify(BOOK);
const CHARACTERS = Array.from(JSON_TEXT);

interface Setup {
  server: SocketServer;
  model: Model;
  options: ObjectOptions<typeof SCHEMA>;
}

/** A server that responds to the requests with these parts, in order, and what a request needs. */
async function serve(
  responses: readonly (readonly WirePart[])[],
  end: WireEnd = {},
  onMessage: SocketScript["onMessage"] = (socket, count) => {
    for (const event of responseOf(codexSocketWire, responses[count] ?? [], end)) socket.send(event);
  },
): Promise<Setup> {
  const server = await serveSockets({ onMessage });
  const transport = new CodexTransport();
  onTestFinished(async () => {
    transport.close();
    await server[Symbol.asyncDispose]();
  });
  const { streamSimple } = createApiProvider(createCodexAdapter(transport));
  const model = codexSocketWire.fixtures.model(server.url);
  const streamFn: StreamFn = (_model, context, options?: SimpleStreamOptions) =>
    streamSimple({ ...model, api: "openai-codex-responses" }, context, options);
  const options = { schema: SCHEMA, apiKey: CODEX_KEY, maxRetries: 0, streamFn, transport: "websocket" as const };
  return { server, model, options };
}

test.each([
  ["native", [textPart(...CHARACTERS)]],
  ["tool", [textPart("Let me see."), callPart("output", ...CHARACTERS)]],
  ["text", [textPart("Here it is:\n```json\n", ...CHARACTERS, "\n```")]],
] as const)("streams the object in the mode %s", async (mode, parts) => {
  const { server, model, options } = await serve([parts]);
  const stream = streamObject(model, "Go", { ...options, mode });
  const seen: unknown[] = [];
  for await (const { partial } of stream) seen.push(structuredClone(partial));
  expect(await stream.result()).toMatchObject({ object: BOOK, mode });
  expect(seen.length).toBeGreaterThan(5);
  expect(seen.at(-1)).toEqual(BOOK);
  expect(server.posts).toEqual([]);
  const [request] = server.messages;
  expect(request.type).toBe("response.create");
  expect(Boolean(request.text?.format)).toBe(mode === "native");
  expect((request.tools ?? []).map(({ name }: { name: string }) => name)).toEqual(mode === "tool" ? ["output"] : []);
  if (mode === "tool") expect(request.tool_choice).toBe("required");
});

test.each([
  ["native", textPart('{"title":1}'), textPart(JSON_TEXT)],
  ["tool", callPart("output", '{"title":1}'), callPart("output", JSON_TEXT)],
] as const)("a repair in the mode %s sends only what is new, over the same connection", async (mode, wrong, right) => {
  const { server, model, options } = await serve([[wrong], [right]]);
  const session = { ...options, mode, sessionId: "s-1", transport: "auto" as const };
  const result = await completeObject(model, "Go", session);
  expect(result.object).toEqual(BOOK);
  expect(result.responses).toHaveLength(2);
  expect(server.connections).toHaveLength(1);
  const [first, second] = server.messages;
  expect(second.previous_response_id).toBe(result.responses[0]?.responseId);
  expect(second.text?.format).toEqual(first.text?.format);
  expect(second.tools).toEqual(first.tools);
  expect(JSON.stringify(second.input)).toContain("title");
  expect(JSON.stringify(second.input)).not.toContain('"Go"');
});

test("another schema in the same session is sent with the whole conversation", async () => {
  const { server, model, options } = await serve([[textPart(JSON_TEXT)], [textPart('{"name":"A"}')]]);
  const session = { ...options, mode: "native" as const, sessionId: "s-1", transport: "auto" as const };
  const first = await completeObject(model, "Go", session);
  const user = { role: "user" as const, timestamp: 1 };
  const messages = [{ ...user, content: "Go" }, first.message, { ...user, content: "And who wrote it?" }];
  const schema = Type.Object({ name: Type.String() });
  expect((await completeObject(model, { messages }, { ...session, schema })).object).toEqual({ name: "A" });
  const [, second] = server.messages;
  expect(second).not.toHaveProperty("previous_response_id");
  expect(second.input).toHaveLength(3);
  expect(second.text.format.schema.properties).toEqual({ name: { type: "string" } });
});

test("an output that was cut off is reported", async () => {
  const { model, options } = await serve([[textPart('{"title":"A')]], { stop: "length" });
  await expect(completeObject(model, "Go", { ...options, mode: "native" })).rejects.toMatchObject({ kind: "length" });
});

test("a connection that breaks within the output is reported, and a part is not taken for the object", async () => {
  const { server, model, options } = await serve([], {}, (socket) => {
    for (const event of responseOf(codexSocketWire, [textPart('{"title":"A","pages":1', "}")]).slice(0, -2))
      socket.send(event);
    socket.destroy();
  });
  const stream = streamObject(model, "Go", { ...options, mode: "native" });
  const seen: unknown[] = [];
  const read = async () => {
    for await (const { partial } of stream) seen.push(structuredClone(partial));
  };
  await expect(read()).rejects.toMatchObject({ kind: expect.stringMatching(/^(network|protocol)$/) });
  expect(seen.at(-1)).toEqual({ title: "A", pages: 1 });
  expect(server.messages).toHaveLength(1);
});
