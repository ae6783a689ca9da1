/** Tests the results that a recording allows in ambiguous cases. */
import { describe, expect, it } from "vitest";
import { allowedStops } from "./stop-words.js";
import type { Truth } from "./truth.js";
import { readUsage } from "./usage-readings.js";

const CALLS: Pick<Truth, "toolCalls"> = { toolCalls: [{ name: "read", arguments: {}, argumentsRaw: "{}" }] };
const BROKEN: Pick<Truth, "toolCalls"> = { toolCalls: [{ name: "read", arguments: null, argumentsValid: false }] };

describe("allowedStops", () => {
  it.each<[string, Partial<Truth>, string[]]>([
    ["anthropic-messages", { stopReason: "pause_turn" }, ["stop"]],
    ["anthropic-messages", { stopReason: "refusal" }, ["error"]],
    ["anthropic-messages", { stopReason: "end_turn", ...CALLS }, ["stop", "toolUse"]],
    ["anthropic-messages", { stopReason: "max_tokens", ...BROKEN }, ["length", "error"]],
    ["anthropic-messages", { stopReason: "end_turn", complete: false }, ["error", "length"]],
    ["openai-completions", { stopReason: "stop", complete: false }, ["stop", "error", "length"]],
    ["openai-completions", { stopReason: null }, ["stop"]],
    ["openai-completions", { stopReason: "strange" }, ["stop"]],
    ["openai-completions", { stopReason: "length", errors: [{}] }, ["error"]],
    ["openai-responses", { stopReason: "max_output_tokens", status: "incomplete" }, ["length"]],
    ["openai-responses", { status: "completed", ...CALLS }, ["toolUse"]],
    [
      "openai-responses",
      { status: "incomplete", incompleteDetails: { reason: "content_filter" } },
      ["length", "error"],
    ],
    ["google-generative-ai", { stopReason: "STOP", ...CALLS }, ["toolUse"]],
    ["google-generative-ai", { stopReason: "MAX_TOKENS", ...CALLS }, ["length", "toolUse"]],
    ["google-generative-ai", { stopReason: "SAFETY" }, ["error"]],
    ["mistral-conversations", { stopReason: "model_length" }, ["length"]],
    ["bedrock-converse-stream", { stopReason: "guardrail_intervened" }, ["error"]],
  ])("%s, %j: %j", (api, truth, stops) => {
    expect(allowedStops(api, { complete: true, ...truth })).toEqual(stops);
  });
});

describe("readUsage", () => {
  const parts = (input: number, output: number, cacheRead = 0, cacheWrite = 0) => ({
    input,
    output,
    cacheRead,
    cacheWrite,
  });

  it("subtracts the cached tokens from the prompt", () => {
    const final = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4 },
    };
    expect(readUsage("openai-completions", { final })).toEqual({ readings: [parts(6, 5, 4)], oddTotal: undefined });
  });

  it("adds reasoning to the completion only if the total includes it", () => {
    const final = { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 } };
    const read = (total: number) => readUsage("openai-completions", { final: { ...final, total_tokens: total } });
    expect(read(18)?.readings).toEqual([parts(10, 8)]);
    expect(read(15)?.readings).toEqual([parts(10, 5)]);
  });

  it("allows a cache larger than the prompt to be reduced to the prompt", () => {
    const final = { prompt_tokens: 3, completion_tokens: 1, prompt_cache_hit_tokens: 8 };
    expect(readUsage("openai-completions", { final })?.readings).toEqual([parts(0, 1, 8), parts(0, 1, 3)]);
  });

  it("accepts a reported total that matches no reading", () => {
    expect(readUsage("bedrock-converse-stream", { inputTokens: 1, outputTokens: 1, totalTokens: 9 })?.oddTotal).toBe(9);
  });

  it("requires nothing if the wire has no usage", () => {
    expect(readUsage("openai-completions", {})).toBeUndefined();
  });
});
