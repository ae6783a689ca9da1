/** The forms in which servers count: as text, null, not at all, once or in each event, with zeros at the end. On every api. */
import { completeSimple, getModel, type Model } from "pi-ai";
import { describe, expect, it } from "vitest";
import { encodeAwsEvent } from "./support/aws-frames.js";

type Counts = Readonly<Record<string, unknown>> | null | undefined;
/** The names of an api: the prompt with and without the cache, what was read from it, and the response. */
interface Api {
  model: Model;
  /** @param counts in the order in which the server sends them */
  answer(counts: readonly Counts[]): Response;
  /** A prompt of 100 tokens, 60 of them from the cache, and 5 of a response. */
  count(prompt: unknown, cached: unknown, response: unknown): Counts;
}

const sse = (events: readonly object[], end = ""): Response =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + end, {
    headers: { "content-type": "text/event-stream" },
  });
const chunk = (delta: object, more: object = {}): object => ({
  ...{ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: null }] },
  ...more,
});
/** A prompt without what was read from the cache. */
const fresh = (prompt: unknown, cached: unknown): unknown =>
  typeof prompt === "number" && typeof cached === "number" ? prompt - cached : prompt;

const chat = (model: Model): Api => ({
  model,
  answer: (counts) =>
    sse(
      [
        ...counts.map((usage) => chunk({ content: "a" }, { usage })),
        { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      ],
      "data: [DONE]\n\n",
    ),
  count: (prompt, cached, response) => ({
    prompt_tokens: prompt,
    completion_tokens: response,
    prompt_tokens_details: cached === undefined ? null : { cached_tokens: cached },
  }),
});

const responses = (model: Model): Api => ({
  model,
  answer: (counts) =>
    sse([
      ...counts.slice(0, -1).map((usage) => ({ type: "response.in_progress", response: { id: "r", usage } })),
      { type: "response.output_text.delta", item_id: "x", output_index: 0, content_index: 0, delta: "a" },
      { type: "response.completed", response: { id: "r", status: "completed", output: [], usage: counts.at(-1) } },
    ]),
  count: (prompt, cached, response) => ({
    input_tokens: prompt,
    output_tokens: response,
    input_tokens_details: cached === undefined ? null : { cached_tokens: cached },
  }),
});

const gemini = (model: Model): Api => ({
  model,
  answer: (counts) =>
    sse(
      counts.map((usageMetadata, index) => ({
        candidates: [
          {
            content: { role: "model", parts: [{ text: "a" }] },
            ...(index === counts.length - 1 ? { finishReason: "STOP" } : {}),
          },
        ],
        usageMetadata,
      })),
    ),
  count: (prompt, cached, response) => ({
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: response,
  }),
});

const ANTHROPIC: Api = {
  model: getModel("anthropic", "claude-sonnet-4-6"),
  answer: (counts) =>
    sse([
      {
        type: "message_start",
        message: { id: "m", role: "assistant", content: [], model: "c", usage: counts.length > 1 ? counts[0] : null },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "a" } },
      { type: "content_block_stop", index: 0 },
      ...counts.slice(1, -1).map((usage) => ({ type: "message_delta", delta: {}, usage })),
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: counts.at(-1) },
      { type: "message_stop" },
    ]),
  count: (prompt, cached, response) => ({
    input_tokens: fresh(prompt, cached),
    cache_read_input_tokens: cached,
    output_tokens: response,
  }),
};

const BEDROCK: Api = {
  model: getModel("amazon-bedrock", "global.anthropic.claude-sonnet-4-6"),
  answer: (counts) => {
    const events = [
      { messageStart: { role: "assistant" } },
      ...counts.slice(0, -1).map((usage) => ({ metadata: { usage } })),
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "a" } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: "end_turn" } },
      { metadata: { usage: counts.at(-1), metrics: { latencyMs: 1 } } },
    ];
    return new Response(Buffer.concat(events.map(encodeAwsEvent)), {
      headers: { "content-type": "application/vnd.amazon.eventstream" },
    });
  },
  count: (prompt, cached, response) => ({
    inputTokens: fresh(prompt, cached),
    cacheReadInputTokens: cached,
    outputTokens: response,
  }),
};

const APIS: Readonly<Record<string, Api>> = {
  Anthropic: ANTHROPIC,
  "OpenAI Responses": responses(getModel("openai", "gpt-5.4")),
  Azure: responses({ ...getModel("azure", "gpt-5.2"), baseUrl: "https://x.openai.azure.com/openai/v1" }),
  xAI: responses(getModel("xai", "grok-4.3")),
  "Chat Completions": chat(getModel("groq", "openai/gpt-oss-120b")),
  Mistral: chat(getModel("mistral", "mistral-medium-latest")),
  Gemini: gemini(getModel("google", "gemini-3-flash-preview")),
  Vertex: gemini(getModel("google-vertex", "gemini-3-flash-preview")),
  Bedrock: BEDROCK,
};

const WHOLE = [40, 60, 5];
const NONE = [0, 0, 0];
type Form = readonly [name: string, counts: (count: Api["count"]) => Counts[], expected: readonly number[]];

const FORMS: readonly Form[] = [
  ["at the end", (count) => [count(100, 60, 5)], WHOLE],
  ["in each event", (count) => [count(100, 60, 5), count(100, 60, 5), count(100, 60, 5)], WHOLE],
  ["growing", (count) => [count(100, 60, 1), count(100, 60, 3), count(100, 60, 5)], WHOLE],
  ["zeros at the start", (count) => [count(0, 0, 0), count(100, 60, 5)], WHOLE],
  ["zeros at the end", (count) => [count(100, 60, 5), count(0, 0, 0)], WHOLE],
  ["the prompt at the start, the response at the end", (count) => [count(100, 60, 1), count(0, 0, 5)], WHOLE],
  ["null at the end", (count) => [count(100, 60, 5), null], WHOLE],
  ["nothing at the end", (count) => [count(100, 60, 5), undefined], WHOLE],
  ["null values at the end", (count) => [count(100, 60, 5), count(null, null, null)], WHOLE],
  ["no cache", (count) => [count(100, undefined, 5)], [100, 0, 5]],
  ["null as the cache", (count) => [count(100, null, 5)], [100, 0, 5]],
  ["only zeros", (count) => [count(0, 0, 0)], NONE],
  ["no counts", () => [undefined], NONE],
  ["null", () => [null], NONE],
  ["texts", (count) => [count("100", "60", "5")], NONE],
  ["numbers that are none", (count) => [count(-100, -60, -5)], NONE],
  ["lists", (count) => [count([100], [60], [5])], NONE],
  ["numbers that no counter has", (count) => [count(1e300, 1e300, 1e300)], NONE],
];

describe.each(Object.entries(APIS))("%s", (_, { model, answer, count }) => {
  it.each(FORMS)("reads %s", async (_name, form, [input = 0, cacheRead = 0, output = 0]) => {
    const fetch = async (): Promise<Response> => answer(form(count));
    const { usage, stopReason } = await completeSimple(model, "Hi", { apiKey: "test-key", maxRetries: 0, fetch });
    expect(stopReason).toBe("stop");
    const totalTokens = input + cacheRead + output;
    expect(usage).toMatchObject({ input, cacheRead, output, cacheWrite: 0, totalTokens });
    const { cost } = model;
    const price = (input * cost.input + cacheRead * cost.cacheRead + output * cost.output) / 1_000_000;
    expect(usage.cost.total).toBeCloseTo(price, 12);
  });
});
