import { describe, expect, it } from "vitest";
import type { SendContext, WireRequest } from "../transport/wire-request.js";
import { sendThroughAnthropic } from "./anthropic.js";
import { sendThroughGoogle } from "./google.js";
import { sendThroughOpenAI } from "./openai.js";
import { sendPrepared } from "./prepared-request.js";

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
