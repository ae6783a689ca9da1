/** Server-side fallback: the request, and the cost of the model that answered. */
import {
  type AnthropicOptions,
  type AssistantMessage,
  completeSimple,
  getModel,
  type Model,
  registerModels,
  stream,
} from "pi-ai";
import { expect, onTestFinished, test } from "vitest";
import { sseEvent } from "../../../test/support/sse.js";

const FABLE = getModel("anthropic", "claude-fable-5-2");
const OPUS = getModel("anthropic", "claude-opus-5-5");

interface Sent {
  body: Record<string, unknown>;
  betas: string;
}

interface Exchange {
  message: AssistantMessage;
  sent: Sent[];
}

const WHOLE = { input_tokens: 1000, output_tokens: 500, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

/** The answer of another model after a refusal. */
function fallbackAnswer(to: string, iterations: readonly object[]): string {
  const start = { type: "message_start", message: { id: "msg_1", model: FABLE.id, usage: { input_tokens: 1000 } } };
  const mark = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "fallback", from: { model: FABLE.id }, to: { model: to }, trigger: { type: "refusal" } },
  };
  return [
    start,
    mark,
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "Yes." } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { ...WHOLE, iterations } },
    { type: "message_stop" },
  ]
    .map((event) => sseEvent(event))
    .join("");
}

async function ask(answer: string, options: AnthropicOptions, before: AssistantMessage[] = []): Promise<Exchange> {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push({ body: await request.clone().json(), betas: request.headers.get("anthropic-beta") ?? "" });
    return new Response(answer, { headers: { "content-type": "text/event-stream" } });
  };
  const user = { role: "user", content: "May I?", timestamp: 0 } as const;
  const messages = [user, ...before.flatMap((message) => [message, user])];
  const message = await stream(FABLE, { messages }, { apiKey: "k", fetch, maxRetries: 0, ...options }).result();
  return { message, sent };
}

const served = (model: string): object => ({ type: "fallback_message", model, ...WHOLE });
const declined = (output: number): object => ({
  type: "message",
  model: FABLE.id,
  input_tokens: 1000,
  output_tokens: output,
});
const dollars = ({ cost }: Pick<typeof OPUS, "cost">, input: number, output: number): number =>
  (input * cost.input + output * cost.output) / 1_000_000;

test.each([
  ["default", "default"],
  [
    ["claude-opus-5-5", "claude-opus-4-8"],
    [{ model: "claude-opus-5-5" }, { model: "claude-opus-4-8" }],
  ],
] as const)("%j is sent with its beta", async (fallbacks, field) => {
  const { message, sent } = await ask(fallbackAnswer(OPUS.id, [served(OPUS.id)]), { fallbacks });
  expect(sent[0]?.body["fallbacks"]).toEqual(field);
  expect(sent[0]?.betas.split(",")).toContain("server-side-fallback-2026-07-01");
  expect(message).toMatchObject({ model: FABLE.id, responseModel: OPUS.id, stopReason: "stop" });
  expect(message.diagnostics?.map(({ type }) => type)).not.toContain("unknown_options");
});

test("without the option the request has neither", async () => {
  const { sent } = await ask(fallbackAnswer(OPUS.id, []), {});
  expect(sent[0]?.body).not.toHaveProperty("fallbacks");
  expect(sent[0]?.betas).not.toContain("fallback");
});

test.each([[[]], [["a", "b", "c", "d"]], [[""]], [[7]], ["other"], [{}], [""]])(
  "%j is refused before the request",
  async (fallbacks) => {
    const { message, sent } = await ask("", { fallbacks: fallbacks as unknown as "default" });
    expect(message).toMatchObject({
      stopReason: "error",
      errorMessage: 'fallbacks must be "default" or a list of one to 3 ids of models',
      error: { kind: "config" },
    });
    expect(sent).toEqual([]);
  },
);

test("the cost is that of the model that answered; a refusal without output costs nothing", async () => {
  const { message } = await ask(fallbackAnswer(OPUS.id, [declined(0), served(OPUS.id)]), { fallbacks: "default" });
  expect(message.usage).toMatchObject({ input: 1000, output: 500 });
  expect(message.usage.cost.total).toBeCloseTo(dollars(OPUS, 1000, 500), 12);
});

test("a refusal in the middle is paid at the price of the model that refused", async () => {
  const { message } = await ask(fallbackAnswer(OPUS.id, [declined(200), served(OPUS.id)]), { fallbacks: "default" });
  expect(message.usage.cost.total).toBeCloseTo(dollars(OPUS, 1000, 500) + dollars(FABLE, 1000, 200), 12);
});

test("an id with a date, a registered model and one without a price", async () => {
  const dated = await ask(fallbackAnswer(`${OPUS.id}-20261101`, [served(`${OPUS.id}-20261101`)]), {
    fallbacks: "default",
  });
  expect(dated.message.usage.cost.total).toBeCloseTo(dollars(OPUS, 1000, 500), 12);
  const own = { ...OPUS, id: "claude-own", cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } };
  onTestFinished(registerModels([own]));
  const registered = await ask(fallbackAnswer(own.id, [served(own.id)]), { fallbacks: [own.id] });
  expect(registered.message.usage.cost.total).toBeCloseTo(dollars(own, 1000, 500), 12);
  const unknown = await ask(fallbackAnswer("claude-x", [served("claude-x")]), { fallbacks: ["claude-x"] });
  expect(unknown.message.usage.cost.total).toBeCloseTo(dollars(FABLE, 1000, 500), 12);
});

test("the simple functions send it, and another host or api names it", async () => {
  const answer = fallbackAnswer(OPUS.id, [served(OPUS.id)]);
  const bodies: Record<string, unknown>[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    bodies.push({ betas: request.headers.get("anthropic-beta"), ...(await request.json()) });
    return new Response(answer, { headers: { "content-type": "text/event-stream" } });
  };
  const send = (model: Model): Promise<AssistantMessage> =>
    completeSimple(model, "May I?", { apiKey: "k", fetch, maxRetries: 0, fallbacks: [OPUS.id], reasoning: "high" });
  const message = await send(FABLE);
  expect(bodies[0]).toMatchObject({ fallbacks: [{ model: OPUS.id }], betas: expect.stringContaining("fallback") });
  expect(message).toMatchObject({ responseModel: OPUS.id });
  expect(message.usage.cost.total).toBeCloseTo(dollars(OPUS, 1000, 500), 12);
  for (const model of [
    { ...FABLE, provider: "opencode", baseUrl: "https://opencode.ai/zen" },
    getModel("openai", "gpt-6.2-sol"),
  ]) {
    const { diagnostics } = await send(model);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ type: "option_omitted", details: { name: "fallbacks", reason: "no_field_in_api" } }),
    );
    expect(bodies.at(-1)).not.toHaveProperty("fallbacks");
    expect(bodies.at(-1)?.["betas"] ?? "").not.toContain("fallback");
  }
});

test("the mark goes back with its beta", async () => {
  const answer = fallbackAnswer(OPUS.id, [served(OPUS.id)]);
  const { message } = await ask(answer, { fallbacks: "default" });
  const { sent } = await ask(answer, {}, [message]);
  expect(JSON.stringify(sent[0]?.body["messages"])).toContain('"type":"fallback"');
  expect(sent[0]?.betas).toContain("server-side-fallback-2026-07-01");
});
