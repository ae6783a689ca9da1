import type { AssistantMessage, AssistantMessageEvent, AssistantMessageEventStream, Model, StreamOptions } from "pi-ai";
import { type ApiAdapter, createApiProvider, createLazyApiProvider } from "pi-ai/adapter";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkEvents } from "../../test/support/check-events.js";
import { END, plainAdapter, plainModel, sse } from "../../test/support/plain-adapter.js";
import { type Piece, type Script, type ScriptedRequest, scriptFetch } from "../../test/support/scripted-fetch.js";

beforeEach(() => {
  vi.useFakeTimers();
  // Without jitter the waits are exact.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const KEY = "sk-secret-0123456789";

interface Setup {
  scripts?: readonly Script[];
  options?: StreamOptions;
  model?: Partial<Model>;
  adapter?: Partial<ApiAdapter>;
}

interface Call {
  stream: AssistantMessageEventStream;
  requests: ScriptedRequest[];
}

function start({ scripts = [], options = {}, model = {}, adapter = {} }: Setup): Call {
  const { fetch, requests } = scriptFetch(...scripts);
  const provider = createApiProvider({ ...plainAdapter, ...adapter });
  const stream = provider.stream({ ...plainModel, ...model }, { messages: [] }, { apiKey: KEY, fetch, ...options });
  return { stream, requests };
}

interface Outcome {
  events: AssistantMessageEvent[];
  message: AssistantMessage;
  requests: ScriptedRequest[];
  /** Fake time that passed, in milliseconds. */
  took: number;
}

/** Runs a request to its end with fake timers, and checks the guarantees of every stream. */
async function run(setup: Setup): Promise<Outcome> {
  const began = Date.now();
  const { stream, requests } = start(setup);
  const events: AssistantMessageEvent[] = [];
  let ended = 0;
  const reading = (async () => {
    for await (const event of stream) events.push(event);
    ended = Date.now();
  })();
  await vi.runAllTimersAsync();
  await reading;
  const message = checkEvents(events);
  expect(await stream.result()).toBe(message);
  expect(JSON.stringify(events)).not.toContain(KEY);
  return { events, message, requests, took: ended - began };
}

const good: Script = { pieces: [sse({ text: "Hel" }), sse({ text: "lo" }), END] };
const refusal = (status: number, headers: Record<string, string> = {}): Script => ({
  status,
  headers,
  pieces: [JSON.stringify({ error: { message: "the provider's words" } })],
});

describe("runAdapter: a request", () => {
  it("streams a response", async () => {
    const { events, message, requests } = await run({ scripts: [good] });
    expect(events.map((event) => event.type)).toEqual([
      "start",
      "text_start",
      "text_delta",
      "text_delta",
      "text_end",
      "done",
    ]);
    expect(message).toMatchObject({ content: [{ text: "Hello" }], stopReason: "stop", provider: "test-provider" });
    expect(message).not.toHaveProperty("error");
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["one byte a piece", (body: string) => [...body]],
    ["CRLF", (body: string) => [body.replaceAll("\n", "\r\n")]],
    ["CR", (body: string) => [body.replaceAll("\n", "\r")]],
    ["a byte order mark", (body: string) => [`\ufeff${body}`]],
    ["comments in between", (body: string) => [body.replace(/^data:/gm, ": ping\n\ndata:")]],
    ["no space after the colon", (body: string) => [body.replace(/^data: /gm, "data:")]],
    ["other fields", (body: string) => [body.replace(/^data:/gm, "id: 7\nretry: 9\nodd: x\nnothing\ndata:")]],
    ["JSON over many lines", (body: string) => [body.replaceAll(",", "\ndata: ,")]],
    ["no blank line at the end", (body: string) => [body.trimEnd()]],
  ])("reads the same message from a body with %s", async (_, cut) => {
    const body = `${sse({ text: "Héllo 🌍\n\nevent: error\ndata: [DONE]" }, { usage: { input: 3, output: 4 } })}${END}`;
    const { message } = await run({ scripts: [{ pieces: cut(body) }] });
    expect(message).toMatchObject({
      content: [{ text: "Héllo 🌍\n\nevent: error\ndata: [DONE]" }],
      stopReason: "stop",
      usage: { input: 3, output: 4, totalTokens: 7 },
    });
  });

  it("ends at the end marker, even if the server sends more or keeps the connection open", async () => {
    const silent = await run({ scripts: [{ pieces: [sse({ text: "Hello" }), END], after: "silence" }] });
    expect(silent.message.stopReason).toBe("stop");
    expect(silent.took).toBe(0);
    expect(silent.requests[0]?.response).toBe("cancelled");

    const garbage = await run({ scripts: [{ pieces: [sse({ text: "Hello" }), `${END}${sse({ text: "!" })}{{{`] }] });
    expect(garbage.message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
  });

  it("waits for usage after the stop reason until the server falls silent", async () => {
    const stop = sse({ text: "Hello" }, { stop: "stop" });
    const usage = sse({ usage: { input: 1, output: 2 } });
    const late = await run({ scripts: [{ pieces: [stop, 500, usage] }] });
    expect(late.message).toMatchObject({ stopReason: "stop", usage: { totalTokens: 3 } });

    const silent = await run({ scripts: [{ pieces: [stop], after: "silence" }] });
    expect(silent).toMatchObject({ message: { stopReason: "stop" }, took: 1000 });
    expect(silent.requests[0]?.response).toBe("cancelled");

    const keepAlives = Array.from({ length: 20 }, () => [300, ": ping\n\n"]).flat();
    const alive = await run({ scripts: [{ pieces: [stop, ...keepAlives, usage], after: "silence" }] });
    expect(alive).toMatchObject({ message: { stopReason: "stop", usage: { totalTokens: 3 } }, took: 7000 });
  });

  it.each([
    [0, 0],
    [5000, 5000],
    [Number.POSITIVE_INFINITY, 9000],
  ])("with afterStopTimeoutMs %d a silent response is complete after %d ms", async (afterStopTimeoutMs, expected) => {
    const pieces = [sse({ text: "Hello" }, { stop: "stop" })];
    const options = { afterStopTimeoutMs, idleTimeoutMs: 9000 };
    const { message, took } = await run({ scripts: [{ pieces, after: "silence" }], options });
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
    expect(took).toBe(expected);
  });

  it("does not wait forever for a server that only keeps the connection open after the stop reason", async () => {
    const keepAlives = Array.from({ length: 40 }, () => [300, ": ping\n\n"]).flat();
    const pieces = [sse({ text: "Hello" }, { stop: "stop" }), ...keepAlives];
    const { message, took } = await run({ scripts: [{ pieces, after: "silence" }], options: { idleTimeoutMs: 6000 } });
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
    expect(took).toBe(6000);
  });

  it("treats a response as complete when the connection breaks after its stop reason", async () => {
    const { message } = await run({
      scripts: [{ pieces: [sse({ text: "Hello" }, { stop: "stop" }), new Error("reset")] }],
    });
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
  });

  it("fails when an error follows the stop reason", async () => {
    const { message } = await run({
      scripts: [{ pieces: [sse({ stop: "stop" }), sse({ error: { message: "no" } })] }],
    });
    expect(message).toMatchObject({ stopReason: "error", errorMessage: "no" });
  });

  it("queues no events for a caller that only awaits the result", async () => {
    const { stream } = start({ scripts: [good] });
    const result = stream.resultOnly();
    await vi.runAllTimersAsync();
    expect((await result).content).toEqual([{ type: "text", text: "Hello" }]);
    expect((await stream[Symbol.asyncIterator]().next()).done).toBe(true);
  });
});

describe("runAdapter: keys and base URLs", () => {
  it("names the provider that has no key", async () => {
    const { message, requests, events } = await run({ options: { apiKey: "" } });
    expect(message).toMatchObject({
      errorMessage:
        "No API key for provider: test-provider. Pass it as the option apiKey. The option apiKey is an empty text.",
      error: { kind: "auth_missing" },
    });
    expect(events).toHaveLength(1);
    expect(requests).toHaveLength(0);
  });

  it("uses the key from the environment when the caller passes none", async () => {
    vi.stubEnv("GROQ_API_KEY", "gsk-from-environment");
    const { requests } = await run({ scripts: [good], model: { provider: "groq" }, options: { apiKey: "" } });
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer gsk-from-environment");
  });

  it("needs no key if a client has its own credentials", async () => {
    const options = { apiKey: "", client: {} } as StreamOptions; // an option of one api only
    const allowed = await run({ scripts: [good], options, adapter: { takesClient: true } });
    expect(allowed.message.stopReason).toBe("stop");
    const ignored = await run({ options });
    expect(ignored.message.error).toEqual({ kind: "auth_missing" });
  });

  it("sends a request without a key if the api does not need one", async () => {
    const { message } = await run({ scripts: [good], options: { apiKey: "" }, adapter: { keyOptional: true } });
    expect(message.stopReason).toBe("stop");
  });

  it.each(["sk-smart\u2019quote", "sk-line\nbreak", "sk-null\0byte", "sk-emoji\u{1f511}"])(
    "rejects a key that is not valid in a header, without quoting it: %j",
    async (apiKey) => {
      const { message, requests } = await run({ options: { apiKey } });
      expect(message.error).toEqual({ kind: "config" });
      expect(message.errorMessage).toContain("test-provider");
      expect(JSON.stringify(message)).not.toContain("sk-");
      expect(requests).toHaveLength(0);
    },
  );

  it.each(["", "nowhere", "http://", undefined as unknown as string])(
    "quotes a base URL that is not a URL: %j",
    async (baseUrl) => {
      const { message, requests } = await run({ model: { baseUrl } });
      expect(message).toMatchObject({ error: { kind: "config" }, errorMessage: expect.stringContaining("baseUrl") });
      expect(requests).toHaveLength(0);
    },
  );

  it("fills account variables into the base URL, and names a missing one", async () => {
    const model = { baseUrl: "https://api.test/{CLOUDFLARE_ACCOUNT_ID}/ai" };
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "");
    const missing = await run({ model });
    expect(missing.message).toMatchObject({
      error: { kind: "config" },
      errorMessage: expect.stringContaining("CLOUDFLARE_ACCOUNT_ID"),
    });
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "acc/1");
    const { requests } = await run({ model, scripts: [good] });
    expect(requests[0]?.url).toBe("https://api.test/acc%2F1/ai/plain");
  });

  it("reads the default of cacheRetention from the environment", async () => {
    const asked = async (options: StreamOptions): Promise<unknown> => {
      const { requests } = await run({ scripts: [good], options });
      return JSON.parse(requests[0]?.body ?? "").cacheRetention;
    };
    vi.stubEnv("PI_CACHE_RETENTION", "");
    expect(await asked({})).toBe("short");
    vi.stubEnv("PI_CACHE_RETENTION", "long");
    expect(await asked({})).toBe("long");
    expect(await asked({ cacheRetention: "none" })).toBe("none");
  });
});

describe("runAdapter: hooks", () => {
  it.each([
    ["keeps the body for undefined", () => undefined, { messages: [], cacheRetention: "short" }],
    ["replaces it", () => ({ other: 1 }), { other: 1 }],
    ["replaces it later", async () => ({ other: 2 }), { other: 2 }],
    ["replaces it by null", () => null, null],
  ])("onPayload %s", async (_, onPayload, expected) => {
    const hook = vi.fn(onPayload);
    const { requests } = await run({ scripts: [good], options: { onPayload: hook } });
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual(expected);
    expect(hook).toHaveBeenCalledWith(expect.objectContaining({ messages: [] }), expect.objectContaining({ id: "m" }));
  });

  it("calls onPayload once, even if the request is sent several times", async () => {
    const onPayload = vi.fn();
    await run({ scripts: [refusal(500), good], options: { onPayload } });
    expect(onPayload).toHaveBeenCalledTimes(1);
  });

  it("a hook that throws or rejects ends the request with its error text", async () => {
    const fail = (): never => {
      throw new Error("hook's words");
    };
    const before = await run({ options: { onPayload: fail } });
    expect(before.message).toMatchObject({ errorMessage: "hook's words", error: { kind: "unknown" } });
    expect(before.requests).toHaveLength(0);

    const after = await run({
      scripts: [{ pieces: [sse({ text: "x" })], after: "silence" }],
      options: { onResponse: () => Promise.reject(new Error("hook's words")) },
    });
    expect(after.message).toMatchObject({ errorMessage: "hook's words" });
    expect(after.requests).toMatchObject([{ response: "cancelled" }]);
  });

  it("onResponse receives the status and headers of a successful response before its body", async () => {
    const seen: unknown[] = [];
    const onResponse = async (response: unknown): Promise<void> => {
      seen.push(response, requests[0]?.response);
    };
    const { stream, requests } = start({
      scripts: [refusal(500), { headers: { "x-one": "1" }, pieces: [sse({ text: "x" }), END] }],
      options: { onResponse },
    });
    const result = stream.result();
    await vi.runAllTimersAsync();
    expect((await result).stopReason).toBe("stop");
    expect(seen).toEqual([{ status: 200, headers: { "x-one": "1" } }, expect.anything()]);
  });

  it.each(["onPayload", "onResponse"] as const)("an abort ends a %s that never settles", async (hook) => {
    const controller = new AbortController();
    const { stream, requests } = start({
      scripts: [{ pieces: [sse({ text: "x" })], after: "silence" }],
      options: { signal: controller.signal, [hook]: () => new Promise(() => {}) },
    });
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect((await stream.result()).stopReason).toBe("aborted");
    await vi.runAllTimersAsync();
    expect(requests.map((request) => request.response)).toEqual(hook === "onResponse" ? ["cancelled"] : []);
  });
});

describe("runAdapter: retries", () => {
  it.each([408, 409, 429, 500, 502, 503, 504, 529])("retries status %d, then succeeds", async (status) => {
    const { message, requests, took } = await run({ scripts: [refusal(status), good] });
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
    expect(requests).toHaveLength(2);
    expect(took).toBe(500);
  });

  it("does not retry status 402, and adds what to do", async () => {
    const { message, requests } = await run({ scripts: [refusal(402)] });
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "quota", status: 402 } });
    expect(message.errorMessage).toMatch(/^402 the provider's words \(.{1,80}: add credit or raise the limit there/);
    expect(requests).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 405, 413, 422])(
    "does not retry status %d, and keeps the provider's error text",
    async (status) => {
      const { message, requests, events } = await run({ scripts: [refusal(status)] });
      const place = " (provider test-provider, model m; asked: https://api.test/plain)";
      const errorMessage = `${status} the provider's words${[401, 403, 404, 405].includes(status) ? place : ""}`;
      expect(message).toMatchObject({ errorMessage, error: { status } });
      expect(message.error).not.toHaveProperty("attempts");
      expect(requests).toHaveLength(1);
      expect(events).toHaveLength(1);
    },
  );

  it("keeps the end of the text of a server that sends a page", async () => {
    const page = `<html>${"x".repeat(9000)}</html>`;
    const { message } = await run({ scripts: [{ status: 404, pieces: [page] }] });
    expect(message.errorMessage).toMatch(/^404 <html>x{1000}.* more characters\) \(provider .*plain\)$/);
  });

  it("names what was asked after an error that came with status 200, too", async () => {
    const pieces = [JSON.stringify({ error: { code: "invalid_api_key", message: "Bad key" } })];
    const { message } = await run({ scripts: [{ pieces }] });
    expect(message.error).toEqual({ kind: "auth" });
    expect(message.errorMessage).toBe("Bad key (provider test-provider, model m; asked: https://api.test/plain)");
  });

  it("stops after maxRetries, and reports how many requests were sent", async () => {
    const scripts = [refusal(500), refusal(502), refusal(503)];
    const all = await run({ scripts });
    expect(all.message.error).toEqual({ kind: "overloaded", status: 503, attempts: 3 });
    expect(all.took).toBe(1500);
    expect((await run({ scripts, options: { maxRetries: 1 } })).requests).toHaveLength(2);
    expect((await run({ scripts, options: { maxRetries: 0 } })).requests).toHaveLength(1);
  });

  it.each([
    [{ "retry-after": "1" }, 1000],
    [{ "retry-after-ms": "1500" }, 1500],
    [{ "retry-after": "garbage" }, 500],
    [{ "retry-after": "-5" }, 500],
  ])("waits for the time in %j: %d ms", async (headers, expected) => {
    const { message, took } = await run({ scripts: [refusal(429, headers), good] });
    expect(message.stopReason).toBe("stop");
    expect(took).toBe(expected);
  });

  it("waits until the date in the header", async () => {
    vi.setSystemTime(new Date("2026-11-21T10:00:00Z"));
    const { took } = await run({ scripts: [refusal(429, { "retry-after": "Sat, 21 Nov 2026 10:00:07 GMT" }), good] });
    expect(took).toBe(7000);
  });

  it("does not wait longer than maxRetryDelayMs, and reports the requested time", async () => {
    const { message, requests, took } = await run({ scripts: [refusal(429, { "retry-after": "3600" })] });
    expect(took).toBe(0);
    expect(requests).toHaveLength(1);
    expect(message.errorMessage).toContain("3600000 ms");
    expect(message.error).toEqual({ kind: "rate_limit", status: 429, retryAfterMs: 3_600_000 });
  });

  it("an abort ends the wait at once", async () => {
    const controller = new AbortController();
    const { stream, requests } = start({
      scripts: [refusal(429, { "retry-after": "20" })],
      options: { signal: controller.signal },
    });
    await vi.advanceTimersByTimeAsync(1000);
    controller.abort();
    const message = await stream.result();
    expect(message).toMatchObject({ stopReason: "aborted", errorMessage: "Request was aborted" });
    expect(vi.getTimerCount()).toBe(0);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["no connection", new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })],
    ["a connection that breaks before the first event", { pieces: [": ping\n\n", new Error("reset")] }],
    ["an empty body", {}],
    ["no content", { status: 204 }],
    ["comments alone", { pieces: [": ping\n\n"] }],
    ["a first event that is cut off", { pieces: ['data: {"text":"He'] }],
  ] satisfies [string, Script][])("retries %s", async (_, script) => {
    const { message, requests } = await run({ scripts: [script, good] });
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ["the connection breaks", { pieces: [sse({ text: "Hel" }), new Error("reset")] }, "network"],
    ["the body ends", { pieces: [sse({ text: "Hel" })] }, "protocol"],
    ["the body ends within an event", { pieces: [sse({ text: "Hel" }), 'data: {"text":"lo'] }, "protocol"],
    ["an event is not JSON", { pieces: [sse({ text: "Hel" }), "data: {{{\n\n"] }, "protocol"],
    ["the server reports overload", { pieces: [sse({ text: "Hel" }), sse({ error: { code: 529 } })] }, "overloaded"],
  ] satisfies [string, Script, string][])("does not retry after the first event: %s", async (_, script, kind) => {
    const { message, requests } = await run({ scripts: [script] });
    expect(message).toMatchObject({ stopReason: "error", content: [{ text: "Hel" }], error: { kind } });
    expect(requests).toHaveLength(1);
  });
});

describe("runAdapter: bodies that are not responses", () => {
  it("quotes an error that arrives with status 200", async () => {
    const pieces = ['{"error":{"message":"model not loaded","type":"invalid_request_error"}}'];
    const { message, requests } = await run({ scripts: [{ pieces }] });
    expect(message).toMatchObject({ errorMessage: "model not loaded", error: { kind: "invalid_request" } });
    expect(requests).toHaveLength(1);
  });

  const unframed = { error: { message: "quota used up", type: "rate_limit_error", code: 429 } };
  it.each([
    ["one line", [JSON.stringify(unframed)]],
    ["one line that ends", [`${JSON.stringify(unframed)}\n`]],
    ["several lines", [JSON.stringify(unframed, null, 2)]],
    ["several lines, byte by byte", [...JSON.stringify(unframed, null, 2)]],
    ["a list", [JSON.stringify([unframed], null, 2)]],
    ["lines around it", [`upstream said:\n${JSON.stringify(unframed)}\nbye\n`]],
    ["a connection that breaks after it", [`${JSON.stringify(unframed)}\n`, new Error("reset")]],
  ] satisfies [string, Piece[]][])("reads an error that is not framed as an event: %s", async (_, pieces) => {
    const expected = { errorMessage: "quota used up", error: { kind: "rate_limit" } };
    const options = { maxRetries: 0 };
    for (const before of [[], [sse({ text: "Hel" })], [sse({ text: "Hel" }, { stop: "stop" })]]) {
      const { message } = await run({ scripts: [{ pieces: [...before, ...pieces] }], options });
      expect(message).toMatchObject({ stopReason: "error", ...expected });
      expect(message.content).toHaveLength(before.length);
    }
  });

  it("does not mistake other unframed lines for an error", async () => {
    const pieces = [sse({ text: "Hello" }), '{"note":"nothing"}\n[1]\n{broken\n\n', END];
    expect((await run({ scripts: [{ pieces }] })).message.stopReason).toBe("stop");
    expect((await run({ scripts: [{ pieces: pieces.slice(0, 2) }] })).message.errorMessage).toBe(
      "The plain stream ended too early",
    );
  });

  it.each(["<html><body>Please log in</body></html>", "SSH-2.0-OpenSSH_9.6", '{"choices":[]}'])(
    "quotes a body that is not an event stream, and sends one request: %s",
    async (body) => {
      const { message, requests } = await run({ scripts: [{ pieces: [body] }] });
      expect(message.errorMessage).toContain(`is not an event stream: ${body}`);
      expect(requests).toHaveLength(1);
    },
  );

  it("bounds the quote of a large body", async () => {
    const { message } = await run({
      scripts: [{ pieces: Array.from({ length: 100 }, () => "<p>x</p>".repeat(1000)) }],
    });
    expect(message.errorMessage?.length).toBeLessThan(5000);
  });

  it("reports an empty body after the last attempt, and a cut-off response with the error text of the api", async () => {
    expect((await run({ scripts: [{}, {}, {}] })).message.errorMessage).toContain("an empty body");
    expect((await run({ scripts: [{ pieces: [sse({ text: "x" })] }] })).message.errorMessage).toBe(
      "The plain stream ended too early",
    );
  });

  it("keeps usage that arrived before the failure", async () => {
    const { message } = await run({
      scripts: [{ pieces: [sse({ usage: { input: 5, output: 2 } }), new Error("reset")] }],
    });
    expect(message.usage).toMatchObject({ input: 5, output: 2, totalTokens: 7 });
  });
});

describe("runAdapter: time limits", () => {
  const idle = { idleTimeoutMs: 1000, maxRetries: 0 };

  it.each([
    ["the headers", "silence"],
    ["the first event", { after: "silence" }],
    ["the next event", { pieces: [sse({ text: "Hel" })], after: "silence" }],
    ["the rest of an event", { pieces: ['data: {"text":"He'], after: "silence" }],
    ["the body of an error", { status: 500, pieces: ["oh"], after: "silence" }],
    [
      "anything but comments",
      { pieces: Array.from({ length: 50 }, () => [400, ": ping\n\n"]).flat(), after: "silence" },
    ],
  ] satisfies [string, Script][])("the idle timeout ends the wait for %s", async (_, script) => {
    const { message, requests, took } = await run({ scripts: [script], options: idle });
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "timeout" } });
    expect(message.errorMessage).toBe("Nothing arrived for 1000 ms (idleTimeoutMs)");
    expect(took).toBe(1000);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.signal?.aborted).toBe(true);
    expect(["cancelled", "none"]).toContain(requests[0]?.response);
  });

  it("the idle timeout does not run while the code of the api or its SDK loads", async () => {
    const { message } = await run({
      scripts: [good],
      options: idle,
      adapter: {
        send: async (wireRequest, request, io) => {
          await io.pause?.(new Promise((resolve) => setTimeout(resolve, 5000)));
          return plainAdapter.send(wireRequest, request, io);
        },
      },
    });
    expect(message.stopReason).toBe("stop");
    const { fetch } = scriptFetch(good);
    const lazy = createLazyApiProvider("plain", async () => {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return plainAdapter;
    });
    const stream = lazy.stream(plainModel, { messages: [] }, { apiKey: KEY, fetch, ...idle });
    const result = stream.result();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await result).stopReason).toBe("stop");
  });

  it("events that add to the message restart the idle timeout", async () => {
    const pieces = [..."Hello, world"].flatMap((text) => [900, sse({ text })]);
    const counts = [1, 2, 3].flatMap((output) => [900, sse({ usage: { output } })]);
    const { message } = await run({ scripts: [{ pieces: [...pieces, ...counts, END] }], options: idle });
    expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "Hello, world" }], usage: { output: 3 } });
  });

  it("new states restart the idle timeout, repeated ones do not", async () => {
    const state = (type: string): string => `data: {"type":"${type}"}\n\n`;
    const states = ["queued", "searching", "reading"].flatMap((type) => [900, state(type)]);
    const repeated = Array.from({ length: 20 }, () => [900, state("reading")]).flat();
    const { message, took } = await run({ scripts: [{ pieces: [...states, ...repeated] }], options: idle });
    expect(message.error).toEqual({ kind: "timeout" });
    expect(took).toBe(3 * 900 + 1000);
  });

  it.each([
    ["the bytes of an event that does not end", [...`data: {"text":"${"x".repeat(50)}`]],
    ["pings", Array.from({ length: 50 }, () => 'event: ping\ndata: {"type":"ping"}\n\n')],
    ["empty deltas", Array.from({ length: 50 }, () => sse({ text: "" }))],
    ["the same usage again and again", Array.from({ length: 50 }, () => sse({ usage: { output: 7 } }))],
    ["lines that are not events", Array.from({ length: 50 }, () => "nothing\n")],
  ])("%s do not restart the idle timeout", async (_, pieces) => {
    const first = sse({ text: "Hi" }, { usage: { output: 7 } });
    const drip = [first, ...pieces.flatMap((piece) => [400, piece])];
    const { message, took } = await run({ scripts: [{ pieces: drip, after: "silence" }], options: idle });
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "timeout" }, content: [{ text: "Hi" }] });
    expect(took).toBe(1000);
  });

  it.each(["timeoutMs", "idleTimeoutMs", "maxRetryDelayMs", "afterStopTimeoutMs"])(
    "%s must be a duration; Infinity means none",
    async (name) => {
      for (const value of [-1, Number.NaN, "soon"]) {
        const { message } = await run({ scripts: [good], options: { [name]: value } });
        expect(message).toMatchObject({ stopReason: "error", error: { kind: "config" } });
        expect(message.errorMessage).toContain(`${name} must be a number of milliseconds`);
      }
      for (const value of [2 ** 31, 1e15, Number.POSITIVE_INFINITY]) {
        const { message, took } = await run({ scripts: [good], options: { [name]: value } });
        expect(message.stopReason).toBe("stop");
        expect(took).toBe(0);
      }
    },
  );

  it("maxRetries must be a count; Infinity means no limit", async () => {
    for (const value of [-1, 0.5, Number.NaN, "2"]) {
      const { message, requests } = await run({ scripts: [good], options: { maxRetries: value as number } });
      expect(message).toMatchObject({ stopReason: "error", error: { kind: "config" } });
      expect(message.errorMessage).toContain("maxRetries must be a whole number");
      expect(requests).toHaveLength(0);
    }
    const { message } = await run({ scripts: [good], options: { maxRetries: Number.POSITIVE_INFINITY } });
    expect(message.stopReason).toBe("stop");
  });

  it("the idle timeout ends a request without a reader", async () => {
    const { stream } = start({ scripts: [{ pieces: [sse({ text: "x" })], after: "silence" }], options: idle });
    await vi.advanceTimersByTimeAsync(1000);
    expect((await stream.result()).error).toEqual({ kind: "timeout" });
  });

  it("a slow reader does not trigger the idle timeout, and pauses reading from the network", async () => {
    const count = 2000;
    const pieces = Array.from({ length: count }, (_, index) => sse({ text: `${index},` }));
    const { stream, requests } = start({ scripts: [{ pieces: [...pieces, END] }], options: idle });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requests[0]?.response).toBe("open");
    let deltas = 0;
    for await (const event of stream) if (event.type === "text_delta") deltas++;
    expect(deltas).toBe(count);
    expect((await stream.result()).stopReason).toBe("stop");
    await vi.runAllTimersAsync();
  });

  it("an abort ends a request that waits for its reader", async () => {
    const pieces = Array.from({ length: 2000 }, () => sse({ text: "x" }));
    const controller = new AbortController();
    const { stream, requests } = start({ scripts: [{ pieces }], options: { signal: controller.signal } });
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect((await stream.result()).stopReason).toBe("aborted");
    await vi.runAllTimersAsync();
    expect(requests[0]?.response).toBe("cancelled");
  });

  it("timeoutMs limits the whole request, retries included", async () => {
    const scripts: Script[] = [refusal(500), refusal(500), "silence"];
    const { message, took } = await run({ scripts, options: { timeoutMs: 1800 } });
    expect(message).toMatchObject({
      error: { kind: "timeout", attempts: 3 },
      errorMessage: expect.stringContaining("timeoutMs"),
    });
    expect(took).toBe(1800);
    const drip = Array.from({ length: 50 }, () => [100, sse({ text: "x" })]).flat();
    const dripping = await run({ scripts: [{ pieces: drip, after: "silence" }], options: { timeoutMs: 1000 } });
    expect(dripping.took).toBe(1000);
    expect(dripping.message.content).toMatchObject([{ type: "text" }]);
  });
});

describe("runAdapter: abort", () => {
  it("sends nothing if the signal is already aborted", async () => {
    const onPayload = vi.fn();
    const { message, requests, events } = await run({ options: { signal: AbortSignal.abort("why"), onPayload } });
    expect(message).toMatchObject({
      stopReason: "aborted",
      errorMessage: "Request was aborted",
      error: { kind: "aborted" },
    });
    expect(events).toHaveLength(1);
    expect(requests).toHaveLength(0);
  });

  it.each([
    ["before the headers", "silence", 0],
    ["before the first event", { after: "silence" }, 0],
    ["in the middle", { pieces: [sse({ text: "Hel" })], after: "silence" }, 1],
  ] satisfies [string, Script, number][])("ends the request %s", async (_, script, blocks) => {
    const controller = new AbortController();
    const { stream, requests } = start({ scripts: [script], options: { signal: controller.signal } });
    const events: AssistantMessageEvent[] = [];
    const reading = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await vi.advanceTimersByTimeAsync(50);
    controller.abort({ any: "reason" });
    await reading;
    expect(checkEvents(events)).toMatchObject({ stopReason: "aborted" });
    expect(events.filter((event) => event.type === "text_end")).toHaveLength(blocks);
    expect(requests[0]?.signal?.aborted).toBe(true);
    expect(requests[0]?.response).not.toBe("open");
  });

  it("ends the request once, at any event", async () => {
    for (let at = 0; at < 6; at++) {
      const controller = new AbortController();
      const { stream } = start({ scripts: [good], options: { signal: controller.signal } });
      const events: AssistantMessageEvent[] = [];
      const reading = (async () => {
        for await (const event of stream) if (events.push(event) > at) controller.abort();
      })();
      await vi.runAllTimersAsync();
      await reading;
      expect(["aborted", "stop"]).toContain(checkEvents(events).stopReason);
    }
  });

  it("changes nothing after the end", async () => {
    const controller = new AbortController();
    const { message } = await run({ scripts: [good], options: { signal: controller.signal } });
    controller.abort();
    expect(message.stopReason).toBe("stop");
  });

  it("leaves no listener on the caller's signal, however the request ends", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    vi.spyOn(signal, "addEventListener").mockImplementation(() => void listeners++);
    vi.spyOn(signal, "removeEventListener").mockImplementation(() => void listeners--);
    const scripts: Script[][] = [
      [good],
      [refusal(400)],
      [refusal(500), good],
      [new Error("x"), new Error("x"), new Error("x")],
    ];
    for (const script of scripts) await run({ scripts: script, options: { signal } });
    expect(listeners).toBe(0);
  });

  it("closes the connection when the reader leaves early", async () => {
    const { stream, requests } = start({ scripts: [{ pieces: [sse({ text: "x" })], after: "silence" }] });
    const reading = (async () => {
      for await (const event of stream) if (event.type === "text_delta") break;
    })();
    await vi.advanceTimersByTimeAsync(0);
    await reading;
    await vi.advanceTimersByTimeAsync(5);
    expect(requests[0]).toMatchObject({ response: "cancelled", signal: { aborted: true } });
    expect((await stream.result()).stopReason).toBe("aborted");
  });

  it("continues when the reader leaves early while the result is awaited", async () => {
    const { stream } = start({ scripts: [{ pieces: [sse({ text: "Hel" }), 50, sse({ text: "lo" }), END] }] });
    const result = stream.result();
    const reading = (async () => {
      for await (const _ of stream) break;
    })();
    await vi.runAllTimersAsync();
    await reading;
    expect(await result).toMatchObject({ stopReason: "stop", content: [{ text: "Hello" }] });
  });
});

describe("runAdapter: secrets", () => {
  const echo = `your headers: authorization=Bearer ${KEY}, x-api-key=other-secret-value`;
  const options = { headers: { "x-api-key": "other-secret-value" } };
  const expectHidden = (message: AssistantMessage): void => {
    const text = JSON.stringify(message);
    expect(text).toContain("[redacted]");
    expect(text).not.toContain("other-secret");
    expect(text).not.toContain(KEY.slice(0, 8));
  };

  it.each([
    ["a status", { status: 401, pieces: [JSON.stringify({ error: { message: echo } })] }],
    ["a status without JSON", { status: 401, pieces: [echo] }],
    ["an error event", { pieces: [sse({ error: { message: echo } })] }],
    ["an error event without words", { pieces: [sse({ error: { headers: echo } })] }],
    ["a page", { pieces: [`<html>${echo}</html>`] }],
    ["an event that is not JSON", { pieces: [`data: {${echo}\n\n`] }],
    ["a stop reason", { pieces: [sse({ stop: "error", why: echo })] }],
    ["a broken connection", new Error(echo)],
    ["the id of a request", { status: 401, headers: { "x-request-id": echo } }],
  ] satisfies [string, Script][])("redacts keys that are echoed in %s", async (_, script) => {
    expectHidden((await run({ scripts: [script], options: { ...options, maxRetries: 0 } })).message);
  });

  it("redacts a key that truncation left in part", async () => {
    for (let at = 4080; at < 4100; at++) {
      const pieces = [JSON.stringify({ error: { message: `${"x".repeat(at)}${KEY}` } })];
      const { message } = await run({ scripts: [{ status: 400, pieces }] });
      expect(message.errorMessage).not.toContain(KEY.slice(0, 6));
    }
  });

  it.each(["x", "… (", `${KEY.slice(0, 5)}… (`])("limits the length of any error text: repeated %j", async (unit) => {
    const long = unit.repeat(300_000);
    const scripts: Script[] = [
      { status: 400, pieces: [long] },
      { pieces: [sse({ error: { message: long } })] },
      { pieces: [sse({ stop: "error", why: long })] },
      new Error(long),
    ];
    for (const script of scripts) {
      const { message } = await run({ scripts: [script], options: { maxRetries: 0 } });
      expect(message.errorMessage?.length).toBeLessThan(5000);
    }
  });
});

describe("runAdapter: faults of an adapter", () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error("hostile");
      },
      has: () => {
        throw new Error("hostile");
      },
    },
  );

  it.each([new TypeError("a bug"), "text", undefined, null, 7, { odd: true }, hostile])(
    "any thrown value becomes the one error event: %#",
    async (thrown) => {
      const fail = (): never => {
        throw thrown;
      };
      for (const member of ["simpleOptions", "buildRequest", "send", "createMapping"] as const) {
        const { fetch } = scriptFetch(good);
        const provider = createApiProvider({ ...plainAdapter, [member]: fail });
        const stream = provider.streamSimple(plainModel, { messages: [] }, { apiKey: KEY, fetch });
        const message = await stream.result();
        expect(message).toMatchObject({
          stopReason: "error",
          errorMessage: expect.any(String),
          error: { kind: "unknown" },
        });
      }
      await vi.runAllTimersAsync();
    },
  );

  it("a mapping that throws midway closes the connection and keeps the content", async () => {
    const createMapping: ApiAdapter["createMapping"] = (call, request) => {
      const map = plainAdapter.createMapping(call, request);
      let count = 0;
      return (event, sink) => {
        if (++count > 1) throw new TypeError("a bug");
        return map(event, sink);
      };
    };
    const { message, requests } = await run({
      scripts: [{ pieces: [sse({ text: "Hel" }), sse({ text: "lo" })], after: "silence" }],
      adapter: { createMapping },
    });
    expect(message).toMatchObject({ errorMessage: "a bug", content: [{ text: "Hel" }] });
    expect(requests[0]?.response).toBe("cancelled");
  });

  it("an adapter that cannot be loaded fails the request, and is loaded again for the next one", async () => {
    let loads = 0;
    const provider = createLazyApiProvider("plain", async () => {
      if (++loads === 1) throw new Error("no such file");
      return plainAdapter;
    });
    const call = (): Promise<AssistantMessage> =>
      provider.stream(plainModel, { messages: [] }, { apiKey: KEY, fetch: scriptFetch(good).fetch }).result();
    expect((await call()).errorMessage).toBe("no such file");
    expect((await call()).stopReason).toBe("stop");
    await vi.runAllTimersAsync();
  });

  it("a fault of the library itself still ends the stream", async () => {
    const { stream } = start({ scripts: [refusal(400)] });
    vi.spyOn(stream, "push").mockImplementation(() => {
      throw new Error("a bug");
    });
    const result = stream.result();
    await vi.runAllTimersAsync();
    await expect(result).rejects.toThrow("The event stream ended without a result");
    expect((await stream[Symbol.asyncIterator]().next()).done).toBe(true);
  });

  it("headers of the wrong type do not make the function throw", () => {
    // A caller in plain JavaScript.
    const headers = { authorization: 5, "x-api-key": undefined } as unknown as Record<string, string>;
    const controller = new AbortController();
    const { stream } = start({ scripts: ["silence"], options: { headers, signal: controller.signal } });
    controller.abort();
    expect(stream.result()).toBeInstanceOf(Promise);
  });
});
