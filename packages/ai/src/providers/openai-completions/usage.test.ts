import { describe, expect, it } from "vitest";
import { plainModel } from "../../../test/support/plain-adapter.js";
import { AssistantMessageBuilder } from "../../message/assistant-message-builder.js";
import type { Usage } from "../../types/message.js";
import { createCompletionsMapping } from "./stream.js";

function usageOf(...chunks: unknown[]): Usage {
  const builder = new AssistantMessageBuilder({ model: plainModel, emit: () => {} });
  const mapping = createCompletionsMapping("test", {});
  for (const chunk of chunks) mapping(chunk, builder);
  return builder.fail({ reason: "error", errorMessage: "read enough", error: { kind: "unknown" } }).usage;
}

describe("usage of Chat Completions", () => {
  it.each([
    [
      { prompt_tokens: 10, completion_tokens: 5 },
      { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } },
      { input: 3, output: 5, cacheRead: 4, cacheWrite: 3 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 6 },
      { input: 4, output: 5, cacheRead: 6 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 2 } },
      { input: 10, output: 5, reasoning: 2 },
    ],
    [
      { prompt_tokens: 1, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
      { input: 0, cacheRead: 4 },
    ],
    [
      { prompt_tokens: -1, completion_tokens: "5", prompt_tokens_details: null },
      { input: 0, output: 0 },
    ],
    [
      { prompt_tokens: Number.POSITIVE_INFINITY, completion_tokens: Number.NaN },
      { input: 0, output: 0 },
    ],
  ])("reads %j", (usage, expected) => {
    for (const where of [{ usage }, { choices: [{ index: 0, usage }] }, { x_groq: { id: "r", usage } }]) {
      const read = usageOf(where);
      expect(read).toMatchObject(expected);
      expect(read.totalTokens).toBe(read.input + read.output + read.cacheRead + read.cacheWrite);
    }
  });

  it("adds reasoning to the output if the total counts it in addition to the completion (xAI)", () => {
    const usage = {
      prompt_tokens: 331,
      completion_tokens: 11,
      total_tokens: 613,
      prompt_tokens_details: { cached_tokens: 330 },
      completion_tokens_details: { reasoning_tokens: 271 },
    };
    expect(usageOf({ usage })).toMatchObject({
      input: 1,
      cacheRead: 330,
      output: 282,
      reasoning: 271,
      totalTokens: 613,
      cost: { output: (282 * plainModel.cost.output) / 1_000_000 },
    });
  });

  it("reads reasoning tokens outside of the details, up to the output count", () => {
    expect(usageOf({ usage: { prompt_tokens: 1, completion_tokens: 9, reasoning_tokens: 4 } }).reasoning).toBe(4);
    const estimated = { prompt_tokens: 5, completion_tokens: 16, total_tokens: 21 };
    const usage = { ...estimated, completion_tokens_details: { reasoning_tokens: 19 } };
    expect(usageOf({ usage })).toMatchObject({ output: 16, reasoning: 16, totalTokens: 21 });
  });

  const gemini = { promptTokenCount: 9, candidatesTokenCount: 35, thoughtsTokenCount: 267, totalTokenCount: 311 };
  const metadata = (usageMetadata: unknown) => ({
    choices: [{ index: 0, delta: { provider_metadata: { google: { usageMetadata } } } }],
  });
  const gateway = { prompt_tokens: 9, completion_tokens: 35, total_tokens: 44 };

  it.each([
    ["in one chunk", [{ ...metadata(gemini), usage: gateway }]],
    ["before those of the gateway", [metadata(gemini), { usage: gateway }]],
    ["after those of the gateway", [{ usage: gateway }, metadata(gemini)]],
  ])("uses Gemini's own counts if a gateway omits thinking tokens: %s", (_, chunks) => {
    expect(usageOf(...chunks)).toMatchObject({ input: 9, output: 302, reasoning: 267, totalTokens: 311 });
  });

  it("separates Gemini's cached tokens from the prompt's, and counts tool results", () => {
    const counts = { ...gemini, promptTokenCount: 20, cachedContentTokenCount: 8, toolUsePromptTokenCount: 5 };
    expect(usageOf(metadata(counts))).toMatchObject({ input: 17, cacheRead: 8, output: 302 });
  });

  it.each([{ x_groq: 5 }, { x_groq: { usage: "x" } }, metadata("x"), metadata(null), { choices: [{ delta: 5 }] }])(
    "survives %j",
    (odd) => expect(usageOf({ usage: gateway }, odd)).toMatchObject({ input: 9 }),
  );

  it.each([
    ["in the counts", { usage: { ...gateway, cost: 0.25 } }],
    ["beside the counts", { usage: gateway, cost: { usd: 0.25 } }],
    ["beside Gemini's own counts", { ...metadata(gemini), usage: { ...gateway, cost: 0.25 } }],
  ])("keeps the reported price in addition to the computed one: %s", (_, chunk) => {
    const { cost } = usageOf(chunk);
    expect(cost.reported).toBe(0.25);
    expect(cost.total).toBeCloseTo(cost.input + cost.output, 12);
    expect(usageOf(chunk, { usage: gateway }).cost.reported).toBe(0.25);
  });

  it("has no reported price if none was sent", () => {
    expect(usageOf({ usage: gateway }).cost).not.toHaveProperty("reported");
  });
});
