import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { serveResponse } from "../../../test/support/local-response.js";
import { createApiProvider } from "../../driver/create-api-provider.js";
import type { Context } from "../../types/context.js";
import type { Model } from "../../types/model.js";
import { USER_AGENT } from "../../version.js";
import { googleGeminiCliAdapter } from "./gemini-cli.js";

const { stream, streamSimple } = createApiProvider(googleGeminiCliAdapter);

const MODEL: Model<"google-gemini-cli"> = {
  id: "gemini-2.5-flash",
  name: "Flash",
  api: "google-gemini-cli",
  provider: "google-gemini-cli",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};
const HELLO: Context = { messages: [{ role: "user", content: "Hello", timestamp: 1 }] };
const KEY = JSON.stringify({ token: "token-abc-1", projectId: "project-1" });
const SSE = { "content-type": "text/event-stream" };
const GOOD = `data: ${JSON.stringify({
  response: {
    candidates: [{ content: { parts: [{ text: "ok" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 },
    responseId: "r1",
  },
})}\n\n`;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("the request has an envelope with the project, and so does the response", async () => {
  await using server = await serveResponse({ headers: SSE, body: GOOD });
  const message = await streamSimple({ ...MODEL, baseUrl: server.url }, HELLO, { apiKey: KEY }).result();
  expect(message).toMatchObject({ content: [{ type: "text", text: "ok" }], stopReason: "stop", responseId: "r1" });
  expect(message.usage).toMatchObject({ input: 3, output: 2 });
  const [request] = server.requests;
  expect(request?.path).toBe("/v1internal:streamGenerateContent?alt=sse");
  expect(request?.headers).toMatchObject({ authorization: "Bearer token-abc-1", "user-agent": USER_AGENT });
  expect(request?.headers).not.toHaveProperty("x-goog-api-key");
  expect(request?.body).toEqual({
    project: "project-1",
    model: "gemini-2.5-flash",
    request: {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
    },
  });
});

test.each([["no JSON"], ["null"], ['{"token":"token-abc-1"}'], ['{"token":"","projectId":"p"}'], ["[]"]])(
  "an invalid key is rejected without being quoted: %s",
  async (apiKey) => {
    const { errorMessage, error } = await stream({ ...MODEL, baseUrl: "http://127.0.0.1:1" }, HELLO, {
      apiKey,
    }).result();
    expect(error?.kind).toBe("auth_missing");
    expect(errorMessage).toContain("must be JSON");
    expect(errorMessage).not.toContain("token-abc-1");
  },
);

test("no error text contains the token", async () => {
  await using server = await serveResponse({ status: 401, body: '{"error":{"message":"bad token token-abc-1"}}' });
  const { errorMessage, error } = await stream({ ...MODEL, baseUrl: server.url }, HELLO, { apiKey: KEY }).result();
  expect(errorMessage).toMatch(
    /^401 bad token \[redacted\] \(provider google-gemini-cli, model [^;]+; asked: http:[^;]+\)$/,
  );
  expect(error?.kind).toBe("auth");
});

test("an error in the stream has no envelope", async () => {
  const body = 'data: {"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}\n\n';
  await using server = await serveResponse({ headers: SSE, body });
  const { errorMessage, error } = await stream({ ...MODEL, baseUrl: server.url }, HELLO, { apiKey: KEY }).result();
  expect(errorMessage).toBe("Overloaded");
  expect(error?.kind).toBe("overloaded");
});

test("an empty stream is retried, and the message starts once", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  let asked = 0;
  const fetch = async (): Promise<Response> => new Response(++asked === 1 ? "" : GOOD, { headers: SSE });
  vi.useFakeTimers();
  const response = stream({ ...MODEL, baseUrl: "http://127.0.0.1:1" }, HELLO, { apiKey: KEY, fetch });
  const events: string[] = [];
  const reading = (async () => {
    for await (const event of response) events.push(event.type);
  })();
  await vi.advanceTimersByTimeAsync(10_000);
  await reading;
  expect(asked).toBe(2);
  expect(events).toEqual(["start", "text_start", "text_delta", "text_end", "done"]);
});

test("a retry waits for the server's reset time", async () => {
  const waits: number[] = [];
  const responses = [
    { status: 429, headers: { "x-ratelimit-reset-after": "7" }, body: '{"error":{"message":"slow down"}}' },
    { status: 200, headers: SSE, body: GOOD },
  ];
  const server = http.createServer((_request, response) => {
    const next = responses.shift();
    response.writeHead(next?.status ?? 500, next?.headers);
    response.end(next?.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const realSetTimeout = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0) => {
    waits.push(ms);
    return realSetTimeout(run, ms === 7000 ? 0 : ms);
  }) as typeof setTimeout); // the overloads of Node's timer do not matter here
  const { port } = server.address() as AddressInfo; // a TCP server's address is an object
  const model = { ...MODEL, baseUrl: `http://127.0.0.1:${port}` };
  const { stopReason } = await stream(model, HELLO, { apiKey: KEY, idleTimeoutMs: 0 }).result();
  server.closeAllConnections();
  server.close();
  expect(stopReason).toBe("stop");
  expect(waits).toContain(7000);
});
