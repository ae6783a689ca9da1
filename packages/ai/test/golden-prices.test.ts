/**
 * The cost of recorded responses, computed by hand: the counts that the provider sent, times the prices of its own
 * price sheet, which the catalogue contains. All amounts are millionths of a dollar, so that a price per million tokens
 * times a count is the amount.
 */

import {
  type AssistantMessage,
  getModel,
  type Model,
  type ModelPrice,
  registerBuiltInApiProviders,
  streamSimple,
} from "pi-ai";
import { expect, test } from "vitest";
import { API_TESTS, testsOf } from "./protocols/all-apis.js";
import { readRecordings, type StreamRecording } from "./wire/recordings.js";

interface Golden {
  api: string;
  recording: string;
  /** The vendor of the price sheet and its line. */
  model: [provider: string, id: string];
  /** The prices of the line: dollars per million tokens of input, output, cache read and cache write. */
  prices: [input: number, output: number, cacheRead: number, cacheWrite: number];
  /** Millionths of a dollar, in the same order. */
  cost: [input: number, output: number, cacheRead: number, cacheWrite: number];
  total: number;
}

const GOLDEN: readonly Golden[] = [
  {
    api: "anthropic-messages",
    recording: "braintrust-js--claude-agent-sdk-instrumentation.claude-agent-sdk-v0-latest.21",
    model: ["anthropic", "claude-haiku-4-5-20251001"],
    prices: [1, 5, 0.1, 1.25],
    // 10 × 1, 199 × 5, 21,870 × 0.1, 2,374 × 1.25
    cost: [10, 995, 2187, 2967.5],
    total: 6159.5,
  },
  {
    api: "anthropic-messages",
    recording: "braintrust-js--flue-instrumentation.flue-v0-8-0.2",
    model: ["anthropic", "claude-sonnet-4-5-20250929"],
    prices: [3, 15, 0.3, 3.75],
    // 13 × 3, 138 × 15, 2,458 × 0.3, 234 × 3.75
    cost: [39, 2070, 737.4, 877.5],
    total: 3723.9,
  },
  {
    api: "anthropic-messages",
    recording: "dd-trace-js--claude-agent-sdk.claude-agent-sdk_v1_messages_beta_true_post_3da17772",
    model: ["anthropic", "claude-sonnet-4-6"],
    prices: [3, 15, 0.3, 3.75],
    // 3 × 3, 215 × 15, 0, 2,750 × 3.75
    cost: [9, 3225, 0, 10312.5],
    total: 13546.5,
  },
  {
    api: "anthropic-messages",
    recording: "rig--anthropic.opus_4_7.messages_adaptive_thinking_streaming_smoke.0",
    model: ["anthropic", "claude-opus-4-7"],
    prices: [5, 25, 0.5, 6.25],
    // 102 × 5, 630 × 25: thinking is part of the output
    cost: [510, 15750, 0, 0],
    total: 16260,
  },
  {
    api: "anthropic-messages",
    recording: "pydantic-ai--test_anthropic.test_pause_turn_web_search_streaming_vcr.1",
    model: ["anthropic", "claude-sonnet-4-5"],
    prices: [3, 15, 0.3, 3.75],
    // 482,529 × 3, 1,310 × 15
    cost: [1447587, 19650, 0, 0],
    total: 1467237,
  },
  {
    api: "openai-completions",
    recording: "fantasy--TestOpenRouterCommon.kimi.multi_tool_streaming.0",
    model: ["openrouter", "moonshotai/kimi-k2.5"],
    prices: [0.41, 2.06, 0.07, 0],
    // (125 − 64) × 0.41, 97 × 2.06, 64 × 0.07
    cost: [25.01, 199.82, 4.48, 0],
    total: 229.31,
  },
  {
    api: "openai-completions",
    recording: "fantasy--TestOpenRouterCommon.anthropic.multi_tool_streaming.0",
    model: ["openrouter", "anthropic/claude-haiku-4.5"],
    prices: [1, 5, 0.1, 1.25],
    // 685 × 1, 120 × 5; the wire says 0.001285 dollars
    cost: [685, 600, 0, 0],
    total: 1285,
  },
  {
    api: "openai-completions",
    recording: "fantasy--TestOpenRouterCommon.gemini.multi_tool_streaming.0",
    model: ["openrouter", "google/gemini-3.1-flash-lite-preview"],
    prices: [0.25, 1.5, 0.025, 0.083333],
    // 157 × 0.25, 32 × 1.5; the wire says 0.00008725 dollars
    cost: [39.25, 48, 0, 0],
    total: 87.25,
  },
  {
    api: "openai-completions",
    recording: "pydantic-ai--test_zai.test_zai_thinking_stream",
    model: ["zai", "glm-4.7"],
    prices: [0.6, 2.2, 0.11, 0],
    // 13 × 0.6, 564 × 2.2: reasoning is part of the output
    cost: [7.8, 1240.8, 0, 0],
    total: 1248.6,
  },
  {
    api: "openai-completions",
    recording: "lmnr-python--test_litellm.test_litellm_completion_streaming_with_tool_call_openai",
    model: ["openai", "gpt-4.1-nano"],
    prices: [0.1, 0.4, 0.025, 0],
    // 72 × 0.1, 44 × 0.4
    cost: [7.2, 17.6, 0, 0],
    total: 24.8,
  },
  {
    api: "openai-responses",
    recording: "braintrust-js--openai-codex-instrumentation.openai-codex-v0-latest-auto-hook.1",
    model: ["openai", "gpt-5.3-codex"],
    prices: [1.75, 14, 0.175, 0],
    // (15,712 − 9,856) × 1.75, 99 × 14, 9,856 × 0.175
    cost: [10248, 1386, 1724.8, 0],
    total: 13358.8,
  },
  {
    api: "openai-responses",
    recording: "pydantic-ai--test_vercel_ai.test_run",
    model: ["openai", "gpt-5"],
    prices: [1.25, 10, 0.125, 0],
    // (33,151 − 4,352) × 1.25, 3,367 × 10, 4,352 × 0.125
    cost: [35998.75, 33670, 544, 0],
    total: 70212.75,
  },
  {
    api: "openai-responses",
    recording: "pydantic-ai--test_openai_responses.test_openai_responses_streaming_usage",
    model: ["openai", "gpt-5"],
    prices: [1.25, 10, 0.125, 0],
    // The service tier is flex, which costs half: 53 × 1.25 ÷ 2, 469 × 10 ÷ 2
    cost: [33.125, 2345, 0, 0],
    total: 2378.125,
  },
  {
    api: "openai-responses",
    recording: "rig--xai.agent_tool_sessions.parallel_tool_calls_single_turn_streaming.0",
    model: ["xai", "grok-4.3"],
    prices: [1.25, 2.5, 0.2, 0],
    // (352 − 320) × 1.25, 267 × 2.5, 320 × 0.2; the wire says 7,715,000 ticks, of which 10,000 are one millionth
    cost: [40, 667.5, 64, 0],
    total: 771.5,
  },
  {
    api: "openai-responses",
    recording: "fantasy--TestAzureResponsesCommon.azure-gpt-5-mini.tool_streaming.1",
    model: ["azure", "gpt-5-mini"],
    prices: [0.25, 2, 0.025, 0],
    // 92 × 0.25, 230 × 2
    cost: [23, 460, 0, 0],
    total: 483,
  },
  {
    api: "google-generative-ai",
    recording: "braintrust-js--google-genai-instrumentation.google-genai-v1.8",
    model: ["google", "gemini-2.5-flash"],
    prices: [0.3, 2.5, 0.03, 0],
    // (19 + 69 for tools − 4) × 0.3, (46 + 138 thoughts) × 2.5, 4 × 0.03
    cost: [25.2, 460, 0.12, 0],
    total: 485.32,
  },
  {
    api: "google-generative-ai",
    recording: "vercel-ai--google.google-stream-tool-call-arguments",
    model: ["google", "gemini-3.1-pro-preview"],
    prices: [2, 12, 0.2, 0],
    // 26 × 2, (23 + 132 thoughts) × 12
    cost: [52, 1860, 0, 0],
    total: 1912,
  },
  {
    api: "mistral-conversations",
    recording: "rig--mistral.prompt_caching.streaming_probe.0",
    model: ["mistral", "mistral-large-latest"],
    prices: [0.7, 2.1, 0.07, 0],
    // (1,783 − 1,760) × 0.7, 4 × 2.1, 1,760 × 0.07
    cost: [16.1, 8.4, 123.2, 0],
    total: 147.7,
  },
  {
    api: "mistral-conversations",
    recording: "pydantic-ai--test_mistral.test_mistral_model_thinking_part_iter",
    model: ["mistral", "magistral-medium-latest"],
    prices: [2, 5, 0.2, 0],
    // 10 × 2, 232 × 5
    cost: [20, 1160, 0, 0],
    total: 1180,
  },
  {
    api: "bedrock-converse-stream",
    recording: "braintrust-js--bedrock-runtime-instrumentation.bedrock-runtime-v3-latest.1",
    model: ["amazon-bedrock", "us.amazon.nova-lite-v1:0"],
    prices: [0.06, 0.24, 0.015, 0],
    // 6 × 0.06, 3 × 0.24, 14,922 × 0.015
    cost: [0.36, 0.72, 223.83, 0],
    total: 224.91,
  },
  {
    api: "bedrock-converse-stream",
    recording: "langchain-aws--libs.aws.test_thinking_v0.0",
    model: ["amazon-bedrock", "us.anthropic.claude-sonnet-5"],
    prices: [2.2, 11, 0.22, 2.75],
    // 46 × 2.2, 1,196 × 11
    cost: [101.2, 13156, 0, 0],
    total: 13257.2,
  },
  {
    api: "bedrock-converse-stream",
    recording: "otel-python--opentelemetry-instrumentation-botocore.test_converse_stream_no_content_tool_call.0",
    model: ["amazon-bedrock", "amazon.nova-micro-v1:0"],
    prices: [0.035, 0.14, 0.00875, 0],
    // 415 × 0.035, 195 × 0.14
    cost: [14.525, 27.3, 0, 0],
    total: 41.825,
  },
];

const recordings = new Map(
  [...new Set(GOLDEN.map(({ api }) => api))].flatMap((api) =>
    readRecordings(api).flatMap((recording) =>
      recording.kind === "stream" ? [[`${api}/${recording.name}`, recording] as const] : [],
    ),
  ),
);

registerBuiltInApiProviders();

for (const golden of GOLDEN) {
  const { api, model, prices, cost, total } = golden;
  const recording = recordings.get(`${api}/${golden.recording}`);
  const name = `${api}: ${golden.recording} costs ${total} millionths of a dollar`;

  test(`${model.join("/")} has the prices of ${golden.recording}`, () => {
    expect(pricesOf(priceSheet(golden))).toEqual(prices);
  });

  test.skipIf(!recording)(recording ? name : `${name} (skipped: the recording is missing)`, async () => {
    const message = await ask(golden, recording as StreamRecording); // skipped if it is missing
    expect(message.errorMessage).toBeUndefined();
    const millionths = pricesOf(message.usage.cost).map((dollars) => dollars * 1_000_000);
    for (const [index, amount] of cost.entries()) expect(millionths[index]).toBeCloseTo(amount, 6);
    expect(message.usage.cost.total * 1_000_000).toBeCloseTo(total, 6);
  });
}

test("covers every recorded api", () => {
  expect(GOLDEN.length).toBeGreaterThanOrEqual(20);
  expect(new Set(GOLDEN.map(({ api }) => api)).size).toBe(API_TESTS.filter(({ recordings }) => recordings).length);
});

/** Replays the recording as the response to a request to a model with the catalogue's prices. */
function ask(golden: Golden, { body }: StreamRecording): Promise<AssistantMessage> {
  const { api } = golden;
  const { compat: _compat, ...entry } = priceSheet(golden);
  const model: Model = { ...entry, api, baseUrl: "https://recording.test" };
  const type = testsOf(api).fixtures.contentType;
  const fetch = async (): Promise<Response> =>
    new Response(new Uint8Array(body), { headers: { "content-type": type } });
  const context = { messages: [{ role: "user" as const, content: "Hello", timestamp: 0 }] };
  return streamSimple(model, context, { apiKey: "key", fetch, maxRetries: 0 }).result();
}

function priceSheet({ model: [provider, id] }: Golden): Model {
  const model = getModel(provider, id);
  if (!model) throw new Error(`The catalogue has no ${provider}/${id}`);
  return model;
}

function pricesOf(value: Model | ModelPrice): number[] {
  const { input, output, cacheRead, cacheWrite } = "cost" in value ? value.cost : value;
  return [input, output, cacheRead, cacheWrite];
}
