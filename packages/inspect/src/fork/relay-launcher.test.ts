import { streamProxy } from "pi-agent";
import { type AssistantMessage, type Model, streamSimple } from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import { describe, expect, it } from "vitest";
import { call, eventsOf, MODEL, response, streamOf } from "../../../agent/test/scripted-stream.js";
import { createRelayLauncher } from "./relay-launcher.js";

const TOKEN = "token-of-the-relay";
const REQUEST = {
  model: { provider: MODEL.provider, id: MODEL.id },
  originalModel: MODEL,
  system: "Be brief",
  tools: [{ name: "a", description: "a", parameters: { type: "object" } }],
  messages: [{ role: "user", content: "Hi", timestamp: 1 }, { role: "custom" }],
  thinking: "low",
};

/** Creates the fetch function of a relay that responds with a message. */
function relayOf(message: AssistantMessage, sent: unknown[] = []) {
  const handler = createProxyHandler({
    authorize: TOKEN,
    allowModels: ["test/*"],
    getModel: () => MODEL,
    getApiKey: () => "key",
    streamFn: (model, context, options) => {
      sent.push({ model, context, reasoning: options?.reasoning });
      return streamOf(eventsOf(message));
    },
  });
  return async (input: string | URL | Request, init?: RequestInit) => handler(new Request(input, init));
}

const launch = (fetch: typeof globalThis.fetch) =>
  createRelayLauncher({ url: "http://relay.test/", token: TOKEN }, fetch);

function watch() {
  const partials: string[] = [];
  const controller = new AbortController();
  const onPartial = (message: unknown) => void partials.push(JSON.stringify(message));
  return { partials, controller, options: { signal: controller.signal, onPartial } };
}

/** A message whose events are of every kind. */
const EVERYTHING = response(
  [
    { type: "thinking", thinking: "Well", thinkingSignature: "s1" },
    { type: "text", text: "Hello", textSignature: "s2", citations: [{ url: "https://a.test", title: "A" }] },
    { type: "serverTool", id: "s", name: "webSearch", status: "done", input: { query: "q" }, output: [1] },
    { type: "compaction", text: "short", signature: "s4" },
    { type: "file", mimeType: "text/plain", data: "aGk=" },
    { ...call("1", "a", { path: ["x"], deep: { n: 1 } }), thoughtSignature: "s3" },
  ],
  { responseId: "r-1" },
);

it("assembles the same message as streamProxy", async () => {
  const sent: unknown[] = [];
  const fetch = relayOf(EVERYTHING, sent);
  const { partials, options } = watch();
  const message = await launch(fetch).send(REQUEST, options);
  const reference = await streamProxy(
    MODEL,
    { messages: [] },
    { proxyUrl: "http://relay.test", authToken: TOKEN, fetch },
  ).result();
  expect({ ...message, timestamp: 0 }).toEqual({ ...reference, timestamp: 0 });
  expect(partials.length).toBeGreaterThan(8);
  expect(sent[0]).toMatchObject({
    context: { systemPrompt: "Be brief", messages: [{ role: "user" }], tools: [{ name: "a" }] },
    reasoning: "low",
  });
});

it("returns a failure as a message without the token", async () => {
  const failed = response([], { stopReason: "error", errorMessage: "overloaded" });
  const { options } = watch();
  expect(await launch(relayOf(failed)).send(REQUEST, options)).toMatchObject({
    stopReason: "error",
    errorMessage: "overloaded",
  });
  const refusals: [typeof globalThis.fetch, string][] = [
    [
      async () => Response.json({ error: `no such token ${TOKEN}` }, { status: 401 }),
      "status 401: no such token [redacted]",
    ],
    [async () => Promise.reject(new Error(`connect ${TOKEN}`)), "connect [redacted]"],
    [async () => new Response('data: {"type":"start"}\n\ndata: {"ty'), "ended before the response was complete"],
  ];
  for (const [fetch, words] of refusals)
    expect(await launch(fetch).send(REQUEST, options)).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringContaining(words),
    });
});

describe("a relay that sends without end", () => {
  const endless = (text: string, status: number) => {
    const bytes = new TextEncoder().encode(text);
    let isCancelled = false;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => controller.enqueue(bytes);
    const cancel = (): void => {
      isCancelled = true;
    };
    const fetch = async () => new Response(new ReadableStream({ pull, cancel }), { status });
    return { fetch, isCancelled: () => isCancelled };
  };

  it.each([
    ["a refusal", "x".repeat(1000), 500, "The relay refused the request with status 500"],
    ["lines", `: ${"x".repeat(1_000_000)}\n`, 200, "The relay's response is too large"],
    ["one line", "x".repeat(1_000_000), 200, "The relay sent a line that is too long"],
  ])("is cut off: %s", async (_, text, status, errorMessage) => {
    const { fetch, isCancelled } = endless(text, status);
    expect(await launch(fetch).send(REQUEST, watch().options)).toMatchObject({ stopReason: "error", errorMessage });
    expect(isCancelled()).toBe(true);
  });
});

it("ignores hostile events and fields", async () => {
  const events = [
    null,
    { type: "__proto__", contentIndex: 0 },
    { type: "text_start", contentIndex: 1e9 },
    { type: "text_start", contentIndex: -1 },
    { type: "toolcall_start", contentIndex: 0, id: "1", toolName: "a" },
    { type: "toolcall_delta", contentIndex: 0, delta: '{"__proto__":{"polluted":true}' },
    { type: "toolcall_end", contentIndex: 0 },
    { type: "done", reason: "hurrah" },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const message = await launch(async () => new Response(body)).send(REQUEST, watch().options);
  expect(message).toMatchObject({
    stopReason: "error",
    content: [{ type: "toolCall", id: "1", arguments: {}, argumentsError: expect.any(String) }],
  });
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

it("returns an aborted message when the fork is stopped", async () => {
  const { controller, options } = watch();
  const silent: typeof globalThis.fetch = (_, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("gone"))));
  const sending = launch(silent).send(REQUEST, options);
  controller.abort();
  expect(await sending).toMatchObject({ stopReason: "aborted" });
});

describe("signatures of thinking", () => {
  const claude: Model = {
    ...MODEL,
    id: "claude-sonnet-4-5",
    provider: "anthropic",
    api: "anthropic-messages",
    reasoning: true,
  };
  const name = { provider: claude.provider, id: claude.id };
  const thinking = { type: "thinking", thinking: "Let me look", thinkingSignature: "signed" };
  const user = { role: "user", content: "Hi", timestamp: 1 };
  const result = { role: "toolResult", toolCallId: "1", toolName: "a", content: [], isError: false, timestamp: 1 };

  /** Creates a launcher with a relay that sends to Anthropic, and the list of the bodies that it sends there. */
  function relayOfAnthropic() {
    const bodies: { messages: { role: string; content: object[] }[] }[] = [];
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(JSON.parse(String(init?.body)));
      return new Response("overloaded", { status: 400 });
    };
    const handler = createProxyHandler({
      authorize: TOKEN,
      allowModels: ["anthropic/*"],
      getModel: () => claude,
      getApiKey: () => "key",
      streamFn: (model, context, options) => streamSimple(model, context, { ...options, fetch }),
    });
    return { bodies, launcher: launch(async (input, init) => handler(new Request(input, init))) };
  }

  it.each([
    [
      "are sent unchanged for a model whose api is known from the run",
      "anthropic-messages",
      [{ type: "thinking", thinking: "Let me look", signature: "signed" }],
    ],
    [
      "are dropped for a model whose api is not known, and the thinking becomes text",
      "",
      [{ type: "text", text: "Let me look" }],
    ],
  ])("%s", async (_, api, expected) => {
    const { bodies, launcher } = relayOfAnthropic();
    const message = {
      ...response([call("1", "a")]),
      content: [thinking, call("1", "a")],
      api,
      provider: "anthropic",
      model: claude.id,
    };
    await launcher.send({ ...REQUEST, model: name, messages: [user, message, result] }, watch().options);
    const sent = bodies[0]?.messages.find(({ role }) => role === "assistant")?.content;
    expect(sent?.slice(0, -1)).toEqual(expected);
  });

  it("belong to the api that the original run has for the model", async () => {
    const before = {
      role: "assistant",
      content: [],
      provider: "anthropic",
      model: claude.id,
      api: "anthropic-messages",
    };
    const request = { ...REQUEST, originalModel: undefined, messages: [user, before, user] };
    const apiFor = async (model: typeof name) => {
      const { launcher } = relayOfAnthropic();
      return (await launcher.send({ ...request, model }, watch().options))["api"];
    };
    expect(await apiFor(name)).toBe("anthropic-messages");
    expect(await apiFor({ ...name, id: "claude-haiku-4-5" })).toBe("");
  });
});
