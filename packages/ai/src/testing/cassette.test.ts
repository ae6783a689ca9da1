import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { registerBuiltInApiProviders } from "../providers/register-builtins.js";
import { mcpServerTool } from "../request/server-tools/create-server-tools.js";
import { complete } from "../stream.js";
import type { Model } from "../types/model.js";
import { decodeChunk, parseCassette } from "./cassette.js";
import { record } from "./record.js";
import { replay } from "./replay.js";

registerBuiltInApiProviders();

const KEY = "sk-planted-canary-0123456789";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const ANSWER = [
  event("message_start", { message: { id: "msg_1", usage: { input_tokens: 3, output_tokens: 1 } } }),
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Grüße 🌍" } }),
  event("content_block_stop", { index: 0 }),
  event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }),
  event("message_stop", {}),
].join("");

/** Serves the response in two pieces, split inside a character. */
async function serve(status = 200, body: Buffer = Buffer.from(ANSWER)): Promise<Model> {
  const cut = body.indexOf(Buffer.from("🌍")) + 2;
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      response.writeHead(status, { "content-type": "text/event-stream", "set-cookie": `session=${KEY}` });
      response.write(body.subarray(0, cut), () => setImmediate(() => response.end(body.subarray(cut))));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return modelAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

function modelAt(baseUrl: string): Model {
  const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  return {
    id: "claude",
    name: "Claude",
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost,
    contextWindow: 1000,
    maxTokens: 100,
  };
}

const context = (text: string) => ({ messages: [{ role: "user" as const, content: text, timestamp: 1 }] });

async function recordResponse(
  model: Model,
): Promise<{ cassette: string; response: Awaited<ReturnType<typeof complete>> }> {
  const lines: string[] = [];
  const response = await complete(model, context("Hello"), {
    apiKey: KEY,
    fetch: record({ onLine: (line) => lines.push(line) }),
  });
  return { cassette: lines.join("\n"), response };
}

describe("a cassette", () => {
  it("replays the response that it recorded, through the real SDK, without a network", async () => {
    const { cassette, response } = await recordResponse(await serve());
    const fetch = replay(cassette);
    const again = await complete(modelAt("http://recorded.invalid"), context("Hello"), {
      apiKey: "another-key",
      fetch,
    });
    expect({ ...again, timestamp: 0 }).toEqual({ ...response, timestamp: 0 });
    expect(again.content).toEqual([{ type: "text", text: "Grüße 🌍" }]);
    fetch.assertDone();
  });

  it("keeps a piece that ends inside a character", async () => {
    const bytes = new TextEncoder().encode("a🌍b");
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(bytes.subarray(0, 3));
        controller.enqueue(bytes.subarray(3));
        controller.close();
      },
    });
    const lines: string[] = [];
    const recorder = record({ onLine: (line) => lines.push(line), fetch: async () => new Response(body) });
    await (await recorder("http://recorded.invalid/", { method: "POST", body: "{}" })).text();
    expect(parseCassette(lines.join("\n"))[0]?.chunks.map((chunk) => "base64" in chunk)).toEqual([true, true]);
    const replayed = await replay(lines.join("\n"))("http://recorded.invalid/", { method: "POST", body: "{}" });
    expect(await replayed.text()).toBe("a🌍b");
  });

  it("replays sources and server tools, without the token of an MCP server", async () => {
    const token = "mcp-planted-canary-0123456789";
    const use = { type: "mcp_tool_use", id: "mcptoolu_1", name: "find", server_name: "docs", input: {} };
    const content = [{ type: "text", text: `signed in with ${token}` }];
    const result = { type: "mcp_tool_result", tool_use_id: use.id, is_error: false, content };
    const page = {
      type: "web_search_result_location",
      url: "https://example.com",
      cited_text: "A",
      encrypted_index: "Eo",
    };
    const blocks = [use, result, { type: "text", text: "A.", citations: [page] }].flatMap((content_block, index) => [
      event("content_block_start", { index, content_block }),
      event("content_block_stop", { index }),
    ]);
    const body = ANSWER.replace(/event: content_block_start[\s\S]*(?=event: message_delta)/, blocks.join(""));
    const lines: string[] = [];
    const headers = { "content-type": "text/event-stream" };
    const send = record({ onLine: (line) => lines.push(line), fetch: async () => new Response(body, { headers }) });
    const server = mcpServerTool({ name: "docs", url: "https://mcp.test", authorizationToken: token });
    const ask = (fetch: typeof globalThis.fetch) =>
      complete(modelAt("http://recorded.invalid"), { ...context("Hello"), tools: [server] }, { apiKey: KEY, fetch });
    const response = await ask(send);
    expect(response.content).toMatchObject([
      { type: "serverTool", name: "mcp__docs__find", status: "done", output: { text: expect.any(String) } },
      { type: "text", citations: [{ url: "https://example.com", quote: "A", signature: JSON.stringify(page) }] },
    ]);
    expect(lines.join("\n")).not.toContain(token);
    const again = await ask(replay(lines.join("\n")));
    expect(again.errorMessage).toBeUndefined();
    const hidden = JSON.stringify(response.content).replaceAll(token, "[redacted]");
    expect(JSON.stringify(again.content)).toBe(hidden);
  });

  it("contains no credential, even if the provider echoes it", async () => {
    const model = await serve(
      401,
      Buffer.from(
        JSON.stringify({
          type: "error",
          error: { type: "authentication_error", message: `invalid x-api-key ${KEY} 🌍` },
        }),
      ),
    );
    const { cassette, response } = await recordResponse(model);
    expect(response.errorMessage).toContain("invalid x-api-key");
    const [exchange] = parseCassette(cassette);
    // A piece that ends inside a character is recorded in base64.
    const played = Buffer.concat((exchange?.chunks ?? []).map(decodeChunk)).toString();
    for (const text of [cassette, played]) expect(text).not.toContain(KEY);
    expect(cassette).not.toContain("cookie");
    expect(played).toContain("[redacted]");
  });

  it.each([
    [
      "is split over pieces",
      "hunter2-hunter2",
      (secret: string) => [...Buffer.from(`a ${secret} b`)].map((byte) => [byte]),
    ],
    [
      "is surrounded by bytes that are not UTF-8",
      "hunter2-hunter2",
      (secret: string) => [[0xff, ...Buffer.from(secret), 0xfe]],
    ],
    [
      "is split among such bytes",
      "hunter2-hunter2",
      (secret: string) => [
        [0xff, ...Buffer.from(secret.slice(0, 5))],
        [...Buffer.from(secret.slice(5)), 0xfe],
      ],
    ],
    ["holds quotes", 'hunt"er"2\\x', (secret: string) => [[...Buffer.from(JSON.stringify({ secret }))]]],
    [
      "contains line breaks",
      "hunter\n2-hunter",
      (secret: string) => [[...Buffer.from(JSON.stringify({ secret }))], [...Buffer.from(secret)]],
    ],
    [
      "is encoded and split",
      "hunter2/hunter2",
      (secret: string) => [[...Buffer.from("hunter2%2")], [...Buffer.from("Fhunter2")], [...Buffer.from(btoa(secret))]],
    ],
  ] satisfies [string, string, (secret: string) => number[][]][])(
    "removes a secret that %s",
    async (_, secret, pieces) => {
      const lines: string[] = [];
      const body = new ReadableStream({
        start: (controller) => {
          for (const piece of pieces(secret)) controller.enqueue(Uint8Array.from(piece));
          controller.close();
        },
      });
      const fetch = record({
        onLine: (line) => lines.push(line),
        secrets: [secret],
        fetch: async () => new Response(body, { headers: { "request-id": secret.replace("\n", "%0A") } }),
      });
      const sent = JSON.stringify({ [secret]: [secret] });
      const response = await fetch(`http://x.test/${encodeURIComponent(secret)}`, { method: "POST", body: sent });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(pieces(secret).flat()));
      const [exchange] = parseCassette(lines.join("\n"));
      const played = Buffer.concat((exchange?.chunks ?? []).map(decodeChunk)).toString("latin1");
      expect(exchange?.chunks).toHaveLength(pieces(secret).length);
      expect(`${lines.join("\n")} ${played}`).not.toMatch(/hunt(?!\w*redacted)/);
      expect(played).toContain("[redacted]");
      expect(exchange?.request.body).toEqual({ "[redacted]": ["[redacted]"] });
    },
  );

  it("removes the values of the caller's own headers from what the server sends, and keeps the request unchanged", async () => {
    const lines: string[] = [];
    const fetch = record({
      onLine: (line) => lines.push(line),
      fetch: async () => new Response('{"echo":"hunter2-hunter2"}'),
    });
    const body = '{"session":"hunter2-hunter2"}';
    await (await fetch("http://x.test/", { method: "POST", body, headers: { "x-gate": "hunter2-hunter2" } })).text();
    const [exchange] = parseCassette(lines.join("\n"));
    expect(exchange?.request.body).toEqual({ session: "hunter2-hunter2" });
    expect(JSON.stringify(exchange?.chunks)).not.toContain("hunter2");
  });

  it("writes each piece at once if no secret is pending", async () => {
    const lines: string[] = [];
    let send: ((text: string) => void) | undefined;
    const body = new ReadableStream({
      start: (controller) => {
        send = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
    });
    const fetch = record({ onLine: (line) => lines.push(line), secrets: [KEY], fetch: async () => new Response(body) });
    const reader = (await fetch("http://x.test/")).body!.getReader();
    for (const [text, count] of [
      ["data: 1\n\n", 3],
      [`a ${KEY.slice(0, 9)}`, 3],
      ["other", 5],
    ] as const) {
      send?.(text);
      await reader.read();
      expect(lines).toHaveLength(count);
    }
  });

  it("rejects a request that differs, and shows where", async () => {
    const { cassette } = await recordResponse(await serve());
    const response = await complete(modelAt("http://recorded.invalid"), context("Goodbye"), {
      apiKey: KEY,
      maxRetries: 0,
      fetch: replay(cassette),
    });
    expect(response.errorMessage).toContain('body.messages.0.content.0.text: expected "Hello", got "Goodbye"');
  });

  it("compares only what a function keeps of the bodies", async () => {
    const { cassette } = await recordResponse(await serve());
    const fetch = replay(cassette, { strict: (body) => ({ ...(body as object), messages: [] }) });
    const response = await complete(modelAt("http://recorded.invalid"), context("Goodbye"), { apiKey: KEY, fetch });
    expect(response.stopReason).toBe("stop");
  });

  it("reports extra requests and unused exchanges", async () => {
    const { cassette } = await recordResponse(await serve());
    const fetch = replay(cassette);
    expect(() => fetch.assertDone()).toThrow(/1 recorded exchanges were never requested:\nPOST http:.*\/v1\/messages/);
    await complete(modelAt("http://recorded.invalid"), context("Hello"), { apiKey: KEY, fetch });
    const extra = await complete(modelAt("http://recorded.invalid"), context("Hello"), {
      apiKey: KEY,
      maxRetries: 0,
      fetch,
    });
    expect(extra.errorMessage).toContain("The cassette has 1 exchanges, and this is request 2");
  });

  it("plays at the recorded pace if asked to", async () => {
    vi.useFakeTimers();
    try {
      const lines = [
        { type: "request", exchange: 0, method: "POST", url: "http://x/v1/messages", headers: {}, body: {} },
        { type: "response", exchange: 0, at: 10, status: 200, headers: {} },
        { type: "chunk", exchange: 0, at: 1010, text: "one" },
        { type: "chunk", exchange: 0, at: 3010, text: "two" },
        { type: "end", exchange: 0, at: 3010 },
      ];
      const fetch = replay(lines.map((line) => JSON.stringify(line)).join("\n"), { pace: "recorded", strict: false });
      const reader = (await fetch("http://x/v1/messages", { method: "POST" })).body!.getReader();
      const arrived: string[] = [];
      const reading = (async () => {
        for (let next = await reader.read(); !next.done; next = await reader.read())
          arrived.push(new TextDecoder().decode(next.value));
      })();
      await vi.advanceTimersByTimeAsync(999);
      expect(arrived).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(arrived).toEqual(["one"]);
      await vi.advanceTimersByTimeAsync(2000);
      await reading;
      expect(arrived).toEqual(["one", "two"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("names the malformed line", () => {
    expect(() => replay('{"type":"request","exchange":0}\n{"type":')).toThrow("Line 2 of the cassette is not JSON");
  });
});

it.each(["sig", "code", "subscription-key", "x-custom", "sessionid", "x-words"])(
  "keeps the query parameter %s out",
  async (name) => {
    const secret = name === "x-words" ? "canary-of-many-words" : "canary-0123456789abcdef";
    const lines: string[] = [];
    const body = JSON.stringify({ echo: secret });
    const send = record({ onLine: (line) => lines.push(line), fetch: async () => new Response(body) });
    const url = `http://recorded.invalid/v1?alt=sse&api-version=2024-10-21&${name}=${secret}`;
    await (await send(url, { method: "POST", body: "{}" })).text();
    const cassette = lines.join("\n");
    expect(cassette).not.toContain(secret);
    expect(cassette).toContain("alt=sse&api-version=2024-10-21");
    const replayed = await replay(cassette)(url, { method: "POST", body: "{}" });
    expect(replayed.status).toBe(200);
  },
);

it("keeps the secrets of a login out, and those that the server answers with", async () => {
  const lines: string[] = [];
  const answer = {
    ...{ access_token: "access-canary-1", refresh_token: "refresh-canary-1", id_token: "id-canary-1" },
    ...{ token_type: "bearer", expires_in: 3600, scope: "openid" },
  };
  const fetch = record({ onLine: (line) => lines.push(line), fetch: async () => Response.json(answer) });
  const sent = { code: "code-canary-1", code_verifier: "verifier-canary-1", client_secret: "client-canary-1" };
  const body = new URLSearchParams({ grant_type: "authorization_code", client_id: "my-product", ...sent });
  const response = await fetch("https://login.test/token", { method: "POST", body });
  expect(await response.json()).toEqual(answer);
  const cassette = lines.join("\n");
  expect(cassette).not.toContain("canary");
  expect(cassette).toContain("grant_type=authorization_code&client_id=my-product");
  expect(cassette).toContain("bearer");
});

it("hides the keys of an address, and the password of a proxy, in an error", async () => {
  vi.stubEnv("HTTPS_PROXY", "http://app:proxy%2Dpassword-1@proxy.test:8080");
  const quoting = (async (url: string | URL | Request) =>
    new Response(`denied ${String(url)} proxy-password-1 YXBwOnByb3h5LXBhc3N3b3JkLTE=`, {
      status: 403,
    })) as typeof fetch;
  const response = await complete(modelAt("http://recorded.invalid/?sig=canary-0123456789"), context("Hello"), {
    apiKey: KEY,
    fetch: quoting,
  });
  vi.unstubAllEnvs();
  expect(response.errorMessage).toContain("denied");
  expect(JSON.stringify(response)).not.toMatch(/canary-0123456789|proxy-password-1|YXBwOnByb3h5/);
  const broken = await complete(modelAt("nowhere?key=canary-0123456789"), context("Hello"), { apiKey: KEY });
  expect(JSON.stringify(broken)).not.toContain("canary-0123456789");
});
