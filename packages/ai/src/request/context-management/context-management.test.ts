import { type ContextManagement, completeSimple, type Message, type Model, type SimpleStreamOptions } from "pi-ai";
import { describe, expect, it } from "vitest";

function model(api: string, provider: string, id: string, more: Partial<Model> = {}): Model {
  return {
    id,
    name: id,
    api,
    provider,
    baseUrl: "https://models.test",
    reasoning: true,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 200_000,
    maxTokens: 10_000,
    ...more,
  };
}

const CLAUDE = model("anthropic-messages", "anthropic", "claude-opus-4-6", {
  compat: { forceAdaptiveThinking: true },
});
const OLD_CLAUDE = model("anthropic-messages", "anthropic", "claude-haiku-4-5");
const GPT = model("openai-responses", "openai", "gpt-5.6-sol");
const AZURE = model("azure-openai-responses", "azure", "gpt-5.6-sol");
const CODEX = model("openai-codex-responses", "openai-codex", "gpt-5.6-sol");
const GEMINI = model("google-generative-ai", "google", "gemini-3-pro-preview");
const BEDROCK = model("bedrock-converse-stream", "amazon-bedrock", "us.anthropic.claude-opus-4-6-v1");
const KIMI = model("anthropic-messages", "fireworks", "kimi");

const ALL: ContextManagement = { compact: true, clearToolResults: true, clearThinking: true };
const HELLO: Message = { role: "user", content: "Hi", timestamp: 1 };
/** The API key of Codex is a token that names an account. */
const KEY = `a.${btoa(JSON.stringify({ "https://api.openai.com/auth": { chatgpt_account_id: "1" } }))}.c`;

/** The request as it would be sent. The server rejects it. */
async function send(to: Model, options: SimpleStreamOptions, messages: Message[] = [HELLO]) {
  let body: Record<string, unknown> = {};
  let headers = new Headers();
  const message = await completeSimple(
    to,
    { messages },
    {
      apiKey: KEY,
      maxRetries: 0,
      transport: "sse",
      onPayload: (payload: unknown) => {
        body = structuredClone({ ...Object(payload) });
      },
      fetch: (_input, init) => {
        headers = new Headers(init?.headers);
        return Promise.resolve(new Response("{}", { status: 400 }));
      },
      ...options,
    },
  );
  const notes = message.diagnostics?.filter(({ type }) => type === "context_management_option") ?? [];
  return { field: body["context_management"], betas: headers.get("anthropic-beta"), notes, message };
}

const ignored = (...names: string[]): object[] => [{ details: { ignored: names } }];

describe("context management", () => {
  it("sends Anthropic's edits in the required order, with their beta features", async () => {
    const { field, betas, notes } = await send(CLAUDE, { contextManagement: ALL, reasoning: "high" });
    expect(field).toEqual({
      edits: [{ type: "clear_thinking_20251015" }, { type: "clear_tool_uses_20250919" }, { type: "compact_20260112" }],
    });
    expect(betas?.split(",")).toEqual(expect.arrayContaining(["context-management-2025-06-27", "compact-2026-01-12"]));
    expect(notes).toEqual([]);
  });

  it("sends Anthropic all settings", async () => {
    const contextManagement: ContextManagement = {
      compact: { atTokens: 60_000, prompt: "Keep names.", pause: true },
      clearToolResults: { atTokens: 30_000, keep: 5, exclude: ["memory"] },
      clearThinking: { keep: 2 },
    };
    const { field } = await send(CLAUDE, { contextManagement, reasoning: "high" });
    expect(field).toEqual({
      edits: [
        { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 2 } },
        {
          type: "clear_tool_uses_20250919",
          trigger: { type: "input_tokens", value: 30_000 },
          keep: { type: "tool_uses", value: 5 },
          exclude_tools: ["memory"],
        },
        {
          type: "compact_20260112",
          trigger: { type: "input_tokens", value: 60_000 },
          instructions: "Keep names.",
          pause_after_compaction: true,
        },
      ],
    });
    const all = await send(CLAUDE, { contextManagement: { clearThinking: { keep: "all" } }, reasoning: "high" });
    expect(all.field).toEqual({ edits: [{ type: "clear_thinking_20251015", keep: "all" }] });
  });

  it("omits clearThinking if thinking is off, because Anthropic rejects it", async () => {
    const { field, betas, notes } = await send(CLAUDE, { contextManagement: { clearThinking: true } });
    expect(field).toBeUndefined();
    expect(betas ?? "").not.toContain("context-management");
    expect(notes).toEqual([]);
  });

  describe("the thinking of earlier turns", () => {
    const KEEPS = { edits: [{ type: "clear_thinking_20251015", keep: "all" }] };
    const at = (id: string, more: Partial<Model> = {}): Model =>
      model("anthropic-messages", "anthropic", id, { baseUrl: "https://api.anthropic.com", ...more });

    it.each(["claude-haiku-4-5", "claude-sonnet-4-5-20250929", "claude-opus-4-1", "claude-sonnet-4-20250514"])(
      "stays at %s, which would leave it out",
      async (id) => {
        const { field, betas, notes } = await send(at(id), { reasoning: "high" });
        expect(field).toEqual(KEEPS);
        expect(betas?.split(",")).toContain("context-management-2025-06-27");
        expect(notes).toEqual([]);
      },
    );

    it.each<[string, Model, SimpleStreamOptions]>([
      [
        "models that keep it",
        at("claude-opus-4-5", { compat: { forceAdaptiveThinking: true } }),
        { reasoning: "high" },
      ],
      ["the newest models", at("claude-haiku-5-5"), { reasoning: "high" }],
      ["requests without thinking", at("claude-haiku-4-5"), {}],
      ["another host", at("claude-haiku-4-5", { baseUrl: "https://models.test" }), { reasoning: "high" }],
      ["another provider", at("claude-haiku-4-5", { provider: "gateway" }), { reasoning: "high" }],
    ])("is not mentioned to %s", async (_name, to, options) => {
      const { field, betas, notes } = await send(to, options);
      expect(field).toBeUndefined();
      expect(betas ?? "").not.toContain("context-management");
      expect(notes).toEqual([]);
    });

    it("is cleared as the caller says, beside other edits, too", async () => {
      const sent = async (contextManagement: ContextManagement) =>
        (await send(at("claude-haiku-4-5"), { reasoning: "high", contextManagement })).field;
      expect(await sent({ clearThinking: false })).toBeUndefined();
      expect(await sent({ clearThinking: true })).toEqual({ edits: [{ type: "clear_thinking_20251015" }] });
      expect(await sent({ clearToolResults: true })).toEqual({
        edits: [...KEEPS.edits, { type: "clear_tool_uses_20250919" }],
      });
    });
  });

  it.each([GPT, AZURE])("requests a compaction from $api, by default at 80 % of the window", async (to) => {
    expect((await send(to, { contextManagement: { compact: true } })).field).toEqual([
      { type: "compaction", compact_threshold: 160_000 },
    ]);
    expect((await send(to, { contextManagement: { compact: { atTokens: 5000 } } })).field).toEqual([
      { type: "compaction", compact_threshold: 5000 },
    ]);
  });

  it("omits features that are off", async () => {
    const { field, notes } = await send(GPT, { contextManagement: { compact: false, clearThinking: false } });
    expect([field, notes]).toEqual([undefined, []]);
  });

  it.each<[string, Model, ContextManagement, object[]]>([
    ["a feature of other providers", GPT, ALL, ignored("clearToolResults", "clearThinking")],
    ["an option of other providers", GPT, { compact: { prompt: "Keep names." } }, ignored("compact.prompt")],
    ["a pause of other providers", GPT, { compact: { pause: true } }, ignored("compact.pause")],
    ["a feature of newer models", OLD_CLAUDE, { compact: true }, ignored("compact")],
    ["everything at another host", KIMI, ALL, ignored("clearThinking", "clearToolResults", "compact")],
    ["everything at the server of Codex", CODEX, { compact: true }, ignored("compact")],
    ["everything at Gemini", GEMINI, { compact: true }, ignored("compact")],
    ["everything in Converse of Bedrock", BEDROCK, { compact: true }, ignored("compact")],
  ])("reports what the model does not support: %s", async (_name, to, contextManagement, notes) => {
    expect((await send(to, { contextManagement })).notes).toMatchObject(notes);
  });

  it.each<[Model, ContextManagement, string]>([
    [CLAUDE, { compact: { atTokens: 100 } }, "compact.atTokens must be a whole number of at least 50000 for anthropic"],
    [GPT, { compact: { atTokens: 10.5 } }, "compact.atTokens must be a whole number of at least 1000 for openai"],
    [CLAUDE, { clearThinking: { keep: 0 } }, "clearThinking.keep must be a whole number of at least 1 for anthropic"],
    [CLAUDE, { clearToolResults: { keep: -1 } }, "clearToolResults.keep must be a whole number of at least 0"],
  ])("fails before anything is sent if a setting is out of range", async (to, contextManagement, words) => {
    const fetch = () => Promise.reject(new Error("A request was sent"));
    const { message } = await send(to, { contextManagement, fetch });
    expect(message.error).toEqual({ kind: "config" });
    expect(message.errorMessage).toContain(`contextManagement.${words}`);
  });

  it.each<[string, unknown, string]>([
    ["a value that is not an object", true, "contextManagement must be an object with options, got true"],
    ["a name instead of options", "compact", 'contextManagement must be an object with options, got "compact"'],
    [
      "a feature that does not exist",
      { compaction: true },
      'contextManagement has no option "compaction". Its options are compact,',
    ],
    [
      "a number for a feature",
      { compact: 60_000 },
      "contextManagement.compact must be an object with options, got 60000",
    ],
    [
      "an option that does not exist",
      { compact: { tokens: 60_000 } },
      'contextManagement.compact has no option "tokens".',
    ],
    ["a text for a number", { compact: { atTokens: "60000" } }, 'compact.atTokens must be a number, got "60000"'],
    ["an empty prompt", { compact: { prompt: " " } }, 'contextManagement.compact.prompt must be a text, got " "'],
    ["a text for true or false", { compact: { pause: "yes" } }, 'compact.pause must be true or false, got "yes"'],
    ["a name for a list", { clearToolResults: { exclude: "memory" } }, 'exclude must be a list of names, got "memory"'],
    ["an option of another feature", { clearToolResults: { keep: "all" } }, 'keep must be a number, got "all"'],
    ["another word", { clearThinking: { keep: "some" } }, 'clearThinking.keep must be a number or "all", got "some"'],
  ])("fails before anything is sent for %s, whatever the model", async (_name, given, words) => {
    const fetch = () => Promise.reject(new Error("A request was sent"));
    const contextManagement = given as ContextManagement; // as JavaScript callers pass it
    for (const to of [CLAUDE, GEMINI]) {
      const { message } = await send(to, { contextManagement, fetch });
      expect(message.error).toEqual({ kind: "config" });
      expect(message.errorMessage).toContain(words);
    }
  });
});
