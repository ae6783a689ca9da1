import { describe, expect, it, vi } from "vitest";
import { createGuardedFetch, describeNetworkError } from "./guarded-fetch.js";

type Reply = Response | Error | (() => Response | Promise<Response>);

function guarded(responses: Reply[], signal: AbortSignal = new AbortController().signal) {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const fetch = createGuardedFetch({
    provider: "test",
    signal,
    fetch: async (input, init) => {
      asked.push({ url: String(input), init });
      const response = responses[asked.length - 1];
      if (response === undefined) throw new Error("No more responses");
      if (response instanceof Error) throw response;
      return typeof response === "function" ? response() : response;
    },
  });
  return { fetch, asked };
}

const redirect = (location: string, status = 307): Response => new Response("moved", { status, headers: { location } });
const URL_OF_API = "https://api.test/v1/messages?key=sk-secret";

describe("createGuardedFetch", () => {
  it("returns a successful response, and does not let fetch follow redirects", async () => {
    const good = new Response("body");
    const { fetch, asked } = guarded([good]);
    expect(await fetch(URL_OF_API, { method: "POST", body: "x" })).toBe(good);
    expect(asked).toMatchObject([{ url: URL_OF_API, init: { method: "POST", body: "x", redirect: "manual" } }]);
  });

  it.each([
    ["auth", 401],
    ["permission", 403],
    ["not_found", 404],
  ])("throws the provider's error text for the kind %s, and what was asked", async (kind, status) => {
    const { fetch } = guarded([Response.json({ error: { message: "no such model" } }, { status })]);
    await expect(fetch(URL_OF_API)).rejects.toMatchObject({
      kind,
      status,
      message: `${status} no such model (provider test; asked: https://api.test/v1/messages)`,
    });
  });

  it("follows a redirect on the same host with the same request", async () => {
    const good = new Response("body");
    const { fetch, asked } = guarded([redirect("/v2/messages"), good]);
    expect(await fetch(URL_OF_API, { method: "POST", body: "x" })).toBe(good);
    expect(asked[1]).toMatchObject({ url: "https://api.test/v2/messages", init: { method: "POST", body: "x" } });
  });

  it.each(["https://evil.test/v1", "http://api.test/v1", "https://api.test:8443/v1", "//evil.test/"])(
    "does not forward credentials to %s",
    async (location) => {
      const { fetch, asked } = guarded([redirect(location)]);
      await expect(fetch(URL_OF_API)).rejects.toMatchObject({ kind: "invalid_request", retryable: false });
      expect(asked).toHaveLength(1);
    },
  );

  it("omits both queries from the error for a rejected redirect", async () => {
    const { fetch } = guarded([redirect("https://evil.test/?key=sk-secret")]);
    await expect(fetch(URL_OF_API)).rejects.toThrow(
      /^https:\/\/api.test\/v1\/messages redirects to https:\/\/evil.test\/; /,
    );
  });

  it("stops a redirect loop after a few requests", async () => {
    const { fetch, asked } = guarded(Array.from({ length: 50 }, () => redirect("/again", 302)));
    await expect(fetch(URL_OF_API)).rejects.toMatchObject({ retryable: false });
    expect(asked.length).toBeLessThan(6);
  });

  it.each([new Response("x", { status: 302 }), redirect("http://["), new Response(null, { status: 304 })])(
    "throws for a redirect without a valid target",
    async (response) => {
      await expect(guarded([response]).fetch(URL_OF_API)).rejects.toMatchObject({ status: response.status });
    },
  );

  it("converts a failed connection to a NetworkError without the query", async () => {
    const broken = new TypeError("fetch failed", { cause: new Error("ECONNREFUSED 127.0.0.1:1") });
    await expect(guarded([broken]).fetch(URL_OF_API)).rejects.toMatchObject({
      kind: "network",
      retryable: true,
      message: "fetch failed: ECONNREFUSED 127.0.0.1:1 (asked: https://api.test)",
      url: "https://api.test/v1/messages",
    });
  });

  it("throws the abort reason when the request was aborted", async () => {
    const controller = new AbortController();
    const { fetch } = guarded(
      [
        () => {
          controller.abort(new Error("the call's own reason"));
          throw new DOMException("aborted", "AbortError");
        },
      ],
      controller.signal,
    );
    await expect(fetch(URL_OF_API)).rejects.toThrow("the call's own reason");
  });

  it.each([
    ["not an address", "does not make a valid address"],
    ["ftp://api.test/", "not an HTTP address"],
    ["https://user:hunter2@api.test/", "user name or password"],
  ])("sends no request to %s", async (url, text) => {
    const { fetch, asked } = guarded([]);
    const failure: unknown = await fetch(url).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "config", message: expect.stringContaining(text) });
    expect(String(failure)).not.toContain("hunter2");
    expect(asked).toEqual([]);
  });

  it("reads a bounded part of an error body, and cancels the rest", async () => {
    const cancel = vi.fn();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(120));
      },
      cancel,
    });
    await expect(guarded([new Response(body, { status: 500 })]).fetch(URL_OF_API)).rejects.toMatchObject({
      status: 500,
    });
    expect(sent).toBeLessThan(200_000);
    expect(cancel).toHaveBeenCalled();
  });

  it("cancels an endless error body when the request is aborted", async () => {
    const controller = new AbortController();
    const cancel = vi.fn();
    const body = new ReadableStream<Uint8Array>({ cancel });
    const { fetch } = guarded([new Response(body, { status: 500 })], controller.signal);
    const failure = fetch(URL_OF_API).catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await failure;
    expect(cancel).toHaveBeenCalled();
  });

  it("quotes the part of an error body that arrived before the connection failed", async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (pulls++ === 0) controller.enqueue(new TextEncoder().encode("the database is"));
        else controller.error(new Error("reset"));
      },
    });
    await expect(guarded([new Response(body, { status: 500 })]).fetch(URL_OF_API)).rejects.toThrow(
      "500 the database is",
    );
  });
});

describe("describeNetworkError", () => {
  it("includes the cause that undici omits, or its code if it has no message", () => {
    const cause = Object.assign(new Error(""), { code: "ECONNREFUSED" });
    expect(describeNetworkError(new TypeError("fetch failed", { cause }))).toBe("fetch failed: ECONNREFUSED");
    expect(describeNetworkError(new TypeError("terminated", { cause: new Error("other side closed") }))).toBe(
      "terminated: other side closed",
    );
    expect(describeNetworkError(new Error("plain"))).toBe("plain");
    expect(describeNetworkError("text")).toBe("The connection failed");
  });
});
