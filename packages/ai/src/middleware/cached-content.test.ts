import { Type } from "@sinclair/typebox";
import { type Context, type Message, type Model, type StreamFn, streamSimple } from "pi-ai";
import {
  type CachedContent,
  createCachedContent,
  deleteCachedContent,
  refreshCachedContent,
  withCachedContent,
} from "pi-ai/cached-content";
import { afterEach, describe, expect, it, vi } from "vitest";
import { catalogueModel } from "../../test/handoff/catalogue-model.js";

const GEMINI = catalogueModel("google", "gemini-2.5-flash");
const VERTEX = catalogueModel("google-vertex", "gemini-2.5-flash");
const EXPIRES = "2026-11-22T12:00:00Z";
const NOW = Date.parse(EXPIRES) - 1000;

const user = (content: string): Message => ({ role: "user", content, timestamp: 1 });
const context: Context = {
  systemPrompt: "You know the book.",
  messages: [user("The whole book")],
  tools: [{ name: "read", description: "Reads a page", parameters: Type.Object({ page: Type.Number() }) }],
};
const question: Context = { ...context, messages: [...context.messages, user("Who wrote it?")] };

interface Seen {
  url: string;
  method: string | undefined;
  body: Record<string, unknown>;
  headers: Headers;
}

/** Google's server of cached contents. It rejects model requests. */
function server(response: object = {}, status = 200) {
  const seen: Seen[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = init?.body ? JSON.parse(String(init.body)) : {};
    seen.push({ url, method: init?.method, body, headers: new Headers(init?.headers) });
    const cached = { name: "cachedContents/abc", expireTime: EXPIRES, usageMetadata: { totalTokenCount: 4321 } };
    const isModel = url.includes(":streamGenerateContent");
    return new Response(JSON.stringify({ ...cached, ...response }), { status: isModel ? 400 : status });
  };
  return { seen, options: { apiKey: "the-key", fetch, maxRetries: 0 } };
}

afterEach(() => vi.unstubAllEnvs());

describe("a cached content", () => {
  it("holds system prompt, tools and messages", async () => {
    const { seen, options } = server();
    const cached = await createCachedContent(GEMINI, context, { ...options, ttlMs: 600_000 });
    expect(cached).toEqual({
      name: "cachedContents/abc",
      model: { provider: "google", api: "google-generative-ai", id: GEMINI.id },
      expiresAt: Date.parse(EXPIRES),
      tokens: 4321,
      prefix: { instructions: expect.stringMatching(/^[0-9a-f]{64}$/), length: 1, contents: expect.any(String) },
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      url: "https://generativelanguage.googleapis.com/v1beta/cachedContents",
      method: "POST",
      body: {
        model: `models/${GEMINI.id}`,
        ttl: "600s",
        contents: [{ role: "user", parts: [{ text: "The whole book" }] }],
        systemInstruction: { parts: [{ text: "You know the book." }] },
        tools: [{ functionDeclarations: [{ name: "read" }] }],
      },
    });
    expect(seen[0]?.headers.get("x-goog-api-key")).toBe("the-key");
    expect(seen[0]?.body).not.toHaveProperty("generationConfig");
    expect(JSON.stringify(cached)).not.toContain("book");
  });

  it("belongs to a project on Vertex AI", async () => {
    vi.stubEnv("GOOGLE_CLOUD_PROJECT", "my-project");
    vi.stubEnv("GOOGLE_CLOUD_LOCATION", "us-central1");
    const name = "projects/1/locations/us-central1/cachedContents/9";
    const { seen, options } = server({ name });
    const own = { ...options, apiKey: "gcp-vertex-credentials", headers: { authorization: "Bearer token" } };
    const cached = await createCachedContent(VERTEX, context, own);
    expect(new URL(seen[0]?.url ?? "").pathname).toMatch(
      /^\/v1(beta1)?\/projects\/my-project\/locations\/us-central1\/cachedContents$/,
    );
    expect(seen[0]?.body["model"]).toBe(
      `projects/my-project/locations/us-central1/publishers/google/models/${VERTEX.id}`,
    );
    await deleteCachedContent(VERTEX, cached, own);
    expect(seen[1]).toMatchObject({ method: "DELETE", url: expect.stringContaining(name) });
    await expect(createCachedContent(VERTEX, context, options)).rejects.toThrow("require a project and a location");
  });

  it("is refreshed and deleted by its name", async () => {
    const { seen, options } = server();
    const cached = await createCachedContent(GEMINI, context, options);
    const later = await refreshCachedContent(GEMINI, { ...cached, expiresAt: 0 }, { ...options, ttlMs: 1500 });
    await deleteCachedContent(GEMINI, cached, options);
    expect(later).toEqual(cached);
    expect(seen.slice(1)).toMatchObject([
      {
        method: "PATCH",
        url: expect.stringMatching(/\/v1beta\/cachedContents\/abc\?updateMask=ttl$/),
        body: { ttl: "2s" },
      },
      { method: "DELETE", url: expect.stringMatching(/\/v1beta\/cachedContents\/abc$/), body: {} },
    ]);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      "of another api",
      () => createCachedContent(catalogueModel("anthropic", "claude-opus-4-6"), context, { apiKey: "k" }),
      "The api anthropic-messages does not support cached contents.",
    ],
    [
      "of Gemini 4, which has none",
      () => createCachedContent(catalogueModel("google", "gemini-4-hydrogen"), context, { apiKey: "k" }),
      "The model gemini-4-hydrogen does not support cached contents; Google caches its prompts by itself.",
    ],
    [
      "that is too small",
      () =>
        createCachedContent(
          GEMINI,
          context,
          server({ error: { message: "Cached content is too small" } }, 400).options,
        ),
      "Cached content is too small",
    ],
    [
      "whose name would change the path",
      () => createCachedContent(GEMINI, context, server({ name: "cachedContents/../../x" }).options),
      "The name of the cached content is not valid",
    ],
    [
      "without facts",
      () => createCachedContent(GEMINI, context, server({ expireTime: null }).options),
      "no cached content",
    ],
  ])("%s is an error", async (_name, create, words) => {
    await expect(create()).rejects.toThrow(words);
  });
});

describe("requests with a cached content", () => {
  async function ask(asked: Context, model: Model = GEMINI, more: object = {}, change: Partial<CachedContent> = {}) {
    const { seen, options } = server();
    const cached: CachedContent = { ...(await createCachedContent(GEMINI, context, options)), ...change };
    // It may have been stored.
    const stored: CachedContent = JSON.parse(JSON.stringify(cached));
    const misses: string[] = [];
    const streamFn = withCachedContent(streamSimple, () => stored, {
      onMiss: (reason) => misses.push(reason),
      now: () => NOW,
    });
    await streamFn(model, asked, { ...options, ...more }).result();
    return { body: seen.at(-1)?.body ?? {}, misses };
  }

  it("send its name and what follows it, and nothing of it again", async () => {
    const { body, misses } = await ask(question);
    expect(body).toMatchObject({
      cachedContent: "cachedContents/abc",
      contents: [{ role: "user", parts: [{ text: "Who wrote it?" }] }],
    });
    for (const field of ["systemInstruction", "tools", "toolConfig"]) expect(body).not.toHaveProperty(field);
    expect(body).toHaveProperty("generationConfig");
    expect(misses).toEqual([]);
  });

  it("keep the caller's changes of the payload", async () => {
    const onPayload = (payload: unknown) => ({ ...Object(payload), safetySettings: [] });
    expect((await ask(question, GEMINI, { onPayload })).body).toMatchObject({
      cachedContent: "cachedContents/abc",
      safetySettings: [],
    });
  });

  it.each([true, false])("go by the model that a stream function further in chooses (its own: %s)", async (isOwn) => {
    const other = catalogueModel("google", "gemini-2.5-pro");
    const { seen, options } = server();
    const cached = await createCachedContent(GEMINI, context, options);
    const sendTo =
      (model: Model): StreamFn =>
      (_asked, ...request) =>
        streamSimple(model, ...request);
    const streamFn = withCachedContent(sendTo(isOwn ? GEMINI : other), cached, { now: () => NOW });
    await (await streamFn(isOwn ? other : GEMINI, question, options)).result();
    const { body } = seen.at(-1) ?? {};
    if (isOwn) expect(body).toHaveProperty("cachedContent");
    else expect(body).not.toHaveProperty("cachedContent");
  });

  it.each<[string, Parameters<typeof ask>, string[]]>([
    ["another system prompt", [{ ...question, systemPrompt: "You do not." }], ["prefix"]],
    ["other tools", [{ ...question, tools: [] }], ["prefix"]],
    ["another beginning", [{ ...question, messages: [user("A book"), user("Who wrote it?")] }], ["prefix"]],
    ["nothing new", [context], ["prefix"]],
    ["tools that must be called", [question, GEMINI, { toolChoice: "required" }], ["prefix"]],
    ["an expired content", [question, GEMINI, {}, { expiresAt: NOW }], ["expired"]],
    ["another model", [question, catalogueModel("google", "gemini-2.5-pro")], []],
    ["cacheRetention none", [question, GEMINI, { cacheRetention: "none" }], []],
  ])("are sent in full with %s", async (_name, args, expected) => {
    const { body, misses } = await ask(...args);
    expect(body).not.toHaveProperty("cachedContent");
    expect(body).toHaveProperty("contents");
    expect(misses).toEqual(expected);
  });

  it("are sent in full if there is no cached content", async () => {
    const { seen, options } = server();
    await withCachedContent(streamSimple, () => undefined)(GEMINI, question, options).result();
    expect(seen[0]?.body).toHaveProperty("systemInstruction");
  });
});

describe("an argument of another type", () => {
  const words = '"cached" must be a cached content, as createCachedContent resolves to';
  const untyped = (value: unknown) => value as CachedContent; // as JavaScript callers pass it

  it.each([undefined, "cachedContents/abc", { name: "cachedContents/abc" }, Promise.resolve()])(
    "is refused as a cached content: %o",
    async (value) => {
      const { seen, options } = server();
      expect(() => withCachedContent(streamSimple, untyped(value))).toThrow(words);
      await expect(refreshCachedContent(GEMINI, untyped(value), options)).rejects.toThrow(words);
      await expect(deleteCachedContent(GEMINI, untyped(value), options)).rejects.toThrow(words);
      expect(seen).toEqual([]);
    },
  );

  it("is refused as a stream function and as a model", async () => {
    const streamFn = undefined as unknown as typeof streamSimple;
    expect(() => withCachedContent(streamFn, () => undefined)).toThrow("withCachedContent needs a stream function");
    const model = "gemini-2.5-flash" as unknown as Model;
    await expect(createCachedContent(model, context)).rejects.toThrow('it is the string "gemini-2.5-flash"');
  });
});
