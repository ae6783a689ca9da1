import { describe, expect, it } from "vitest";
import { NetworkError, ProviderError } from "../errors.js";
import type { SendContext, WireRequest } from "../transport/wire-request.js";
import { sendThroughAnthropic } from "./anthropic.js";
import { type PostingClient, postThrough } from "./http-sdk.js";
import { sendThroughOpenAI } from "./openai.js";

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
