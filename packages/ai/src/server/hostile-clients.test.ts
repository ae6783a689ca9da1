import fc from "fast-check";
import {
  AssistantMessageEventStream,
  fauxAssistantMessage,
  getModels,
  getProviders,
  type Model,
  streamSimple,
} from "pi-ai";
import { type ApiAdapter, createApiProvider, toWireResponse } from "pi-ai/adapter";
import { createProxyHandler } from "pi-ai/proxy-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import { END, plainAdapter, sse } from "../../test/support/plain-adapter.js";
import { BODY, eventsOf, KEY, MODEL, post, refusal, type Setup, setUp, TOKEN } from "../../test/support/proxy-setup.js";

const RUNS = budget({ quick: 100, all: 400 });

afterEach(() => vi.restoreAllMocks());

describe("a token", () => {
  it("is compared with the digest of every known token, valid or not", async () => {
    const tokens = ["first-token", TOKEN, "third-token"];
    const digest = vi.spyOn(crypto.subtle, "digest");
    const { handler } = setUp({ authorize: tokens });
    const compared: string[][] = [];
    for (const token of ["first-token", "third-token", "first-tokex", "x"]) {
      digest.mockClear();
      const response = await handler(post(BODY, { headers: { authorization: `Bearer ${token}` } }));
      await response.body?.cancel();
      compared.push(digest.mock.calls.map(([, bytes]) => new TextDecoder().decode(bytes as Uint8Array)));
    }
    expect(compared.map(([, ...known]) => known)).toEqual([tokens, tokens, tokens, tokens]);
  });
});

describe("a large body", () => {
  it.each([
    [1_000_000, [2, 1]],
    [1000, [0, 0]],
  ])("of %d characters gives others %j turns between its steps", async (length, expected) => {
    let turns = 0;
    let isOver = false;
    const seen: number[] = [];
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    const { handler } = setUp({
      limits: { maxInputTokens: 1e9 },
      allowModels: () => {
        seen.push(turns);
        return true;
      },
      streamFn: async (model, _context, { onPayload }) => {
        seen.push(turns);
        await onPayload?.({}, model);
        seen.push(turns);
        throw new Error("Enough");
      },
    });
    const messages = [{ role: "user", content: "x".repeat(length), timestamp: 1 }];
    setImmediate(count);
    await (await handler(post({ ...BODY, context: { messages } }))).text();
    isOver = true;
    const [checked = 0, built = 0, written = 0] = seen;
    expect([built - checked, written - built]).toEqual(expected);
  });
});

describe("a client that disconnects", () => {
  it("before the provider's request prevents it", async () => {
    const controller = new AbortController();
    const { handler, requests, usages } = setUp({
      getApiKey: () => {
        controller.abort();
        return KEY;
      },
    });
    expect((await handler(post(BODY, { signal: controller.signal }))).status).toBe(499);
    expect([requests, usages]).toEqual([[], []]);
  });

  it("aborts a stream function that is still starting", async () => {
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const { handler } = setUp({
      streamFn: (_model, _context, options) => {
        signal = options.signal;
        return new Promise(() => {});
      },
    });
    void handler(post(BODY, { signal: controller.signal }));
    await eventually(() => expect(signal).toBeDefined());
    controller.abort();
    expect(signal?.aborted).toBe(true);
  });
});

describe("a file at an address", () => {
  const send = async (url: string) => {
    const { handler } = setUp({});
    const content = [{ type: "file", mimeType: "application/pdf", url }];
    const response = await handler(post({ ...BODY, context: { messages: [{ role: "user", content, timestamp: 1 }] } }));
    await response.body?.cancel();
    return response.status;
  };

  it("is taken only from the web: the server's own accounts may read other addresses", async () => {
    expect(await send("https://a.example/a.pdf")).toBe(200);
    for (const url of ["s3://bucket/a.pdf", "gs://bucket/a.pdf", "file:///etc/passwd", " https://a.example", ""])
      expect(await send(url)).toBe(400);
  });
});

describe("an error", () => {
  it("contains only known fields", async () => {
    const error = { kind: "server", status: 500, cause: { path: "/srv/secret" }, stack: "at /srv/secret" };
    const message = {
      role: "assistant",
      content: [],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
      stopReason: "error",
      errorMessage: "no",
      error,
      diagnostics: [{ type: "x", timestamp: 1, error: { message: `no socket for ${KEY}`, stack: "at /srv/secret" } }],
    };
    const stream = new AssistantMessageEventStream();
    stream.push({ type: "error", reason: "error", error: message as never }); // fields that the types exclude
    const { handler } = setUp({ streamFn: () => stream });
    const events = await eventsOf(await handler(post()));
    expect(events).toMatchObject([
      {
        type: "error",
        error: { kind: "server", status: 500 },
        diagnostics: [{ type: "x", error: { message: "no socket for [redacted]" } }],
      },
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it("in a diagnostic shows neither a key nor a stack", async () => {
    const adapter: ApiAdapter = {
      ...plainAdapter,
      send: async (_request, _call, io) => {
        io.note("provider_transport_failure", { fallback: true }, new Error(`no socket for ${KEY}`));
        return toWireResponse(new Response(sse({ text: "Hello" }) + END), "sse");
      },
    };
    const { handler } = setUp({ streamFn: createApiProvider(adapter).streamSimple });
    const events = await eventsOf(await handler(post()));
    expect(events.at(-1)).toMatchObject({
      type: "done",
      diagnostics: [
        {
          type: "provider_transport_failure",
          error: { message: "no socket for [redacted]" },
          details: { fallback: true },
        },
      ],
    });
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${KEY}|"stack"`));
  });

  it("of a response that cannot be encoded ends the request, and its usage is reported", async () => {
    const stream = new AssistantMessageEventStream();
    const toolCall = { type: "toolCall", id: "c", name: "t", arguments: { huge: 1n } };
    const partial = { role: "assistant", content: [toolCall], usage: { totalTokens: 0 } };
    stream.push({ type: "toolcall_end", contentIndex: 0, toolCall, partial } as never); // JSON has no such numbers
    let signal: AbortSignal | undefined;
    const { handler, usages } = setUp({
      streamFn: (_model, _context, options) => {
        signal = options.signal;
        signal?.addEventListener("abort", () => stream.end());
        return stream;
      },
    });
    await expect((await handler(post())).text()).rejects.toThrow("BigInt");
    expect(signal?.aborted).toBe(true);
    await eventually(() => expect(usages).toHaveLength(1));
  });

  it("about a URL with a password does not show the password", async () => {
    for (const api of ["anthropic-messages", "openai-completions", "google-generative-ai", "mistral-conversations"]) {
      const model: Model = { ...MODEL, api, baseUrl: "http://user:pass-word-1@127.0.0.1:9/v1" };
      const { handler } = setUp({
        getModel: () => model,
        streamFn: (asked, context, options) => streamSimple(asked, context, { ...options, maxRetries: 0 }),
      });
      const text = await (await handler(post())).text();
      expect(text).toContain('"type":"error"');
      expect(text).not.toContain("pass-word-1");
    }
  });
});

describe("a failure that names the operator's network", () => {
  const failing = (error: Error): NonNullable<Setup["streamFn"]> => {
    const provider = createApiProvider(plainAdapter);
    return (model, context, options) =>
      provider.streamSimple(model, context, { ...options, maxRetries: 0, fetch: () => Promise.reject(error) });
  };
  const caused = (text: string): Error => new TypeError("fetch failed", { cause: new Error(text) });

  it.each([
    "getaddrinfo ENOTFOUND llm.internal.corp-9.example",
    "connect ECONNREFUSED 10.7.3.2:8443",
    "connect ECONNREFUSED ::1:8443",
    "connect ETIMEDOUT llm-9:8443",
    "Hostname/IP does not match certificate's altnames: Host: llm-9. is not in the cert's altnames: DNS:llm-8",
    "EACCES /srv/secret.pem",
  ])("reaches the operator only: %s", async (text) => {
    const errors: unknown[] = [];
    const { handler, usages } = setUp({ streamFn: failing(caused(text)), onError: (error) => errors.push(error) });
    const response = await (await handler(post())).text();
    expect(response).toContain(
      '"errorMessage":"The connection to the model\'s server failed","error":{"kind":"network"',
    );
    for (const word of text.split(" ").filter((each) => /\d|secret/.test(each))) expect(response).not.toContain(word);
    expect(errors.map(String)).toEqual([expect.stringContaining(text)]);
    expect(usages).toMatchObject([{ message: { errorMessage: expect.stringContaining(text) } }]);
  });

  const failure = (errorMessage: string, error: object, more: object = {}): NonNullable<Setup["streamFn"]> => {
    const message = fauxAssistantMessage([], { stopReason: "error", errorMessage });
    const stream = new AssistantMessageEventStream();
    stream.push({ type: "error", reason: "error", error: { ...message, ...more, error: error as never } });
    return () => stream;
  };

  it.each([
    ["timeout", "Nothing arrived for 5 ms from http://llm-9:8443", "The model's server did not respond in time"],
    ["unknown", "Cannot read '/srv/secrets/llm-9.pem': EACCES", "Cannot read '[path]': EACCES"],
  ])("has the kind %s", async (kind, text, sentence) => {
    const errors: unknown[] = [];
    const { handler } = setUp({ streamFn: failure(text, { kind }), onError: (error) => errors.push(error) });
    expect(await eventsOf(await handler(post()))).toMatchObject([
      { type: "error", errorMessage: sentence, error: { kind } },
    ]);
    expect(errors).toMatchObject([{ kind, message: text }]);
  });

  it("is cleaned, if it is the provider's answer", async () => {
    const errors: unknown[] = [];
    const model: Model = { ...MODEL, baseUrl: "https://gateway.acme.example:8443/v1" };
    const text =
      "404 no such model (asked: https://gateway.acme.example:8443/v1/chat; see https://docs.example/a). upstream 10.7.3.2:80, " +
      "http://llm-9:1/x, ws://[::1]:7/, llm.internal:99, gateway.acme.example, localhost:3, [fe80::1]:4";
    const error = {
      name: "NetworkError",
      message: "WebSocket error: getaddrinfo ENOTFOUND llm-9.example",
      code: "ENOTFOUND",
    };
    const diagnostics = [{ type: "provider_transport_failure", timestamp: 1, error }];
    const { handler } = setUp({
      getModel: () => model,
      streamFn: failure(text, { kind: "not_found", status: 404 }, { diagnostics }),
      onError: (problem) => errors.push(problem),
    });
    expect(await eventsOf(await handler(post()))).toMatchObject([
      {
        type: "error",
        errorMessage:
          "404 no such model (asked: [address] see https://docs.example/a). upstream [address], " +
          "[address] [address] [address], [address], [address], [address]",
        error: { kind: "not_found", status: 404 },
        diagnostics: [{ error: { message: "WebSocket error: getaddrinfo ENOTFOUND" } }],
      },
    ]);
    expect(errors).toMatchObject([{ kind: "not_found", message: text }]);
  });
});

/** Any value. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom("__proto__", "constructor", -1, 1e308, "", "\u0000", "\ud800", { type: "text" }, [[]], null),
);
/** Sometimes a wrong value. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 60, arbitrary: right }, { weight: 1, arbitrary: anything });
const text = mostly(fc.string({ unit: "binary" }));
const content = fc.array(
  mostly(
    fc.oneof(
      fc.record({ type: fc.constant("text"), text, textSignature: text }, { requiredKeys: ["type", "text"] }),
      fc.record({
        type: fc.constant("thinking"),
        thinking: text,
        thinkingSignature: text,
        redacted: mostly(fc.boolean()),
      }),
      fc.record({
        type: fc.constant("toolCall"),
        id: text,
        name: text,
        arguments: mostly(fc.dictionary(fc.string(), anything)),
        thoughtSignature: text,
      }),
    ),
  ),
  { maxLength: 3 },
);
const shown = fc.array(
  mostly(fc.record({ type: fc.constantFrom("text", "image"), text, data: text, mimeType: text })),
  {
    maxLength: 3,
  },
);
const message = fc.oneof(
  fc.record({ role: fc.constant("user"), content: fc.oneof(text, shown), timestamp: fc.nat() }),
  fc.record({
    role: fc.constant("assistant"),
    content,
    api: fc.constantFrom("anthropic-messages", "openai-responses", "x"),
    provider: fc.constantFrom("anthropic", "openai", "x"),
    model: fc.constantFrom("claude-sonnet-4-5", "m"),
    stopReason: fc.constantFrom("stop", "toolUse", "error", "aborted", "x"),
    usage: anything,
    diagnostics: anything,
    errorMessage: anything,
    timestamp: fc.nat(),
  }),
  fc.record({
    role: fc.constant("toolResult"),
    toolCallId: text,
    toolName: text,
    content: shown,
    details: anything,
    isError: mostly(fc.boolean()),
    timestamp: fc.nat(),
  }),
);
const options = fc.record(
  {
    temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
    maxTokens: mostly(fc.nat({ max: 1e6 }).map((count) => count + 1)),
    reasoning: mostly(fc.constantFrom("low", "max")),
    metadata: fc.dictionary(fc.string(), anything),
    toolChoice: fc.oneof(fc.constantFrom("auto", "required"), text, fc.dictionary(fc.string(), anything)),
    thinkingBudgets: fc.dictionary(fc.constantFrom("low", "max", "x"), mostly(fc.nat())),
    sessionId: mostly(fc.constant("s-1")),
    headers: fc.dictionary(fc.string(), text),
    cacheRetention: mostly(fc.constantFrom("none", "long")),
    transport: mostly(fc.constantFrom("sse", "auto")),
  },
  { requiredKeys: [] },
);
const tools = fc.array(
  fc.record({
    name: mostly(fc.string({ minLength: 1 })),
    description: text,
    parameters: mostly(fc.dictionary(fc.string(), anything)),
  }),
  { maxLength: 2 },
);

it("every request is rejected with 400 or receives a complete response, on every api", async () => {
  const models = new Map(getProviders().flatMap((name) => getModels(name).map((model) => [model.api, model] as const)));
  const faults: unknown[] = [];
  const handler = createProxyHandler({
    authorize: TOKEN,
    allowModels: () => true,
    getModel: (_, id) => models.get(id),
    getApiKey: () => KEY,
    streamFn: (model, context, given) =>
      streamSimple(model, context, { ...given, maxRetries: 0, fetch: async () => new Response("no", { status: 400 }) }),
    onError: (error) => faults.push(error),
  });
  const seen = { refused: 0, completed: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...models.keys()),
      fc.array(message, { maxLength: 4 }),
      options,
      tools,
      async (id, messages, given, known) => {
        const response = await handler(
          post({ model: { provider: "p", id }, context: { messages, tools: known }, options: given }),
        );
        if (response.status === 400) {
          expect(await refusal(response)).toEqual([400, expect.stringMatching(/^(?:context|options)\./)]);
          seen.refused++;
          return;
        }
        const events = await eventsOf(response);
        expect([response.status, events.at(-1)?.["type"], faults]).toEqual([200, "error", []]);
        // An error of our own code would have such a text.
        expect(String(events.at(-1)?.["errorMessage"])).not.toMatch(
          /undefined|not a function|not iterable|cannot read/i,
        );
        seen.completed++;
      },
    ),
    { numRuns: RUNS, seed: 7 },
  );
  expect({}).not.toHaveProperty("polluted");
  expect(Math.min(seen.refused, seen.completed)).toBeGreaterThan(RUNS / 8);
});
