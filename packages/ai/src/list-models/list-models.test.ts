import { getModel, getModels, registerModels } from "pi-ai";
import { type ListModelsNote, type ListModelsOptions, type ListModelsTarget, listModels } from "pi-ai/list-models";
import { describe, expect, it } from "vitest";
import { recordedAnswer } from "../../test/local-servers/llama-server.js";
import { serveResponse } from "../../test/support/local-response.js";

interface Sent {
  url: string;
  method: string;
  headers: Headers;
  body: unknown;
}

type Answer = object | string | Response;

/** A `fetch` that answers by the path of the request; what it does not know is 404. */
function serve(answers: Readonly<Record<string, Answer | ((sent: Sent) => Answer)>>): {
  fetch: typeof globalThis.fetch;
  sent: Sent[];
} {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const request = {
      url: String(input),
      method: init?.method ?? "GET",
      headers: new Headers(init?.headers),
      body: typeof init?.body === "string" ? JSON.parse(init.body) : undefined,
    };
    sent.push(request);
    const found = answers[pathname + search] ?? answers[pathname];
    const answer = typeof found === "function" ? found(request) : found;
    if (answer === undefined)
      return Response.json({ error: { message: "File Not Found", code: 404 } }, { status: 404 });
    if (answer instanceof Response) return answer;
    return typeof answer === "string" ? new Response(answer) : Response.json(answer);
  };
  return { fetch, sent };
}

async function list(
  target: ListModelsTarget,
  answers: Parameters<typeof serve>[0],
  options: ListModelsOptions = {},
): Promise<{ models: Awaited<ReturnType<typeof listModels>>; notes: ListModelsNote[]; sent: Sent[] }> {
  const notes: ListModelsNote[] = [];
  const { fetch, sent } = serve(answers);
  const models = await listModels(target, {
    apiKey: "key-12345678",
    fetch,
    onNote: (note) => notes.push(note),
    ...options,
  });
  return { models, notes, sent };
}

const SERVER: ListModelsTarget = { baseUrl: "http://127.0.0.1:9" };

describe("lists of vendors", () => {
  it("reads Anthropic's list with its capabilities and its pages", async () => {
    const model = (id: string, more: object = {}): object => ({
      type: "model",
      id,
      display_name: id.toUpperCase(),
      lifecycle: "active",
      max_input_tokens: 2_000_000,
      max_tokens: 256_000,
      capabilities: {
        image_input: { supported: true },
        pdf_input: { supported: true },
        thinking: { supported: true },
        effort: { supported: true, low: { supported: true }, xhigh: { supported: true }, max: { supported: false } },
      },
      ...more,
    });
    const { models, notes, sent } = await list(
      { provider: "anthropic" },
      {
        "/v1/models?limit=1000": {
          data: [model("claude-opus-9"), model("claude-old", { lifecycle: "deprecated" })],
          has_more: true,
          last_id: "claude-old",
        },
        "/v1/models?limit=1000&after_id=claude-old": {
          data: [model("claude-gone", { lifecycle: "retired" }), model("claude-sonnet-4-6", { capabilities: null })],
          has_more: false,
        },
      },
    );
    expect(sent.map(({ headers }) => headers.get("x-api-key"))).toEqual(["key-12345678", "key-12345678"]);
    expect(models.map(({ id }) => id)).toEqual(["claude-opus-9", "claude-old", "claude-sonnet-4-6"]);
    expect(models[0]).toMatchObject({
      name: "CLAUDE-OPUS-9",
      api: "anthropic-messages",
      provider: "anthropic",
      baseUrl: "https://api.anthropic.com",
      contextWindow: 2_000_000,
      maxTokens: 256_000,
      reasoning: true,
      input: ["text", "image", "pdf"],
      thinkingLevelMap: { xhigh: "xhigh", max: null },
    });
    expect(models[1]?.lifecycle).toEqual({ status: "deprecated" });
    expect(models[2]).toMatchObject({
      cost: getModel("anthropic", "claude-sonnet-4-6").cost,
      contextWindow: 2_000_000,
    });
    expect(notes).toContainEqual({ type: "retired", count: 1, ids: ["claude-gone"] });
    expect(notes).toContainEqual({ type: "ends", count: 1, ids: ["claude-old"] });
    expect(notes).toContainEqual({ type: "assumed", field: "cost", count: 2, ids: ["claude-opus-9", "claude-old"] });
    const remove = registerModels(models);
    expect(getModel("anthropic", "claude-opus-9" as string)).toBe(models[0]);
    remove();
  });

  it("knows from its family that an unknown model thinks", async () => {
    const { models, notes } = await list(
      { provider: "openrouter" },
      { "/api/v1/models": { data: [{ id: "anthropic/claude-opus-9" }, { id: "zzz/unheard-of" }] } },
    );
    expect(models.map(({ reasoning }) => reasoning)).toEqual([true, false]);
    expect(notes).toContainEqual({ type: "assumed", field: "reasoning", count: 1, ids: ["zzz/unheard-of"] });
  });

  it("sends a token of a login as Anthropic takes it", async () => {
    const { sent } = await list(
      { provider: "anthropic" },
      { "/v1/models": { data: [] } },
      { apiKey: "sk-ant-oat01-x" },
    );
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer sk-ant-oat01-x");
    expect(sent[0]?.headers.get("x-api-key")).toBeNull();
  });

  it("fills OpenAI's list, which has ids only, from the catalogue", async () => {
    const ids = ["gpt-5.4", "gpt-9", "text-embedding-3-large", "whisper-1", "gpt-4o-mini-tts", "gpt-realtime-2"];
    const { models, notes, sent } = await list(
      { provider: "openai" },
      { "/v1/models": { object: "list", data: ids.map((id) => ({ id, object: "model", owned_by: "openai" })) } },
    );
    expect(sent[0]).toMatchObject({ url: "https://api.openai.com/v1/models" });
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer key-12345678");
    expect(models[0]).toEqual(getModel("openai", "gpt-5.4"));
    expect(models.map(({ id }) => id).slice(0, 2)).toEqual(["gpt-5.4", "gpt-9"]);
    expect(models[1]).toMatchObject({
      api: "openai-responses",
      reasoning: true,
      input: expect.arrayContaining(["text", "image"]),
    });
    expect(notes).toContainEqual(expect.objectContaining({ type: "other_models" }));
    expect(notes).toContainEqual({ type: "assumed", field: "cost", count: 1, ids: ["gpt-9"] });
  });

  it("reads Gemini's list", async () => {
    const model = (name: string, more: object = {}): object => ({
      name: `models/${name}`,
      displayName: name,
      inputTokenLimit: 3_000_000,
      outputTokenLimit: 99_000,
      supportedGenerationMethods: ["generateContent"],
      thinking: true,
      ...more,
    });
    const { models, sent } = await list(
      { provider: "google" },
      {
        "/v1beta/models?pageSize=1000": {
          models: [model("gemini-9-pro"), model("text-embedding-9", { supportedGenerationMethods: ["embedContent"] })],
          nextPageToken: "t",
        },
        "/v1beta/models?pageSize=1000&pageToken=t": { models: [model("gemini-9-flash")] },
      },
    );
    expect(sent[0]?.headers.get("x-goog-api-key")).toBe("key-12345678");
    expect(models.map(({ id }) => id)).toEqual(["gemini-9-pro", "gemini-9-flash"]);
    expect(models[0]).toMatchObject({
      api: "google-generative-ai",
      contextWindow: 3_000_000,
      maxTokens: 99_000,
      reasoning: true,
    });
  });

  it("reads Mistral's list, and when a model ends", async () => {
    const { models, notes } = await list(
      { provider: "mistral" },
      {
        "/v1/models": {
          data: [
            {
              id: "mistral-new",
              max_context_length: 512_000,
              deprecation: "2027-01-31T12:00:00Z",
              deprecation_replacement_model: "mistral-newer",
              capabilities: { completion_chat: true, function_calling: false, reasoning: true, vision: true },
            },
            { id: "mistral-embed", capabilities: { completion_chat: false } },
          ],
        },
      },
    );
    expect(models).toMatchObject([
      {
        id: "mistral-new",
        api: "mistral-conversations",
        baseUrl: "https://api.mistral.ai",
        contextWindow: 512_000,
        reasoning: true,
        input: ["text", "image"],
        lifecycle: { status: "deprecated", endsAt: "2027-01-31", replacement: "mistral-newer" },
      },
    ]);
    expect(notes).toContainEqual({ type: "no_tools", count: 1, ids: ["mistral-new"] });
  });

  it("reads OpenRouter's list with prices, without a key", async () => {
    const { models, sent } = await list(
      { provider: "openrouter" },
      {
        "/api/v1/models": {
          data: [
            {
              id: "acme/new",
              name: "Acme: New",
              context_length: 1_000_000,
              architecture: { input_modalities: ["text", "image", "file"], output_modalities: ["text"] },
              pricing: { prompt: "0.0000003", completion: "0.0000025", input_cache_read: "0.00000003" },
              top_provider: { max_completion_tokens: 65_536 },
              supported_parameters: ["tools", "reasoning"],
            },
            { id: "acme/auto", pricing: { prompt: "-1", completion: "-1" }, context_length: 2_000_000 },
            { id: "acme/picture", architecture: { output_modalities: ["image"] } },
          ],
          links: { next: "https://evil.test/api/v1/models?offset=3" },
        },
        "/api/v1/models?offset=3": { data: [{ id: "acme/second" }], links: { next: null } },
      },
      { apiKey: "" },
    );
    expect(new Set(sent.map(({ url }) => new URL(url).host))).toEqual(new Set(["openrouter.ai"]));
    expect(models.map(({ id }) => id)).toEqual(["acme/new", "acme/auto", "acme/second"]);
    expect(models[0]).toMatchObject({
      cost: { input: 0.3, output: 2.5, cacheRead: 0.03, cacheWrite: 0 },
      contextWindow: 1_000_000,
      maxTokens: 65_536,
      reasoning: true,
      input: ["text", "image", "pdf"],
    });
    expect(models[1]?.cost).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  });

  it("reads GitHub Copilot's list, and takes the api from the endpoints", async () => {
    const { models } = await list(
      { provider: "github-copilot" },
      {
        "/models": {
          data: [
            {
              id: "claude-next",
              name: "Claude Next",
              supported_endpoints: ["/chat/completions", "/v1/messages"],
              capabilities: {
                type: "chat",
                limits: { max_context_window_tokens: 400_000, max_output_tokens: 64_000 },
                supports: { tool_calls: true, vision: true, reasoning_effort: ["low", "high"] },
              },
            },
            { id: "embed", capabilities: { type: "embeddings" } },
          ],
        },
      },
    );
    expect(models).toMatchObject([
      {
        id: "claude-next",
        api: "anthropic-messages",
        contextWindow: 400_000,
        maxTokens: 64_000,
        reasoning: true,
        input: ["text", "image"],
        headers: { "Copilot-Integration-Id": "vscode-chat" },
      },
    ]);
  });

  it("reads the models and profiles of Bedrock", async () => {
    const { models, sent } = await list(
      { provider: "amazon-bedrock" },
      {
        "/foundation-models": {
          modelSummaries: [
            {
              modelId: "acme.chat-v1:0",
              modelName: "Chat",
              inputModalities: ["TEXT", "IMAGE"],
              outputModalities: ["TEXT"],
              responseStreamingSupported: true,
              inferenceTypesSupported: ["ON_DEMAND"],
              modelLifecycle: { status: "LEGACY", endOfLifeTime: "2027-02-01T00:00:00Z" },
            },
            { modelId: "acme.profile", outputModalities: ["TEXT"], inferenceTypesSupported: ["INFERENCE_PROFILE"] },
            { modelId: "acme.embed", outputModalities: ["EMBEDDING"] },
          ],
        },
        "/inference-profiles": {
          inferenceProfileSummaries: [{ inferenceProfileId: "us.acme.profile", status: "ACTIVE" }],
        },
      },
    );
    expect(sent.map(({ url }) => url)).toEqual([
      "https://bedrock.us-east-1.amazonaws.com/foundation-models",
      "https://bedrock.us-east-1.amazonaws.com/inference-profiles?maxResults=1000",
    ]);
    expect(models).toMatchObject([
      { id: "acme.chat-v1:0", input: ["text", "image"], lifecycle: { status: "deprecated", endsAt: "2027-02-01" } },
      { id: "us.acme.profile", api: "bedrock-converse-stream" },
    ]);
  });

  it.each([
    ["groq", { id: "new", context_window: 131_072, max_completion_tokens: 40_000 }, 131_072, 40_000],
    ["moonshotai", { id: "new", context_length: 262_144, supports_image_in: true }, 262_144, undefined],
    ["together", { id: "new", type: "chat", context_length: 65_536 }, 65_536, undefined],
  ])("reads the facts of %s", async (provider, entry, contextWindow, maxTokens) => {
    const body = provider === "together" ? [entry] : { data: [entry] };
    const base = new URL(getModels(provider)[0]?.baseUrl ?? "").pathname;
    const { models } = await list({ provider }, { [`${base}/models`]: body });
    expect(models[0]).toMatchObject({ id: "new", contextWindow, ...(maxTokens === undefined ? {} : { maxTokens }) });
  });
});

describe("servers on this machine", () => {
  const NONE = "set PI_LOCAL_SERVERS to the folder of local servers and their recorded answers";

  it("takes the loaded context of llama.cpp, and its abilities", async (context) => {
    const [models, props] = [recordedAnswer("models-v1"), recordedAnswer("props")];
    if (!models || !props) return context.skip(NONE);
    const { models: found, sent } = await list(SERVER, { "/v1/models": models, "/props": props });
    expect(found).toMatchObject([
      {
        name: "babble",
        api: "openai-completions",
        provider: "local",
        baseUrl: "http://127.0.0.1:9/v1",
        contextWindow: 4096,
        maxTokens: 2048,
        input: ["text"],
        cost: { input: 0, output: 0 },
      },
    ]);
    expect(sent.map(({ url }) => new URL(url).pathname)).toEqual(["/v1/models", "/props"]);
  });

  it("loads no model of a router of llama.cpp", async (context) => {
    const [models, props] = [recordedAnswer("router-models-v1-loaded"), recordedAnswer("router-props-of-model")];
    if (!models || !props) return context.skip(NONE);
    const { models: found, sent } = await list(SERVER, { "/v1/models": models, "/props": props });
    expect(found).toMatchObject([
      { id: "alpha", contextWindow: 4096 },
      { id: "beta-7b-q4", contextWindow: 4096 },
    ]);
    expect(sent.map(({ url }) => url)).toEqual([
      "http://127.0.0.1:9/v1/models",
      "http://127.0.0.1:9/props?model=alpha&autoload=false",
    ]);
  });

  it("says that llama.cpp still loads, or wants a key", async (context) => {
    const [loading, locked] = [recordedAnswer("loading-models-v1"), recordedAnswer("key-models-v1-without")];
    if (!loading || !locked) return context.skip(NONE);
    await expect(list(SERVER, { "/v1/models": Response.json(loading, { status: 503 }) })).rejects.toMatchObject({
      kind: "overloaded",
      message: "503 Loading model",
    });
    await expect(list(SERVER, { "/v1/models": Response.json(locked, { status: 401 }) })).rejects.toMatchObject({
      kind: "auth",
    });
  });

  it("asks Ollama what is loaded, and what each model can do", async () => {
    const show: Record<string, object> = {
      "qwen3:8b": {
        capabilities: ["completion", "tools", "thinking"],
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
      },
      "llava:7b": { capabilities: ["completion", "vision"], parameters: 'stop "x"\nnum_ctx 16384\n' },
      "small:1b": {
        capabilities: ["completion"],
        model_info: { "general.architecture": "s", "s.context_length": 2048 },
      },
      "embed:1b": { capabilities: ["embedding"] },
    };
    const names = Object.keys(show);
    const { models, notes } = await list(SERVER, {
      "/v1/models": { data: names.map((id) => ({ id, object: "model", owned_by: "library" })) },
      "/api/tags": { models: names.map((name) => ({ name, model: name, details: {} })) },
      "/api/ps": { models: [{ name: "qwen3:8b", context_length: 32_768 }] },
      "/api/show": ({ body }) => show[(body as { model: string }).model] ?? {},
    });
    expect(models).toMatchObject([
      { id: "qwen3:8b", contextWindow: 32_768, reasoning: true, input: ["text"] },
      { id: "llava:7b", contextWindow: 16_384, reasoning: false, input: ["text", "image"] },
      { id: "small:1b", contextWindow: 2048, reasoning: false },
    ]);
    expect(notes).toContainEqual({ type: "no_tools", count: 2, ids: ["llava:7b", "small:1b"] });
  });

  it("does not believe that Ollama loads what a model was trained for", async () => {
    const { models } = await list(SERVER, {
      "/v1/models": { data: [{ id: "big", owned_by: "library" }] },
      "/api/tags": { models: [{ name: "big", model: "big", details: { context_length: 131_072 } }] },
    });
    expect(models).toMatchObject([{ id: "big", contextWindow: 4096 }]);
  });

  it.each([
    [
      "its list",
      {
        "/api/v1/models": {
          models: [
            {
              type: "llm",
              key: "qwen/qwen3-8b",
              display_name: "Qwen3 8B",
              max_context_length: 40_960,
              loaded_instances: [
                { id: "a", config: { context_length: 8192 } },
                { id: "b", config: { context_length: 4096 } },
              ],
              capabilities: {
                vision: false,
                trained_for_tool_use: true,
                reasoning: { allowed_options: ["off", "on"] },
              },
            },
            { type: "embedding", key: "nomic" },
          ],
        },
      },
      { name: "Qwen3 8B", contextWindow: 4096, reasoning: true },
    ],
    [
      "its older list",
      {
        "/api/v0/models": {
          data: [
            {
              id: "qwen/qwen3-8b",
              type: "vlm",
              state: "loaded",
              loaded_context_length: 6000,
              capabilities: ["tool_use"],
            },
          ],
        },
      },
      { contextWindow: 6000, input: ["text", "image"] },
    ],
  ])("reads LM Studio by %s", async (_, answers, expected) => {
    const { models } = await list(SERVER, {
      "/v1/models": { data: [{ id: "qwen/qwen3-8b", object: "model", owned_by: "organization_owner" }] },
      ...answers,
    });
    expect(models).toMatchObject([{ id: "qwen/qwen3-8b", ...expected }]);
  });

  it("takes the loaded context of vLLM, and the abilities of the same model elsewhere", async () => {
    const { models } = await list(SERVER, {
      "/v1/models": { data: [{ id: "deepseek-ai/DeepSeek-R1", owned_by: "vllm", max_model_len: 16_384 }] },
    });
    expect(models).toMatchObject([{ contextWindow: 16_384, maxTokens: 8192, reasoning: true }]);
  });

  it("assumes little of a server that says nothing, and says so", async () => {
    const { models, notes } = await list(SERVER, { "/v1/models": { data: [{ id: "zzz-own-model" }] } });
    expect(models).toMatchObject([{ contextWindow: 4096, reasoning: false, input: ["text"] }]);
    expect(
      notes
        .filter(({ type }) => type === "assumed")
        .map(({ field }) => field)
        .sort(),
    ).toEqual(["contextWindow", "input", "reasoning"]);
  });

  it.each([
    ["http://127.0.0.1:9", undefined, "http://127.0.0.1:9/v1/models", "http://127.0.0.1:9/v1"],
    ["http://127.0.0.1:9/v1/", undefined, "http://127.0.0.1:9/v1/models", "http://127.0.0.1:9/v1"],
    ["http://127.0.0.1:9/gateway", undefined, "http://127.0.0.1:9/gateway/models", "http://127.0.0.1:9/gateway"],
    ["http://127.0.0.1:9", "anthropic-messages", "http://127.0.0.1:9/v1/models?limit=1000", "http://127.0.0.1:9"],
    ["http://127.0.0.1:9/v1", "anthropic-messages", "http://127.0.0.1:9/v1/models?limit=1000", "http://127.0.0.1:9"],
  ])("asks the server at %s for the api %s at %s", async (baseUrl, api, url, base) => {
    const { fetch, sent } = serve({});
    const answered: typeof fetch = async (input, init) => {
      await fetch(input, init);
      return Response.json({ data: [{ id: "m" }] });
    };
    const models = await listModels({ baseUrl, ...(api ? { api } : {}) }, { fetch: answered });
    expect(sent[0]?.url).toBe(url);
    expect(models[0]?.baseUrl).toBe(base);
  });
});

describe("bad lists", () => {
  it("returns the first models of a list of 100,000, and says so", async () => {
    const data = Array.from({ length: 100_000 }, (_, index) => ({ id: `m${index}` }));
    const { models, notes } = await list(SERVER, { "/v1/models": { data } });
    expect(models).toHaveLength(5000);
    expect(notes).toContainEqual({ type: "cut", count: 95_000 });
    expect((await list(SERVER, { "/v1/models": { data } }, { maxModels: 3 })).models).toHaveLength(3);
  });

  it("believes no impossible values", async () => {
    const lies = [-1, 0, 1.5, 1e300, "many", Number.MAX_SAFE_INTEGER, null, {}, true];
    const data = lies.map((lie, index) => ({
      id: `zz${index}`,
      name: { not: "text" },
      context_length: lie,
      max_completion_tokens: lie,
      pricing: { prompt: lie, completion: "NaN" },
      architecture: lie,
      baseUrl: "https://evil.test",
      headers: { "x-evil": "1" },
      api: "evil",
      provider: "evil",
    }));
    const { models } = await list({ provider: "openrouter" }, { "/api/v1/models": { data } });
    expect(models).toHaveLength(lies.length);
    for (const model of models) {
      expect(model).toMatchObject({ contextWindow: 128_000, api: "openai-completions", provider: "openrouter" });
      expect(model.baseUrl).toMatch(/^https:\/\/openrouter\.ai/);
      expect(Object.values(model.cost).every((price) => Number.isFinite(price) && price >= 0)).toBe(true);
      expect(model).not.toHaveProperty("headers.x-evil");
    }
    registerModels(models)();
  });

  it("takes no output that is longer than the context", async () => {
    const entry = { id: "zz", context_length: 1000, max_completion_tokens: 5000 };
    expect((await list({ provider: "groq" }, { "/openai/v1/models": { data: [entry] } })).models[0]?.maxTokens).toBe(
      1000,
    );
  });

  it("keeps the first of the entries with one id, and leaves out entries without one", async () => {
    const ids = ["a", "a", "__proto__", "", " ", "x".repeat(400), "new\nline"];
    const data = [...ids.map((id, index) => ({ id, context_length: 1000 + index })), null, 7, "text", {}];
    const { models, notes } = await list(SERVER, { "/v1/models": { data } });
    expect(models.map(({ id, contextWindow }) => [id, contextWindow])).toEqual([
      ["a", 1000],
      ["__proto__", 1002],
    ]);
    expect(notes).toContainEqual({ type: "twice", count: 1, ids: ["a"] });
    expect(notes).toContainEqual({ type: "unreadable", count: 8 });
  });

  it.each([
    ["a page", "<html>Log in</html>", /is not JSON: <html>Log in<\/html>/],
    ["nothing", "", /is not JSON: an empty body/],
    ["half a list", '{"data":[{"id":"a"', /is not JSON/],
    ["null", "null", /holds no list of models/],
    ["another object", '{"ok":true}', /holds no list of models/],
    ["a text in place of the list", '{"data":"none"}', /holds no list of models/],
  ])("fails clearly for %s", async (_, body, text) => {
    await expect(list(SERVER, { "/v1/models": body })).rejects.toMatchObject({
      kind: "protocol",
      retryable: false,
      message: expect.stringMatching(text),
    });
  });

  it("returns an empty list as one", async () => {
    expect((await list(SERVER, { "/v1/models": { data: [] } })).models).toEqual([]);
  });

  it("ends a list whose pages lead in a circle, or never end", async () => {
    const page = { data: [{ id: "a" }], has_more: true, last_id: "a" };
    const circle = await list({ provider: "anthropic" }, { "/v1/models": page });
    expect(circle.sent).toHaveLength(2);
    expect(circle.notes).toContainEqual({ type: "cut", pages: 2 });
    let count = 0;
    const endless = await list(
      { provider: "anthropic" },
      { "/v1/models": () => ({ data: [{ id: `m${++count}` }], has_more: true, last_id: `m${count}` }) },
    );
    expect(endless.sent).toHaveLength(100);
  });

  it("ends after the time, and when it is aborted, also if the server never answers or ends", async () => {
    const never: typeof globalThis.fetch = () => new Promise(() => {});
    const open: typeof globalThis.fetch = async () => new Response(new ReadableStream());
    for (const fetch of [never, open]) {
      await expect(listModels(SERVER, { fetch, timeoutMs: 5 })).rejects.toMatchObject({ kind: "timeout" });
      const controller = new AbortController();
      const listing = listModels(SERVER, { fetch, signal: controller.signal });
      controller.abort(new Error("enough"));
      await expect(listing).rejects.toThrow("enough");
    }
    await expect(listModels(SERVER, { fetch: never, signal: AbortSignal.abort(new Error("late")) })).rejects.toThrow(
      "late",
    );
  });

  it("gives up on an answer without an end", async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(32 * 1024 * 1024)),
    });
    const fetch: typeof globalThis.fetch = async () => new Response(endless);
    await expect(listModels(SERVER, { fetch })).rejects.toThrow(/longer than \d+ bytes/);
  });

  it("follows no redirect to another server, which would get the key", async () => {
    const redirect = (): Response =>
      new Response(null, { status: 302, headers: { location: "https://evil.test/v1/models" } });
    const { fetch, sent } = serve({ "/v1/models": redirect });
    await expect(listModels({ provider: "openai" }, { apiKey: "key-12345678", fetch })).rejects.toThrow(/redirect/i);
    expect(sent).toHaveLength(1);
  });

  it("quotes no key in an error", async () => {
    const refusal = Response.json({ error: { message: "Bad key key-12345678" } }, { status: 401 });
    const error: unknown = await list({ provider: "openai" }, { "/v1/models": refusal }).catch((one: unknown) => one);
    expect(error).toMatchObject({
      kind: "auth",
      message: "401 Bad key [redacted] (provider openai; asked: https://api.openai.com/v1/models)",
    });
    expect(JSON.stringify(error)).not.toContain("key-12345678");
  });

  it("works over a real connection", async () => {
    await using server = await serveResponse({ body: JSON.stringify({ data: [{ id: "m", max_model_len: 5000 }] }) });
    expect(await listModels({ baseUrl: server.url })).toMatchObject([{ id: "m", contextWindow: 5000 }]);
  });

  it.each([
    [{}, /needs \{ provider \} or \{ baseUrl \}/],
    [null, /needs \{ provider \} or \{ baseUrl \}/],
    [{ provider: "acme" }, /no provider "acme"/],
    [{ baseUrl: "localhost:1234" }, /must be an address/],
    [{ baseUrl: "" }, /must be an address/],
  ])("refuses the target %j", async (target, text) => {
    // @ts-expect-error JavaScript callers pass anything.
    await expect(listModels(target)).rejects.toMatchObject({ kind: "config", message: expect.stringMatching(text) });
  });

  it("names the key that a vendor needs", async () => {
    const { fetch } = serve({});
    await expect(listModels({ provider: "ant-ling" }, { fetch })).rejects.toMatchObject({
      kind: "auth_missing",
      message: expect.stringContaining("ANT_LING_API_KEY"),
    });
  });
});

describe("the cache", () => {
  it("answers with a copy while it is young enough", async () => {
    const target = { baseUrl: "http://127.0.0.1:7" };
    const { fetch, sent } = serve({ "/v1/models": { data: [{ id: "m", max_model_len: 5000 }] } });
    const first = await listModels(target, { fetch });
    const requests = sent.length;
    first.pop();
    expect(await listModels(target, { fetch, maxAgeMs: 60_000 })).toMatchObject([{ id: "m" }]);
    expect(sent).toHaveLength(requests);
    await listModels(target, { fetch });
    expect(sent).toHaveLength(requests * 2);
    await listModels(target, { fetch, maxAgeMs: 60_000, apiKey: "another" });
    expect(sent).toHaveLength(requests * 3);
  });
});
