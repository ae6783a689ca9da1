/** What a client of a relay can repeat in its request, which the server checks, counts and writes for the api. */
import { type AssistantBlock, type Message, streamSimple, type Tool, type ToolCall } from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import { API_TESTS } from "../../packages/ai/test/protocols/all-apis.js";
import { SIX } from "./api-rows.js";
import type { GrowthRow } from "./row.js";

const times = <TValue>(count: number, create: (index: number) => TValue): TValue[] =>
  Array.from({ length: count }, (_, index) => create(index));
/** An object of about 90 bytes for each of `count`. */
const keys = (count: number, value: unknown): Record<string, unknown> => {
  const bytes = 12 + JSON.stringify(value).length;
  return Object.fromEntries(times((90 / bytes) * count, (index) => [`key${index}`, value]));
};

const USER: Message = { role: "user", content: "Hi", timestamp: 1 };
const tool = (index: number, more: Partial<Tool> = {}): Tool => ({
  name: `tool_${index}`,
  description: "Does",
  parameters: { type: "object", properties: {} },
  ...more,
});
const call = (index: number, args: ToolCall["arguments"] = {}): ToolCall => ({
  type: "toolCall",
  id: `call_${index}`,
  name: "tool_0",
  arguments: args,
});
const result = (index: number): Message => ({
  ...{ role: "toolResult", toolCallId: `call_${index}`, toolName: "tool_0", isError: false, timestamp: 1 },
  content: [{ type: "text", text: "done" }],
});
function response(content: AssistantBlock[]): Message {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const model = { api: "ui", provider: "ui", model: "ui" };
  return { role: "assistant", content, ...model, usage, stopReason: "stop", timestamp: 1 };
}

interface Asked {
  messages?: Message[];
  tools?: Tool[];
  systemPrompt?: string;
}

const REQUESTS: Readonly<Record<string, (count: number) => Asked>> = {
  messages: (count) => ({ messages: times(count, () => USER) }),
  "texts of a message": (count) => ({
    messages: [{ ...USER, content: times(count, () => ({ type: "text", text: "word" })) }],
  }),
  "texts of a response": (count) => ({
    messages: [USER, response(times(count, () => ({ type: "text", text: "word" }))), USER],
  }),
  "thoughts of a response": (count) => ({
    messages: [USER, response(times(count, () => ({ type: "thinking", thinking: "word" }))), USER],
  }),
  "calls of a response": (count) => ({ messages: [USER, response(times(count, (index) => call(index))), USER] }),
  "calls with results": (count) => ({
    messages: [USER, response(times(count, (index) => call(index))), ...times(count, result), USER],
  }),
  "responses with calls": (count) => ({
    messages: [USER, ...times(count, (index) => [response([call(index)]), result(index)]).flat(), USER],
  }),
  "results without calls": (count) => ({ messages: [USER, ...times(count, result), USER] }),
  "keys of arguments": (count) => ({ messages: [USER, response([call(0, keys(count, 1))]), result(0), USER] }),
  "objects of arguments": (count) => ({ messages: [USER, response([call(0, keys(count, {}))]), result(0), USER] }),
  tools: (count) => ({ tools: times(count, (index) => tool(index)), messages: [USER] }),
  "tools of one name": (count) => ({ tools: times(count, () => tool(0)), messages: [USER] }),
  "properties of a tool": (count) => ({
    tools: [tool(0, { parameters: { type: "object", properties: keys(count, { type: "string" }) } })],
    messages: [USER],
  }),
  "values of an enum": (count) => ({
    tools: [
      tool(0, {
        parameters: { type: "object", properties: { a: { enum: times(count, (index) => `value${index}`) } } },
      }),
    ],
    messages: [USER],
  }),
  "branches of a schema": (count) => ({
    tools: [
      tool(0, {
        parameters: { type: "object", properties: { a: { anyOf: times(count, (index) => ({ const: index })) } } },
      }),
    ],
    messages: [USER],
  }),
};

const refuse = async (): Promise<Response> => new Response("no", { status: 400 });

export function requestRows(): GrowthRow[] {
  const six = API_TESTS.filter(({ api }) => SIX.test(api));
  return six.flatMap(({ fixtures }) =>
    Object.entries(REQUESTS).map(
      ([what, create]): GrowthRow => ({
        reader: `request to a relay, ${fixtures.name}`,
        what,
        prepare: (count) => {
          const model = fixtures.model("https://example.invalid");
          const handler = createProxyHandler({
            ...{ authorize: "token", allowModels: () => true, getModel: () => model, getApiKey: async () => "k" },
            limits: { maxInputTokens: 1e9 },
            streamFn: (_model, context, options) =>
              streamSimple(model, context, { ...fixtures.options, ...options, maxRetries: 0, fetch: refuse }),
          });
          const body = JSON.stringify({ model, context: create(count) });
          const headers = { "content-type": "application/json", authorization: "Bearer token" };
          return async () =>
            (await handler(new Request("http://relay.test/api/stream", { method: "POST", headers, body }))).text();
        },
      }),
    ),
  );
}
