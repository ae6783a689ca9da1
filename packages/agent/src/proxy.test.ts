import { type ProxyStreamOptions, streamProxy } from "pi-agent";
import type { AssistantMessage, AssistantMessageEvent, Context, Model } from "pi-ai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../test/support/patience.js";

const TOKEN = "token-of-the-user";
const MODEL: Model = {
  id: "m-1",
  name: "M 1",
  api: "no-such-api",
  provider: "p",
  baseUrl: "https://api.test",
  reasoning: true,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};
const CONTEXT: Context = { systemPrompt: "Be brief.", messages: [{ role: "user", content: "Hi", timestamp: 1 }] };
const USAGE = {
  input: 3,
  output: 2,
  cacheRead: 1,
  cacheWrite: 0,
  totalTokens: 6,
  cost: { input: 0.5, output: 0.25, cacheRead: 0, cacheWrite: 0, total: 0.75 },
};
const DONE = { type: "done", reason: "stop", usage: USAGE };

type Piece = string | Uint8Array | Error | "silence" | number;

interface Sent {
  url: string;
  init: RequestInit;
  cancelled: boolean;
}

function lines(...events: readonly unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

async function play(rest: Piece[], controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
  const piece = rest.shift();
  if (typeof piece === "number") {
    await new Promise((resolve) => setTimeout(resolve, piece));
    return play(rest, controller);
  }
  if (piece === "silence") return new Promise(() => {});
  if (piece === undefined) controller.close();
  else if (piece instanceof Error) controller.error(piece);
  else controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
}

/** A relay that responds with these pieces. A number is a pause in milliseconds. */
function playing(pieces: readonly Piece[], sent: Sent[] = []): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const request: Sent = { url: String(input), init, cancelled: false };
    sent.push(request);
    const rest = [...pieces];
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => play(rest, controller),
        cancel: () => {
          request.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: 200 });
  };
}

function call(fetch: typeof globalThis.fetch, options: Partial<ProxyStreamOptions> = {}, model: Model = MODEL) {
  return streamProxy(model, CONTEXT, { authToken: TOKEN, proxyUrl: "https://proxy.test", fetch, ...options });
}

async function collect(pieces: readonly Piece[], options: Partial<ProxyStreamOptions> = {}) {
  const sent: Sent[] = [];
  const stream = call(playing(pieces, sent), options);
  const events: AssistantMessageEvent[] = [];
  for await (const event of stream) events.push(event);
  return { events, message: await stream.result(), sent };
}

function kinds(events: readonly AssistantMessageEvent[]): string[] {
  return events.map((event) => ("contentIndex" in event ? `${event.type} ${event.contentIndex}` : event.type));
}

const TEXT = [
  { type: "start" },
  { type: "text_start", contentIndex: 0 },
  { type: "text_delta", contentIndex: 0, delta: "Hel" },
  { type: "text_delta", contentIndex: 0, delta: "lo é😀" },
  { type: "text_end", contentIndex: 0, contentSignature: "sig" },
];

describe("the request", () => {
  it("has the token, the model, the context and the options that shape the response", async () => {
    const { sent } = await collect([lines(...TEXT, DONE)], {
      temperature: 0.5,
      maxTokens: 10,
      reasoning: "high",
      cacheRetention: "long",
      sessionId: "s",
      headers: { "x-a": "b" },
      metadata: { user_id: "u" },
      transport: "sse",
      thinkingBudgets: { low: 5 },
      maxRetryDelayMs: 7,
      apiKey: "never-sent-key",
      timeoutMs: 5000,
      maxRetries: 3,
      onPayload: () => undefined,
    });
    expect(sent).toHaveLength(1);
    const [{ url, init }] = sent as [Sent];
    expect(url).toBe("https://proxy.test/api/stream");
    expect(init).toMatchObject({
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    });
    expect(JSON.parse(String(init.body))).toEqual({
      model: MODEL,
      context: CONTEXT,
      options: {
        temperature: 0.5,
        maxTokens: 10,
        reasoning: "high",
        cacheRetention: "long",
        sessionId: "s",
        headers: { "x-a": "b" },
        metadata: { user_id: "u" },
        transport: "sse",
        thinkingBudgets: { low: 5 },
        maxRetryDelayMs: 7,
      },
    });
  });

  it("is sent at once, by the global fetch unless options.fetch is given", async () => {
    const fetch = vi.fn(playing([lines(...TEXT, DONE)]));
    vi.stubGlobal("fetch", fetch);
    const stream = streamProxy(MODEL, CONTEXT, { authToken: TOKEN, proxyUrl: "" });
    expect(fetch.mock.calls[0]?.[0]).toBe("/api/stream");
    vi.unstubAllGlobals();
    expect((await stream.result()).stopReason).toBe("stop");
  });

  it("is not sent if the signal is aborted", async () => {
    const { events, sent } = await collect([], { signal: AbortSignal.abort() });
    expect(sent).toEqual([]);
    expect(events).toMatchObject([
      {
        type: "error",
        reason: "aborted",
        error: { stopReason: "aborted", errorMessage: "This operation was aborted" },
      },
    ]);
  });

  it("fails in the stream if the context cannot be encoded", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const { message } = await collect([], { metadata: circular });
    expect(message).toMatchObject({ stopReason: "error", errorMessage: expect.stringMatching(/circular/i) });
  });
});

describe("the response", () => {
  it("becomes the events of a direct request", async () => {
    const { events, message } = await collect([lines(...TEXT, DONE)]);
    expect(kinds(events)).toEqual(["start", "text_start 0", "text_delta 0", "text_delta 0", "text_end 0", "done"]);
    expect(events[2]).toMatchObject({ delta: "Hel", partial: { content: [{ type: "text", text: "Hel" }] } });
    expect(events[4]).toMatchObject({ content: "Hello é😀", partial: { content: [{ textSignature: "sig" }] } });
    expect(message).toEqual({
      role: "assistant",
      api: "no-such-api",
      provider: "p",
      model: "m-1",
      content: [{ type: "text", text: "Hello é😀", textSignature: "sig" }],
      usage: USAGE,
      stopReason: "stop",
      timestamp: expect.any(Number),
    });
  });

  it("is the same wherever its bytes are cut", async () => {
    const body = new TextEncoder().encode(lines(...TEXT, DONE));
    const whole = await collect([body]);
    const single = await collect(Array.from(body, (byte) => Uint8Array.of(byte)));
    const plain = (events: readonly AssistantMessageEvent[]): string =>
      JSON.stringify(events).replaceAll(/"timestamp":\d+/g, "");
    expect(plain(single.events)).toBe(plain(whole.events));
  });

  it.each([
    ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["CR alone", (text: string) => text.replaceAll("\n", "\r")],
    ["no blank lines", (text: string) => text.replaceAll("\n\n", "\n")],
    ["no space after data:", (text: string) => text.replaceAll("data: ", "data:")],
    ["a byte order mark", (text: string) => `\ufeff${text}`],
    ["comments and names", (text: string) => text.replaceAll("data: ", ": ping\nevent: x\nid: 1\ndata: ")],
    ["no end of the last line", (text: string) => text.trimEnd()],
    ["unknown events, and JSON that is no event", (text: string) => `data: {"type":"news"}\n\ndata: null\n\n${text}`],
    ["data after the end", (text: string) => `${text}data: [DONE]\n\n${lines(...TEXT)}data: {"type":"error"}\n\n`],
  ])("may have %s", async (_, change) => {
    const { events, message } = await collect([change(lines(...TEXT, DONE))]);
    expect(events).toHaveLength(6);
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello é😀" }] });
  });

  it("ends with its terminal event, even if the connection stays open", async () => {
    const { sent, message } = await collect([lines(...TEXT, DONE), "silence"]);
    expect(message.stopReason).toBe("stop");
    expect(sent[0]?.cancelled).toBe(true);
  });

  it.each([
    ["without", {}],
    ["with", { toolCall: { type: "toolCall", id: "call-1", name: "add", arguments: { a: 1 } } }],
  ])("ends a tool call %s the whole tool call in its last event", async (_, extra) => {
    const { events, message } = await collect([
      lines(
        { type: "toolcall_start", contentIndex: 0, id: "call-1", toolName: "add" },
        { type: "toolcall_delta", contentIndex: 0, delta: '{"a"' },
        { type: "toolcall_delta", contentIndex: 0, delta: ":1}" },
        { type: "toolcall_end", contentIndex: 0, ...extra },
        { ...DONE, reason: "toolUse" },
      ),
    ]);
    const toolCall = { type: "toolCall", id: "call-1", name: "add", arguments: { a: 1 } };
    expect(kinds(events)).toEqual([
      "start",
      "toolcall_start 0",
      "toolcall_delta 0",
      "toolcall_delta 0",
      "toolcall_end 0",
      "done",
    ]);
    expect(events[1]).toMatchObject({ partial: { content: [{ id: "call-1", name: "add" }] } });
    expect(events[4]).toMatchObject({ toolCall });
    expect(message).toMatchObject({ stopReason: "toolUse", content: [toolCall] });
    expect(structuredClone(message.content)).toEqual([toolCall]);
  });

  it("takes the arguments of a tool call from its end event if they did not stream", async () => {
    const { events, message } = await collect([
      lines(
        { type: "toolcall_start", contentIndex: 0, id: "c", toolName: "add" },
        { type: "toolcall_end", contentIndex: 0, toolCall: { id: "c", name: "add", arguments: { a: 1 } } },
        DONE,
      ),
    ]);
    expect(message.content).toMatchObject([{ arguments: { a: 1 } }]);
    expect(events.filter((event) => event.type === "toolcall_delta")).toMatchObject([{ delta: '{"a":1}' }]);
  });

  it("marks a tool call whose arguments were cut off", async () => {
    const { message } = await collect([
      lines(
        { type: "toolcall_start", contentIndex: 0, id: "c", toolName: "add" },
        { type: "toolcall_delta", contentIndex: 0, delta: '{"path":"/etc' },
        { type: "toolcall_end", contentIndex: 0 },
        DONE,
      ),
    ]);
    expect(message.content).toMatchObject([{ argumentsError: expect.any(String), argumentsText: '{"path":"/etc' }]);
  });

  it("marks a tool call that the relay marks as cut off", async () => {
    const toolCall = { id: "c", name: "add", arguments: { path: "/etc" }, argumentsError: "cut", argumentsText: "{" };
    const { message } = await collect([
      lines(
        { type: "toolcall_start", contentIndex: 0, id: "c", toolName: "add" },
        { type: "toolcall_end", contentIndex: 0, toolCall },
        DONE,
      ),
    ]);
    expect(message.content).not.toMatchObject([{ arguments: { path: "/etc" } }]);
  });

  it("carries our relay's additions: early counts, late signatures, facts about the response", async () => {
    const diagnostics = [{ type: "refusal", timestamp: 5 }];
    const { events, message } = await collect([
      lines(
        { type: "thinking_start", contentIndex: 0, redacted: true, usage: { ...USAGE, output: 0 } },
        { type: "thinking_end", contentIndex: 0 },
        {
          ...DONE,
          responseId: "r",
          responseModel: "m-2",
          diagnostics,
          blocks: [{ contentIndex: 0, contentSignature: "late" }],
        },
      ),
    ]);
    expect(events[1]).toMatchObject({ partial: { usage: { input: 3, output: 0 } } });
    expect(message).toMatchObject({
      content: [{ type: "thinking", thinking: "", redacted: true, thinkingSignature: "late" }],
      responseId: "r",
      responseModel: "m-2",
      diagnostics,
      usage: USAGE,
    });
  });

  it("never changes an emitted event", async () => {
    const body = lines(...TEXT, DONE, { type: "error", reason: "error", errorMessage: "late", usage: USAGE });
    const seen: string[] = [];
    const events: AssistantMessageEvent[] = [];
    for await (const event of call(playing(Array.from(body.matchAll(/.{1,40}/gs), ([piece]) => piece)))) {
      events.push(event);
      seen.push(JSON.stringify(event));
    }
    expect(events.map((event) => JSON.stringify(event))).toEqual(seen);
  });
});

describe("failures", () => {
  const refuse = (status: number, body: BodyInit | null, statusText = "") =>
    call(async () => new Response(body, { status, statusText })).result();

  it.each([
    [401, '{"error":"Who are you?"}', "", "Proxy error: Who are you?", "auth"],
    [402, "{}", "Payment Required", "Proxy error: 402 Payment Required", "quota"],
    [403, '{"error":"Not for you"}', "", "Proxy error: Not for you", "permission"],
    [429, "<html>slow</html>", "Too Many Requests", "Proxy error: 429 Too Many Requests", "rate_limit"],
    [500, "{}", "Oops", "Proxy error: 500 Oops", "server"],
    [413, null, "Too Large", "Proxy error: 413 Too Large", "invalid_request"],
  ])("status %i becomes an error with the relay's text", async (status, body, statusText, text, kind) => {
    expect(await refuse(status, body, statusText)).toMatchObject({
      stopReason: "error",
      errorMessage: text,
      error: { kind, status },
    });
  });

  it("redacts the token from every text, and bounds the text", async () => {
    const echo = `bad token ${TOKEN} ${"x".repeat(100_000)}`;
    const texts = await Promise.all([
      refuse(401, JSON.stringify({ error: echo })),
      collect([lines({ type: "error", reason: "error", errorMessage: echo, usage: USAGE })]).then(
        ({ message }) => message,
      ),
      collect([lines({ ...DONE, reason: echo })]).then(({ message }) => message),
      call(() => Promise.reject(new Error(echo))).result(),
      collect([new Error(echo)]).then(({ message }) => message),
    ]);
    for (const message of texts) {
      expect(JSON.stringify(message)).not.toContain(TOKEN);
      expect(message.errorMessage?.length).toBeLessThan(5000);
    }
  });

  const partial = lines(...TEXT.slice(0, 3));
  it.each<[string, Piece[], Partial<AssistantMessage>]>([
    [
      "an empty body",
      [],
      { errorMessage: "Connection closed by proxy server before the response completed", content: [] },
    ],
    [
      "a body that ends early",
      [partial],
      { errorMessage: "Connection closed by proxy server before the response completed" },
    ],
    [
      "a body that ends in the middle of an event",
      [partial, 'data: {"type":"do'],
      { errorMessage: "Connection closed by proxy server before the response completed" },
    ],
    ["a broken connection", [partial, new Error("reset")], { errorMessage: "reset" }],
    ["invalid JSON", [partial, "data: {oops}\n\n", "silence"], { errorMessage: expect.stringMatching(/JSON/) }],
    [
      "a text delta in a thinking block",
      [
        lines({ type: "thinking_start", contentIndex: 0 }, { type: "text_delta", contentIndex: 0, delta: "x" }),
        "silence",
      ],
      { errorMessage: "Received text_delta for non-text content", content: [{ type: "thinking", thinking: "" }] },
    ],
    [
      "a thinking delta in a text block",
      [
        lines({ type: "text_start", contentIndex: 0 }, { type: "thinking_delta", contentIndex: 0, delta: "x" }),
        "silence",
      ],
      { errorMessage: "Received thinking_delta for non-thinking content" },
    ],
    [
      "arguments without a tool call",
      [lines({ type: "toolcall_delta", contentIndex: 0, delta: "x" }), "silence"],
      { errorMessage: "Received toolcall_delta for non-toolCall content" },
    ],
    [
      "an invalid contentIndex",
      [lines({ type: "text_start", contentIndex: "__proto__" }), "silence"],
      { errorMessage: "Received text_start without a contentIndex" },
    ],
    [
      "an error event",
      [
        partial,
        lines({
          type: "error",
          reason: "error",
          errorMessage: "529 busy",
          usage: USAGE,
          error: { kind: "overloaded", status: 529 },
        }),
      ],
      { errorMessage: "529 busy", error: { kind: "overloaded", status: 529 }, usage: USAGE },
    ],
    [
      "an unknown stop reason",
      [lines({ ...DONE, reason: "tired" })],
      { errorMessage: "Unknown stop reason: tired", error: { kind: "protocol" } },
    ],
  ])("%s ends in one error that keeps what arrived", async (_, pieces, expected) => {
    const { events, message, sent } = await collect(pieces);
    expect(message).toMatchObject({ stopReason: "error", ...expected });
    expect(events.filter((event) => event.type === "done" || event.type === "error")).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: "error", reason: "error", error: message });
    const started = events.filter((event) => event.type.endsWith("_start")).length;
    expect(events.filter((event) => event.type.endsWith("_end"))).toHaveLength(started);
    if (pieces.at(-1) === "silence") expect(sent[0]?.cancelled).toBe(true);
  });

  it.each([
    [
      "an event",
      { eventLength: 100 },
      [`data: {"type":"x","y":"${"z".repeat(200)}`],
      /^An event is longer than 100 char/,
    ],
    ["a whole event", { eventLength: 100 }, [lines({ type: "x", y: "z".repeat(200) })], /^An event is longer than 100/],
    [
      "a response",
      { responseLength: 1000 },
      Array(50).fill(": ping\n\n".repeat(10)),
      /^The response is longer than 1000 bytes/,
    ],
    [
      "a list of blocks",
      { blocks: 2 },
      Array.from({ length: 9 }, (_, contentIndex) => lines({ type: "toolcall_start", contentIndex })),
      /^The response has more than 2 blocks$/,
    ],
  ])("%s that is too long ends the request", async (_, limits, pieces, text) => {
    const { message, sent } = await collect([...pieces, "silence"], { limits });
    expect(message).toMatchObject({ stopReason: "error", errorMessage: expect.stringMatching(text) });
    expect(sent[0]?.cancelled).toBe(true);
  });

  it.each([301, 302, 303, 307, 308])(
    "a redirect with status %i is refused, and the conversation goes nowhere else",
    async (status) => {
      const requests: string[] = [];
      const headers = { location: "https://elsewhere.test/api/stream?key=1" };
      const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
        requests.push(`${url} ${init.redirect}`);
        return new Response(null, { status, headers });
      };
      expect(await call(fetch).result()).toMatchObject({
        stopReason: "error",
        errorMessage:
          "Proxy error: the server redirects to https://elsewhere.test/api/stream; the conversation is not sent there. Set proxyUrl to the URL of the server",
        error: { kind: "invalid_request", status },
      });
      expect(requests).toEqual(["https://proxy.test/api/stream manual"]);
    },
  );

  it("a redirect that a browser hides is refused too", async () => {
    const response = Object.defineProperties(new Response(null), {
      type: { value: "opaqueredirect" },
      ok: { value: false },
      status: { value: 0 },
    });
    expect((await call(async () => response).result()).errorMessage).toMatch(/redirects to another address/);
  });

  it.each([200, 500])(
    "the body of a response with status %i is cancelled when it is no longer needed",
    async (status) => {
      let cancelled = false;
      let pulled = 0;
      const body = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            pulled++;
            controller.enqueue(new Uint8Array(1024).fill(32));
          },
          cancel: () => {
            cancelled = true;
          },
        },
        { highWaterMark: 0 },
      );
      const controller = new AbortController();
      let response = (_: Response): void => {};
      const stream = call(() => new Promise((resolve) => (response = resolve)), { signal: controller.signal });
      // The request is aborted before its response arrives, or the response is an error whose body does not end.
      if (status === 200) controller.abort();
      response(new Response(body, { status, statusText: "Oops" }));
      const { errorMessage } = await stream.result();
      await eventually(() => expect(cancelled).toBe(true));
      expect(errorMessage).toBe(status === 200 ? "This operation was aborted" : "Proxy error: 500 Oops");
      expect(pulled).toBeLessThan(100);
    },
  );

  it("the end of a tool call that never began is ignored", async () => {
    const { message } = await collect([lines({ type: "toolcall_end", contentIndex: 4 }, ...TEXT, DONE)]);
    expect(message.stopReason).toBe("stop");
  });

  it("a failed fetch keeps its error text", async () => {
    const message = await call(() => Promise.reject(new TypeError("fetch failed"))).result();
    expect(message).toMatchObject({ stopReason: "error", errorMessage: "fetch failed", error: { kind: "network" } });
  });

  it.each([
    [
      Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" }),
      "connect ECONNREFUSED 127.0.0.1:9",
    ],
    // Of several addresses, undici's error has a code and no text.
    [Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
  ])("a failed fetch of Node has the reason in its cause: %s", async (cause, reason) => {
    const message = await call(() => Promise.reject(new TypeError("fetch failed", { cause }))).result();
    expect(message.errorMessage).toBe(`fetch failed: ${reason}`);
  });

  it("a response without a body is an error", async () => {
    const message = await call(async () => new Response(null, { status: 200 })).result();
    expect(message).toMatchObject({ stopReason: "error", errorMessage: "The proxy's response has no body" });
  });

  it("arguments nested 100,000 levels deep end in one event", async () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const call = '{"type":"toolcall_start","contentIndex":0,"id":"c","toolName":"t"}';
    const { events } = await collect([
      `data: ${call}\n\ndata: {"type":"toolcall_end","contentIndex":0,"toolCall":{"arguments":${deep}}}\n\n${lines(DONE)}`,
    ]);
    expect(events.at(-1)?.type).toMatch(/^(?:done|error)$/);
    expect(events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
  });

  it.each([-1, 1.5, 1e9, Number.MAX_SAFE_INTEGER])("contentIndex may be any number: %d", async (contentIndex) => {
    const { message } = await collect([
      lines({ type: "text_start", contentIndex }, { type: "text_delta", contentIndex, delta: "x" }, DONE),
    ]);
    expect(message.content).toEqual([{ type: "text", text: "x" }]);
  });

  it("values of the wrong type are ignored", async () => {
    const { message } = await collect([
      lines(
        { type: "text_start", contentIndex: 0, contentSignature: { a: 1 } },
        { type: "text_delta", contentIndex: 0, delta: { toString: 1 } },
        {
          type: "done",
          reason: "stop",
          usage: { input: -1, output: "9", __proto__: 1 },
          responseId: 5,
          blocks: [null, {}],
          diagnostics: [1],
        },
      ),
    ]);
    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "" }], diagnostics: [] });
    expect(message.usage).toMatchObject({ input: 0, output: 0, cost: { total: 0 } });
    expect(message).not.toHaveProperty("responseId");
  });
});

describe("limits", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("an abort ends the stream and the request", async () => {
    const controller = new AbortController();
    const sent: Sent[] = [];
    const stream = call(playing([lines(...TEXT.slice(0, 3)), "silence"], sent), { signal: controller.signal });
    for await (const event of stream) if (event.type === "text_delta") controller.abort();
    expect(await stream.result()).toMatchObject({
      stopReason: "aborted",
      errorMessage: "Request aborted by user",
      error: { kind: "aborted" },
      content: [{ text: "Hel" }],
    });
    expect(sent[0]).toMatchObject({ cancelled: true, init: { signal: { aborted: true } } });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["answered", [lines(...TEXT, DONE)]],
    ["broken", [new Error("reset")]],
    ["refused", ["data: {oops}\n\n", "silence" as const]],
  ])("a request that was %s leaves no listener on the caller's signal", async (_, pieces) => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await call(playing(pieces), { signal }).result();
    await vi.advanceTimersByTimeAsync(1);
    expect(added).toHaveBeenCalled();
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it("an abort before the response ends the stream with the text of the fetch error", async () => {
    const controller = new AbortController();
    const stream = call(() => new Promise(() => {}), { signal: controller.signal });
    controller.abort();
    expect(await stream.result()).toMatchObject({ stopReason: "aborted", errorMessage: "This operation was aborted" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaving the stream closes the connection", async () => {
    const sent: Sent[] = [];
    for await (const event of call(playing([lines(...TEXT.slice(0, 3)), "silence"], sent)))
      if (event.type === "text_delta") break;
    await vi.advanceTimersByTimeAsync(5);
    expect(sent[0]?.cancelled).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("silence ends the request, comments included", async () => {
    const pings = Array.from({ length: 8 }, (): Piece[] => [100, ": ping\n\n"]).flat();
    const stream = call(playing([lines(...TEXT.slice(0, 3)), ...pings, "silence"]), { idleTimeoutMs: 500 });
    const result = stream.result();
    await vi.advanceTimersByTimeAsync(550);
    expect(await result).toMatchObject({
      stopReason: "error",
      errorMessage: "Nothing arrived for 500 ms (idleTimeoutMs)",
      error: { kind: "timeout" },
      content: [{ text: "Hel" }],
    });
  });

  it.each([
    ["an event that never ends", "data: {"],
    ["empty deltas", lines({ type: "text_delta", contentIndex: 0, delta: "" })],
    ["unknown events", lines({ type: "ping" })],
  ])("%s does not keep a request alive", async (_, piece) => {
    const pieces = Array.from({ length: 8 }, (): Piece[] => [100, piece]).flat();
    const result = call(playing([lines(...TEXT.slice(0, 3)), ...pieces, "silence"]), { idleTimeoutMs: 500 }).result();
    await vi.advanceTimersByTimeAsync(550);
    expect(await result).toMatchObject({ stopReason: "error", error: { kind: "timeout" } });
  });

  it("silence before the response ends the request too", async () => {
    const result = call(() => new Promise(() => {}), { idleTimeoutMs: 500 }).result();
    await vi.advanceTimersByTimeAsync(550);
    expect(await result).toMatchObject({ stopReason: "error", error: { kind: "timeout" } });
  });

  it("a slow consumer pauses reading from the connection", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          pulled++;
          controller.enqueue(new TextEncoder().encode(lines(...TEXT.slice(1, 4))));
        },
      },
      { highWaterMark: 0 },
    );
    const controller = new AbortController();
    const stream = call(async () => new Response(body), { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(1000);
    expect(pulled).toBeLessThan(200);
    controller.abort();
    expect((await stream.result()).stopReason).toBe("aborted");
  });
});
