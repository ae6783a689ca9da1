import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { END, plainAdapter, plainModel, sse } from "../../../test/support/plain-adapter.js";
import { type Script, scriptFetch } from "../../../test/support/scripted-fetch.js";
import { sendsUnwatched } from "../../../test/vendors/check-requests.js";
import type { AssistantMessage } from "../../types/message.js";
import type { StreamOptions } from "../../types/options.js";
import type { ApiAdapter } from "../api-adapter.js";
import { createApiProvider } from "../create-api-provider.js";
import type { ChannelAttempt, ChannelRequest } from "./channel-request.js";
import { startRequestWatch } from "./start-request-watch.js";

const KEY = "sk-secret-0123456789";
const good: Script = { pieces: [sse({ text: "Hi" }), END] };
let published: [channel: string, request: ChannelRequest][];
let stops: (() => void)[];

/** Subscribes; the listeners of a process stay until they are removed. */
function listen(...channels: string[]): void {
  for (const name of channels) {
    // The driver publishes nothing else on these channels.
    const listener = (request: unknown) => void published.push([name, request as ChannelRequest]);
    subscribe(`pi.request.${name}`, listener);
    stops.push(() => unsubscribe(`pi.request.${name}`, listener));
  }
}

// The first import takes real time, which fake timers do not wait for.
beforeAll(() => import("./watch-request.js"));
beforeEach(() => {
  published = [];
  stops = [];
  vi.useFakeTimers({ now: 1000 });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  for (const stop of stops) stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function run(
  scripts: readonly Script[],
  options: StreamOptions = {},
  adapter: Partial<ApiAdapter> = {},
): Promise<AssistantMessage> {
  const { fetch } = scriptFetch(...scripts);
  const provider = createApiProvider({ ...plainAdapter, ...adapter });
  const context = { messages: [{ role: "user" as const, content: "Hello", timestamp: 1 }] };
  const result = provider.stream(plainModel, context, { apiKey: KEY, fetch, ...options }).result();
  await vi.runAllTimersAsync();
  return result;
}

const lastOf = (): ChannelRequest => {
  const [, request] = published.at(-1) ?? [];
  if (!request) throw new Error("Nothing was published");
  return request;
};

it("publishes the attempts, the waits and the bodies of a request", async () => {
  listen("start", "update", "end");
  const busy = (headers: Record<string, string>): Script => ({ status: 429, headers, pieces: ["slow down"] });
  await run([busy({}), busy({ "retry-after": "3" }), { ...good, pieces: [40, ...(good.pieces ?? [])] }]);
  expect(published[0]?.[0]).toBe("start");
  expect(published.at(-1)?.[0]).toBe("end");
  expect(new Set(published.map(([, request]) => request)).size).toBe(1);
  const request = lastOf();
  expect(request).toMatchObject({
    model: "m",
    provider: "test-provider",
    api: "plain",
    startTime: 1000,
    endTime: 4540,
  });
  expect(request.message).toMatchObject({ stopReason: "stop", content: [{ text: "Hi" }] });
  const [first, second, third] = request.attempts;
  expect(first).toMatchObject({
    startTime: 1000,
    endTime: 1000,
    method: "POST",
    url: "https://api.test/plain",
    status: 429,
    failure: { kind: "rate_limit" },
    wait: { ms: 500, requested: false },
  });
  expect(first?.responseBody?.read()).toBe("slow down");
  expect(second).toMatchObject({ startTime: 1500, wait: { ms: 3000, requested: true } });
  expect(third).toMatchObject({ startTime: 4500, responseTime: 4500, status: 200, firstTime: 4540, endTime: 4540 });
  expect(JSON.parse(third?.requestBody?.read() ?? "")).toMatchObject({ messages: [{ content: "Hello" }] });
  expect(third?.responseBody?.read()).toBe(`${sse({ text: "Hi" })}${END}`);
});

it("publishes an abort, and a connection that breaks", async () => {
  listen("start", "update", "end");
  const controller = new AbortController();
  const aborted = run([{ pieces: [sse({ text: "Hi" })], after: "silence" }], {
    signal: controller.signal,
    idleTimeoutMs: 0,
  });
  await vi.advanceTimersByTimeAsync(5);
  controller.abort();
  await aborted;
  expect(lastOf()).toMatchObject({ message: { stopReason: "aborted" }, signal: controller.signal });
  expect(lastOf().attempts[0]?.responseBody?.read()).toBe(sse({ text: "Hi" }));
  await run([{ pieces: [sse({ text: "Hi" }), new Error("reset")] }]);
  expect(lastOf()).toMatchObject({ message: { stopReason: "error" }, attempts: [{ failure: { message: "reset" } }] });
});

it("publishes no credential, wherever it is", async () => {
  listen("start", "update", "end");
  const custom = "custom-credential-1";
  const inUrl = "query-credential-1";
  const token = "mcp-credential-1";
  const body = { mcp_servers: [{ authorization_token: token }], note: KEY };
  const echoes = [KEY, btoa(KEY), custom, inUrl, token].join(" ");
  const send: ApiAdapter["send"] = async (request, _, io) => {
    const response = await io.fetch(`${request.baseUrl}/x?key=${inUrl}`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "x-custom": custom, accept: `a/b;${KEY}` },
      body: JSON.stringify(request.body),
    });
    return { status: 200, headers: Object.fromEntries(response.headers), framing: "sse", body: reader(response) };
  };
  const reader = (response: Response) => {
    if (!response.body) throw new Error("no body");
    return response.body.getReader();
  };
  // The key arrives in two pieces.
  const pieces = [`: ${KEY.slice(0, 8)}`, `${KEY.slice(8)} ${echoes}\n`, sse({ text: echoes }), END];
  const buildRequest: ApiAdapter["buildRequest"] = ({ model: { baseUrl } }) => ({
    baseUrl,
    path: "",
    headers: {},
    body,
  });
  const headers = { "set-cookie": "session=abcdefgh", "x-echo": KEY, server: `a ${token}` };
  await run([{ pieces, headers }], {}, { send, buildRequest });
  await run([{ status: 400, pieces: [echoes] }], {}, { send, buildRequest });
  for (const [, { attempts, message }] of published) {
    const bodies = attempts.flatMap(({ requestBody, responseBody }) => [requestBody?.read(), responseBody?.read()]);
    const shown = JSON.stringify([attempts, message?.errorMessage, bodies]);
    for (const secret of [KEY, btoa(KEY).slice(0, 12), custom, inUrl, token, "abcdefgh"])
      expect(shown).not.toContain(secret);
  }
  const [attempt] = published[0]?.[1].attempts ?? [];
  expect(attempt?.requestHeaders).toMatchObject({ authorization: "[redacted]", "x-custom": "[redacted]" });
  expect(attempt?.responseHeaders).toMatchObject({ "set-cookie": "[redacted]", "x-echo": "[redacted]" });
  expect(attempt?.url).toBe("https://api.test/x");
  expect(attempt?.responseBody?.read()).toContain(": [redacted] [redacted]");
});

it("keeps the first 1,048,576 bytes of a body", async () => {
  listen("start", "update", "end");
  const piece = sse({ text: "x".repeat(100_000) });
  await run([{ pieces: [...Array.from({ length: 12 }, () => piece), END] }]);
  const body = lastOf().attempts[0]?.responseBody;
  const length = 12 * piece.length + END.length;
  expect(body?.length).toBe(length);
  const text = body?.read() ?? "";
  const mark = `… (${length - 1_048_576} more bytes)`;
  expect(text.endsWith(mark)).toBe(true);
  expect(text.length).toBe(1_048_576 + mark.length);
});

it("sees a failure before the request is sent", async () => {
  listen("start", "update", "end");
  await run([], { apiKey: "key\n" });
  expect(lastOf()).toMatchObject({ attempts: [], message: { error: { kind: "config" } } });
});

it("leaves the requests of a login out", async () => {
  listen("start", "update", "end");
  const { send } = plainAdapter;
  await run(
    [{ pieces: ["token"] }, good],
    {},
    {
      send: async (wireRequest, request, io) => {
        await io.fetch("https://login.test/token", { method: "POST", body: "assertion=abc" });
        return send(wireRequest, request, io);
      },
    },
  );
  expect(lastOf().attempts.map(({ url }) => url)).toEqual(["https://api.test/plain"]);
});

it("publishes a bounded number of times, and leaves the promises of a body as they are", async () => {
  listen("start", "update", "end");
  await run([{ pieces: [sse({ text: "a" }), 1, sse({ text: "b" }), 1, sse({ text: "c" }), END] }]);
  // Begun, built, sent, the headers, the first piece, the end of the body, the end.
  expect(published.map(([channel]) => channel)).toEqual(["start", ...Array(5).fill("update"), "end"]);
  const reading = Promise.resolve({ done: true });
  const body = { read: () => reading, cancel: async () => {} };
  const watch = await startRequestWatch({ model: plainModel, options: {} }, { values: [] });
  const wireRequest = { baseUrl: "https://api.test", path: "/x", headers: {}, body: {} };
  const io = { fetch, signal: new AbortController().signal, hide: () => {}, note: () => {} };
  const response = await watch?.send(wireRequest, io, async () => ({ status: 200, headers: {}, framing: "sse", body }));
  expect(response?.body.read()).toBe(reading);
});

it("shows the properties of an attempt as its own, also in copies of it", async () => {
  listen("start", "update", "end");
  await run([{ ...good, headers: { "x-request-id": "r-1" } }]);
  const attempt: Partial<ChannelAttempt> = lastOf().attempts[0] ?? {};
  const descriptors = Object.getOwnPropertyDescriptors(attempt);
  expect(Object.keys(attempt)).toEqual(expect.arrayContaining(["url", "requestHeaders", "responseHeaders"]));
  const facts = { url: "https://api.test/plain", responseHeaders: { "x-request-id": "r-1" } };
  // Before the attempt was read, after it, and by value.
  expect(Object.defineProperties({}, descriptors)).toMatchObject(facts);
  expect({ ...attempt }).toMatchObject(facts);
  expect(JSON.parse(JSON.stringify(attempt))).toMatchObject(facts);
  // A text that was made is kept.
  expect(attempt.responseHeaders).toBe(attempt.responseHeaders);
});

it("shows what was sent also to a listener that has read what was built", async () => {
  const seen: unknown[] = [];
  const read = (request: unknown): void => {
    // The driver publishes nothing else on this channel.
    const [attempt] = (request as ChannelRequest).attempts;
    seen.push([attempt?.method, attempt?.url, attempt?.requestHeaders?.["authorization"]]);
  };
  listen("start");
  subscribe("pi.request.update", read);
  stops.push(() => unsubscribe("pi.request.update", read));
  await run([good]);
  expect(seen.slice(0, 2)).toEqual([
    [undefined, "https://api.test/plain", undefined],
    ["POST", "https://api.test/plain", "[redacted]"],
  ]);
});

it("costs a request without subscribers nothing but the look-up", async () => {
  sendsUnwatched();
  const start = () => startRequestWatch({ model: plainModel, options: {} }, { values: [] });
  expect(await start()).toBeUndefined();
  // Listening to the other channels is not enough.
  listen("update", "end");
  expect((await run([good])).stopReason).toBe("stop");
  expect(published).toEqual([]);
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  expect(await start()).toBeUndefined();
});

it("times differ by durations when the time of the system is set back", async () => {
  listen("start", "end");
  subscribeOnce(() => vi.setSystemTime(Date.now() - 3_600_000));
  await run([good]);
  const { startTime, endTime, attempts } = lastOf();
  expect(startTime).toBe(1000);
  expect(endTime).toBeGreaterThanOrEqual(startTime);
  expect(attempts[0]?.responseTime).toBeGreaterThanOrEqual(startTime);
});

/** Runs the work at the start of the next request. */
function subscribeOnce(work: () => void): void {
  const listener = (): void => {
    unsubscribe("pi.request.start", listener);
    work();
  };
  subscribe("pi.request.start", listener);
}
