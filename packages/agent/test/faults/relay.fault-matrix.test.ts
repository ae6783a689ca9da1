/** The client of the relay under faults of the server. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { streamProxy } from "pi-agent";
import { expect, test } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { MODEL, user } from "../scripted-stream.js";

const MEGABYTE = 1024 * 1024;
const LINE_LENGTH = budget({ quick: 8, all: 70 }) * MEGABYTE;
const CONTEXT = { messages: [user("secret plans")] };

function ask(url: string, limits: { eventLength?: number } = {}) {
  return streamProxy(MODEL, CONTEXT, { authToken: "token-of-the-user", proxyUrl: url, limits }).result();
}

/** A server that sends this response, and the request bodies that it received. */
async function serve(listener: http.RequestListener) {
  const bodies: string[] = [];
  const server = http.createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A line of the given length without its end. */
async function writeLine(response: http.ServerResponse, length: number): Promise<number> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write('data: {"type":"start"}\n\ndata: {"type":"text_start","contentIndex":0}\n\n');
  response.write('data: {"type":"text_delta","contentIndex":0,"delta":"');
  const piece = "x".repeat(64 * 1024);
  const closed = once(response, "close");
  let written = 0;
  while (written < length && !response.destroyed) {
    written += piece.length;
    if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
  }
  return written;
}

test("#200 streamProxy: a line that never ends is bounded", async () => {
  let written: Promise<number> | undefined;
  await using server = await serve((_, response) => {
    written = writeLine(response, LINE_LENGTH);
  });
  const message = await ask(server.url, { eventLength: 4 * MEGABYTE });
  expect(message).toMatchObject({ stopReason: "error" });
  expect(message.errorMessage).toContain(`longer than ${4 * MEGABYTE}`);
  // The client has left, so the server cannot write all of it.
  expect(await written).toBeLessThan(LINE_LENGTH + MEGABYTE);
});

test("#200 streamProxy: a line of 70 MB is read whole", async () => {
  await using server = await serve(async (_, response) => {
    await writeLine(response, LINE_LENGTH);
    response.end('"}\n\ndata: {"type":"text_end","contentIndex":0}\n\ndata: {"type":"done","reason":"stop"}\n\n');
  });
  const message = await ask(server.url, { eventLength: 2 * LINE_LENGTH });
  expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text" }] });
  const [block] = message.content;
  expect(block?.type === "text" && block.text.length).toBe(LINE_LENGTH);
});

test.each([301, 302, 303, 307, 308])("#200 streamProxy: a redirect to another host, status %d", async (status) => {
  await using other = await serve((_, response) => void response.end());
  await using server = await serve((_, response) => {
    response.writeHead(status, { location: `${other.url}/api/stream` }).end();
  });
  const message = await ask(server.url);
  expect(message).toMatchObject({ stopReason: "error", error: { kind: "invalid_request", status } });
  expect(message.errorMessage).toContain("the conversation is not sent there");
  expect(server.bodies).toHaveLength(1);
  expect(other.bodies).toEqual([]);
});

const ODD = "a\u001b[31m\u0007\u202eb";
const SHOWN = String.raw`a\u{1b}[31m\u{7}\u{202e}b`;

test.each([
  [400, JSON.stringify({ error: ODD })],
  [
    200,
    `data: ${JSON.stringify({ type: "error", reason: "error", errorMessage: ODD, error: { kind: ODD, requestId: ODD } })}\n\n`,
  ],
  [200, `data: ${ODD}\n\n`],
])("#204 streamProxy: control characters and direction overrides in errors, status %d", async (status, body) => {
  await using server = await serve((_, response) => {
    response.writeHead(status, { "content-type": "text/event-stream" }).end(body);
  });
  const { errorMessage, error } = await ask(server.url);
  expect(errorMessage).toContain(String.raw`a\u{1b}`);
  expect(`${errorMessage}${error?.kind}${error?.requestId}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});

test("#204 streamProxy: the same in diagnostics, names of models and sources, but not in the text", async () => {
  const diagnostics = [{ type: ODD, timestamp: 1, details: { [ODD]: ODD }, error: { message: ODD, stack: ODD } }];
  const events = [
    { type: "start", responseModel: ODD, diagnostics },
    { type: "text_start", contentIndex: 0 },
    { type: "text_delta", contentIndex: 0, delta: ODD },
    { type: "citation", contentIndex: 0, citation: { title: ODD } },
    { type: "text_end", contentIndex: 0 },
    { type: "done", reason: "stop" },
  ];
  await using server = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  });
  expect(await ask(server.url)).toMatchObject({
    content: [{ type: "text", text: ODD, citations: [{ title: SHOWN }] }],
    responseModel: SHOWN,
    diagnostics: [{ type: SHOWN, details: { [SHOWN]: SHOWN }, error: { message: SHOWN, stack: SHOWN } }],
  });
});
