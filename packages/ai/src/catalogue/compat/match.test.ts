import { describe, expect, it } from "vitest";
import type { Model } from "../../types/model.js";
import { resolveAnthropicFlags } from "./anthropic.js";
import { matchesModel, resolveFlags } from "./match.js";
import { resolveCompletionsFlags } from "./openai-completions.js";

const model = (fields: Partial<Model>): Model =>
  ({ id: "m", provider: "p", baseUrl: "https://api.test", ...fields }) as Model; // only these fields are read

describe("matchesModel", () => {
  it.each([
    [{ providers: ["p"] }, true],
    [{ providers: ["q"] }, false],
    [{ hosts: ["api.test"] }, true],
    [{ hosts: ["other"] }, false],
    [{ providers: ["q"], hosts: ["api.test"] }, true],
    [{ providers: ["p"], hosts: ["other"] }, true],
    [{ ids: ["claude"] }, true],
    [{ ids: ["gpt"] }, false],
    [{ providers: ["p"], ids: ["claude"] }, true],
    [{ providers: ["q"], ids: ["claude"] }, false],
    [{ providers: ["p"], ids: ["gpt"] }, false],
    [{}, true],
  ])("%j: %s", (match, expected) => {
    expect(matchesModel(model({ id: "Vendor/Claude-4" }), match)).toBe(expected);
  });
});

describe("resolveFlags", () => {
  const rows = [
    { when: { providers: ["p"] }, flags: { a: 1, b: 1 } },
    { when: { hosts: ["api.test"] }, flags: { b: 2 } },
    { when: { providers: ["q"] }, flags: { a: 9 } },
  ];

  it("lets later rows override earlier ones, and the model's own flags override all rows", () => {
    const defaults = { a: 0, b: 0, c: 0 };
    expect(resolveFlags(model({}), defaults, rows)).toEqual({ a: 1, b: 2, c: 0 });
    const compat = { c: 5, a: undefined } as Model["compat"] & object; // any flags
    expect(resolveFlags(model({ compat }), defaults, rows)).toEqual({ a: 1, b: 2, c: 5 });
    expect(defaults).toEqual({ a: 0, b: 0, c: 0 });
  });

  it("accepts a flag with any name", () => {
    const compat: object = JSON.parse('{"__proto__":{"a":7}}');
    const flags = resolveFlags(model({ compat, provider: "none", baseUrl: "" }), { a: 0 }, []);
    expect(flags.a).toBe(0);
    expect(Object.getPrototypeOf(flags)).toBe(Object.prototype);
  });
});

describe("compatibility of chat servers", () => {
  const flagsOf = (provider: string, baseUrl = "https://api.test") =>
    resolveCompletionsFlags(model({ provider, baseUrl }));

  it.each([
    "cerebras",
    "xai",
    "together",
    "deepseek",
    "zai",
    "moonshotai",
    "opencode",
    "cloudflare-workers-ai",
    "cloudflare-ai-gateway",
  ])("%s supports neither store nor the developer role", (provider) => {
    expect(flagsOf(provider)).toMatchObject({ supportsStore: false, supportsDeveloperRole: false });
  });

  it.each(["moonshotai", "together", "cloudflare-ai-gateway"])(
    "%s accepts max_tokens, but neither effort nor strict",
    (provider) => {
      expect(flagsOf(provider)).toMatchObject({
        maxTokensField: "max_tokens",
        supportsReasoningEffort: false,
        supportsStrictMode: false,
      });
    },
  );

  it.each(["xai", "zai"])("%s does not accept effort", (provider) => {
    expect(flagsOf(provider)).toMatchObject({ supportsReasoningEffort: false });
  });

  it.each(["together", "cloudflare-workers-ai", "cloudflare-ai-gateway"])(
    "%s does not support long cache retention",
    (provider) => {
      expect(flagsOf(provider)).toMatchObject({ supportsLongCacheRetention: false });
    },
  );

  it.each([
    ["deepseek", "https://api.deepseek.com", "deepseek"],
    ["zai", "https://api.z.ai/api", "zai"],
    ["together", "https://api.together.ai/v1", "together"],
    ["openrouter", "https://openrouter.ai/api/v1", "openrouter"],
    ["groq", "https://api.groq.com/openai/v1", "openai"],
  ])("%s is recognized by name and by URL", (provider, baseUrl, format) => {
    expect(flagsOf(provider)).toMatchObject({ thinkingFormat: format });
    expect(flagsOf("custom", baseUrl)).toMatchObject({ thinkingFormat: format });
  });

  it("detects servers with empty reasoning, servers with cache markers, and OpenAI by its URL", () => {
    const deepseek = model({ provider: "deepseek", id: "deepseek-v4-pro" });
    expect(resolveCompletionsFlags(deepseek)).toMatchObject({ requiresReasoningContentOnAssistantMessages: true });
    const claude = model({ provider: "openrouter", id: "anthropic/claude-4" });
    expect(resolveCompletionsFlags(claude)).toMatchObject({ cacheControlFormat: "anthropic" });
    expect(flagsOf("openrouter")).not.toHaveProperty("cacheControlFormat");
    expect(flagsOf("custom", "https://api.openai.com/v1")).toMatchObject({ isOpenAI: true });
    expect(flagsOf("openai")).not.toHaveProperty("isOpenAI");
  });
});

describe("compatibility of Anthropic servers", () => {
  it.each([
    ["anthropic", { auth: "x-api-key", supportsEagerToolInputStreaming: true, sendSessionAffinityHeaders: false }],
    [
      "fireworks",
      { supportsEagerToolInputStreaming: false, supportsCacheControlOnTools: false, sendSessionAffinityHeaders: true },
    ],
    ["cloudflare-ai-gateway", { auth: "cloudflare-gateway", sendSessionAffinityHeaders: true }],
    ["github-copilot", { auth: "bearer", sendCopilotHeaders: true, sendToolStreamingBeta: false }],
  ])("%s", (provider, flags) => {
    expect(resolveAnthropicFlags(model({ provider }))).toMatchObject(flags);
  });

  it("detects models with adaptive thinking", () => {
    for (const id of ["claude-opus-4-6", "anthropic/claude-opus-4.7", "claude-sonnet-4-6-latest"])
      expect(resolveAnthropicFlags(model({ id })).forceAdaptiveThinking).toBe(true);
    for (const id of ["claude-opus-4-5", "claude-haiku-4-5", "claude-3-7-sonnet", "claude-opus-4-20250514"])
      expect(resolveAnthropicFlags(model({ id })).forceAdaptiveThinking).toBe(false);
  });
});
