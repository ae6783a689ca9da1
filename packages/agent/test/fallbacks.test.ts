/** Another Claude answers after a refusal: from an agent, directly and through a relay. */
import { Agent, streamProxy } from "pi-agent";
import { getModel, type StreamFn, streamSimple } from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import { expect, test } from "vitest";

const FABLE = getModel("anthropic", "claude-fable-5-2");
const OPUS = getModel("anthropic", "claude-opus-5-5");
const COUNTS = { input_tokens: 1000, output_tokens: 500 };
const ANSWER = [
  { type: "message_start", message: { id: "msg_1", model: FABLE.id, usage: COUNTS } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "Yes." } },
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { ...COUNTS, iterations: [{ type: "fallback_message", model: OPUS.id, ...COUNTS }] },
  },
  { type: "message_stop" },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");
const COST = (1000 * OPUS.cost.input + 500 * OPUS.cost.output) / 1_000_000;

function server() {
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push((await new Request(input, init).json()).fallbacks);
    return new Response(ANSWER, { headers: { "content-type": "text/event-stream" } });
  };
  const direct: StreamFn = (model, context, options) =>
    streamSimple(model, context, { ...options, apiKey: "k", fetch });
  const handler = createProxyHandler({
    authorize: "token",
    allowModels: [`anthropic/${FABLE.id}`, `anthropic/${OPUS.id}`],
    streamFn: (model, context, options) => streamSimple(model, context, { ...options, apiKey: "k", fetch }),
  });
  const relay: StreamFn = (model, context, options) =>
    streamProxy(model, context, {
      ...options,
      authToken: "token",
      proxyUrl: "https://relay.test",
      fetch: (url, init) => handler(new Request(url, init)),
    });
  return { sent, direct, relay };
}

test.each(["direct", "relay"] as const)("an agent sends its fallbacks: %s", async (way) => {
  for (const [fallbacks, field] of [
    ["default", "default"],
    [[OPUS.id], [{ model: OPUS.id }]],
  ] as const) {
    const { sent, ...ways } = server();
    const agent = new Agent({ initialState: { model: FABLE }, streamFn: ways[way], streamOptions: { fallbacks } });
    const message = await agent.prompt("May I?");
    expect(sent).toEqual([field]);
    expect(message).toMatchObject({ stopReason: "stop", usage: { cost: { total: expect.closeTo(COST, 12) } } });
    expect(JSON.stringify(message)).not.toContain("unknown_options");
  }
});

test.each([
  ["claude-haiku-5-5", "The model anthropic/claude-haiku-5-5 may not be used here"],
  ["claude-none-1", "Unknown model: anthropic/claude-none-1"],
])("a relay refuses the fallback %s", async (id, text) => {
  const { sent, relay } = server();
  const agent = new Agent({ initialState: { model: FABLE }, streamFn: relay, streamOptions: { fallbacks: [id] } });
  const message = await agent.prompt("May I?");
  expect(message).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining(text) });
  expect(sent).toEqual([]);
});
