/** A call that a server writes twice runs once, on every api; two calls under one id both run. */
import { Agent } from "pi-agent";
import { getModel, type Model, streamSimple, Type } from "pi-ai";
import { describe, expect, it } from "vitest";

type Args = { x: string };
interface Wire {
  model: Model;
  /** A response with calls of the same id, each with its arguments. */
  calls: (list: readonly Args[]) => string;
  text: string;
}

const events = (list: readonly object[]): string => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const named = (list: readonly { type: string }[]): string =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

const chunk = (delta: object, finish: string | null = null): object => ({
  ...{ id: "c", object: "chat.completion.chunk", model: "m" },
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const chatCall = ({ x }: Args, index: number): object =>
  chunk({
    tool_calls: [
      { index, id: "call00001", type: "function", function: { name: "a", arguments: JSON.stringify({ x }) } },
    ],
  });
const chat = (list: readonly object[], finish: string): string =>
  `${events([...list, chunk({}, finish)])}data: [DONE]\n\n`;
const chatWire = (model: Model): Wire => ({
  model,
  calls: (list) => chat(list.map(chatCall), "tool_calls"),
  text: chat([chunk({ content: "done" })], "stop"),
});

const start = {
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", content: [], model: "c" },
};
const blocks = (list: readonly (readonly object[])[], reason: string): string =>
  named([
    start,
    ...list.flatMap((parts, index) => parts.map((part) => ({ type: "", ...part, index }))),
    { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 5 } } as { type: string },
    { type: "message_stop" },
  ]);
const anthropic: Wire = {
  model: getModel("anthropic", "claude-sonnet-5-5"),
  calls: (list) =>
    blocks(
      list.map((args) => [
        { type: "content_block_start", content_block: { type: "tool_use", id: "t1", name: "a", input: {} } },
        { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: JSON.stringify(args) } },
        { type: "content_block_stop" },
      ]),
      "tool_use",
    ),
  text: blocks(
    [[{ type: "content_block_start", content_block: { type: "text", text: "done" } }, { type: "content_block_stop" }]],
    "end_turn",
  ),
};

const completed = (output: object[]): { type: string } => ({
  type: "response.completed",
  ...{ response: { id: "r", status: "completed", output } },
});
const responses = (model: Model): Wire => ({
  model,
  calls: (list) =>
    named([
      ...list.flatMap((args, place) => {
        const item = { type: "function_call", id: "f", call_id: "c", name: "a", arguments: "" };
        const at = { output_index: place };
        return [
          { type: "response.output_item.added", ...at, item },
          { type: "response.output_item.done", ...at, item: { ...item, arguments: JSON.stringify(args) } },
        ];
      }),
      completed([]),
    ]),
  text: named([
    completed([{ type: "message", id: "x", role: "assistant", content: [{ type: "output_text", text: "done" }] }]),
  ]),
});

const parts = (list: readonly object[]): string =>
  events([{ candidates: [{ content: { role: "model", parts: list }, finishReason: "STOP" }] }]);
const google = (model: Model): Wire => ({
  model,
  calls: (list) => parts(list.map((args) => ({ functionCall: { id: "g1", name: "a", args } }))),
  text: parts([{ text: "done" }]),
});

const custom: Model = { ...getModel("openai", "gpt-4.1"), api: "openai-completions", provider: "custom" } as Model;
const WIRES: readonly (readonly [string, Wire])[] = [
  ["Chat Completions", chatWire(custom)],
  ["Mistral", chatWire(getModel("mistral", "mistral-medium-latest"))],
  ["Anthropic", anthropic],
  ["Responses", responses(getModel("openai", "gpt-6.1-sol"))],
  ["Azure", responses({ ...getModel("azure", "gpt-6.1-sol"), baseUrl: "https://a.openai.azure.com/openai/v1" })],
  ["Gemini", google(getModel("google", "gemini-3.8-flash"))],
];

async function runAgent({ model, calls, text }: Wire, ...rounds: readonly (readonly Args[])[]) {
  const bodies = [...rounds.map(calls), text];
  const sent: string[] = [];
  const ran: unknown[] = [];
  const agent = new Agent({
    initialState: {
      model,
      tools: [
        {
          ...{ name: "a", label: "a", description: "a", parameters: Type.Object({ x: Type.String() }) },
          execute: async (_id: string, args: unknown) => {
            ran.push(args);
            return { content: [{ type: "text", text: "r" }], details: {} };
          },
        },
      ],
    },
    streamFn: (wanted, context, options) =>
      streamSimple(wanted, context, {
        ...options,
        ...{ apiKey: "k", maxRetries: 0 },
        fetch: async (input, init) => {
          sent.push(await new Request(input, init).text());
          return new Response(bodies[sent.length - 1], { headers: { "content-type": "text/event-stream" } });
        },
      }),
    maxTurns: 3,
  });
  await agent.prompt("go");
  const last = agent.state.messages.at(-1);
  return { ran, sent, last, results: agent.state.messages.filter(({ role }) => role === "toolResult") };
}

describe.each(WIRES)("%s", (_, wire) => {
  it("runs a call once that comes twice", async () => {
    const { ran, results, last } = await runAgent(wire, [{ x: "1" }, { x: "1" }]);
    expect(ran).toEqual([{ x: "1" }]);
    expect(results).toHaveLength(1);
    expect(last).toMatchObject({ role: "assistant", stopReason: "stop", content: [{ text: "done" }] });
  });

  it("runs a call again that a later response makes under the same id, and sends both in pairs", async () => {
    const { ran, results, sent, last } = await runAgent(wire, [{ x: "1" }], [{ x: "1" }]);
    expect(ran).toEqual([{ x: "1" }, { x: "1" }]);
    expect(results).toHaveLength(2);
    expect(sent).toHaveLength(3);
    expect(last).toMatchObject({ stopReason: "stop", content: [{ text: "done" }] });
  });

  it("runs two calls with other arguments, and gives each its result", async () => {
    const { ran, results, last } = await runAgent(wire, [{ x: "1" }, { x: "2" }]);
    expect(ran).toEqual([{ x: "1" }, { x: "2" }]);
    expect(new Set(results.map((result) => Reflect.get(result, "toolCallId"))).size).toBe(2);
    expect(last).toMatchObject({ stopReason: "stop" });
  });
});
