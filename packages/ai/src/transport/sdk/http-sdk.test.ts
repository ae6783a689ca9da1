import { describe, expect, it } from "vitest";
import { NetworkError, ProviderError } from "../../errors.js";
import type { SendContext, WireRequest } from "../wire-request.js";
import { sendThroughAnthropic } from "./anthropic.js";
import { sendThroughGoogle } from "./google.js";
import { createSdkLoader, type PostingClient, postThrough } from "./http-sdk.js";
import { sendThroughOpenAI } from "./openai.js";
import { sendPrepared } from "./prepared-request.js";

const request: WireRequest = { baseUrl: "https://api.test", path: "/x", headers: {}, body: { a: 1 }, apiKey: "key" };

function contextOf(fetch: typeof globalThis.fetch, signal: AbortSignal = new AbortController().signal): SendContext {
  return { fetch, signal, hide: () => {}, note: () => {} };
}

describe.each([
  ["Anthropic", sendThroughAnthropic],
  ["OpenAI", sendThroughOpenAI],
])("%s SDK", (_, send) => {
  it("returns the raw response, and sends the body unchanged", async () => {
    const asked: unknown[] = [];
    const response = new Response("body");
    const fetch: typeof globalThis.fetch = async (url, init) => {
      asked.push(String(url), init?.method, init?.body);
      return response;
    };
    expect(await send(request, contextOf(fetch))).toBe(response);
    expect(asked).toEqual(["https://api.test/x", "POST", '{"a":1}']);
  });

  it.each([
    new NetworkError("reset"),
    new ProviderError({ kind: "server", message: "500 broken", status: 500 }),
    new TypeError("a bug"),
  ])("rethrows the error of fetch unchanged, after one request: %s", async (failure) => {
    let requests = 0;
    const fetch = async (): Promise<never> => {
      requests++;
      throw failure;
    };
    await expect(send(request, contextOf(fetch))).rejects.toBe(failure);
    expect(requests).toBe(1);
  });

  it("aborts the request", async () => {
    const controller = new AbortController();
    let inner: AbortSignal | null | undefined;
    const fetch: typeof globalThis.fetch = (_url, init) => {
      inner = init?.signal;
      return new Promise((_, reject) => inner?.addEventListener("abort", () => reject(new Error("aborted"))));
    };
    const sending = send(request, contextOf(fetch, controller.signal)).catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await sending;
    expect(inner?.aborted).toBe(true);
  });
});

describe("postThrough", () => {
  it("throws the error of the client", async () => {
    const client: PostingClient = {
      post: () => ({ asResponse: () => Promise.reject(new Error("no credentials")) }),
    };
    await expect(postThrough(client, request, contextOf(fetch))).rejects.toThrow("no credentials");
  });
});

describe("createSdkLoader", () => {
  it("returns the module", async () => {
    expect(await createSdkLoader("some-sdk", async () => ({ Client: 1 }))()).toEqual({ Client: 1 });
  });

  it.each([new Error("Cannot find package 'some-sdk'"), "a text"])(
    "names the package that cannot be loaded: %s",
    async (cause) => {
      const loading = createSdkLoader("some-sdk", () => Promise.reject(cause))();
      await expect(loading).rejects.toMatchObject({
        kind: "config",
        retryable: false,
        message: expect.stringMatching(
          /^pi-ai could not load its copy of the package some-sdk \(.+\)\. It is a part of pi-ai: deploy the whole package/,
        ),
        cause,
      });
    },
  );

  it("tries again after a failure", async () => {
    let tries = 0;
    const load = createSdkLoader("some-sdk", async () => {
      if (++tries === 1) throw new Error("not yet");
      return { Client: 1 };
    });
    await expect(load()).rejects.toThrow("not yet");
    expect(await load()).toEqual({ Client: 1 });
    expect(await load()).toEqual({ Client: 1 });
    expect(tries).toBe(2);
  });
});

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

function recordingContext(): { io: SendContext; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    sent.push({ url: String(input), headers, body: JSON.parse(String(init?.body)) });
    return new Response(null);
  };
  return { io: { fetch, signal: new AbortController().signal, hide: () => {}, note: () => {} }, sent };
}

const base: WireRequest = {
  baseUrl: "https://api.test",
  path: "/v1/x",
  headers: {},
  body: { model: "m" },
  apiKey: "k1",
};

describe("sendPrepared", () => {
  it("lets the SDK prepare one request for many; each has its own body and header values", async () => {
    const { io, sent } = recordingContext();
    let prepared = 0;
    const send = (request: WireRequest): Promise<Response> =>
      sendPrepared(request, io, ["test", "once"], async (capture) => {
        prepared++;
        await capture("https://api.test/v1/x", { headers: { "X-Sdk": "1", "X-Session": "of the SDK" } });
      });
    for (const turn of [1, 2, 3])
      await send({ ...base, headers: { "x-session": `s${turn}` }, body: { model: "m", turn } });
    expect(prepared).toBe(1);
    expect(sent.map(({ headers, body }) => [headers["x-session"], headers["x-sdk"], body])).toEqual(
      [1, 2, 3].map((turn) => [`s${turn}`, "1", { model: "m", turn }]),
    );
    await send({ ...base, headers: { "x-session": null } });
    expect(prepared).toBe(2);
    expect(sent.at(-1)?.headers).not.toHaveProperty("x-session");
  });

  it("remembers a bounded number of requests", async () => {
    const { io } = recordingContext();
    const counts = new Map<string, number>();
    const send = (apiKey: string): Promise<Response> =>
      sendPrepared({ ...base, apiKey }, io, ["test", "bounded"], async (capture) => {
        counts.set(apiKey, (counts.get(apiKey) ?? 0) + 1);
        await capture("https://api.test/");
      });
    for (let index = 0; index < 64; index++) await send(`key ${index}`);
    await send("key 0");
    await send("one more");
    await send("key 0");
    await send("key 1");
    expect(counts.get("key 0")).toBe(1);
    expect(counts.get("key 1")).toBe(2);
  });
});

describe.each([
  ["Anthropic", sendThroughAnthropic],
  ["OpenAI", sendThroughOpenAI],
  ["Google", sendThroughGoogle],
] as const)("a request prepared by the SDK of %s", (_, send) => {
  it("has its own key, URL and headers, regardless of earlier requests", async () => {
    const { io, sent } = recordingContext();
    const path = "/models/m:streamGenerateContent";
    for (const apiKey of ["k1", "k2", "k1"])
      for (const host of ["a.test", "b.test"])
        await send(
          { ...base, path, apiKey, baseUrl: `https://${host}`, headers: { "x-own": `${apiKey} ${host}` } },
          io,
        );
    for (const [index, { url, headers }] of sent.entries()) {
      const [apiKey, host] = [["k1", "k2", "k1"][index >> 1], ["a.test", "b.test"][index % 2]];
      expect(new URL(url).host).toBe(host);
      expect(headers["x-own"]).toBe(`${apiKey} ${host}`);
      const other = apiKey === "k1" ? "k2" : "k1";
      const values = Object.values({ ...headers, "x-own": "" }).join(" ");
      expect(values).toContain(apiKey);
      expect(values).not.toContain(other);
    }
  });
});
