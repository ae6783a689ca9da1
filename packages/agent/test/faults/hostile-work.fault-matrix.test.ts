/** A few bytes of a server, a page or a relay that would make much work: it is bounded, and counted here, never timed. */
import { streamProxy } from "pi-agent";
import { fromAgUiMessages, readAgUiAnswers } from "pi-agent/ag-ui";
import { mcpTools } from "pi-agent/mcp";
import { fromUIMessages, type UIMessageInput } from "pi-agent/ui-stream";
import { validateToolArguments } from "pi-ai";
import { expect, test, vi } from "vitest";
import { createClient, toolInfo } from "../mcp-client.js";
import { MODEL, user } from "../scripted-stream.js";

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test("#215 an MCP server sends 1,000 texts beside a large structured content", async () => {
  let reads = 0;
  const structuredContent = new Proxy<object>(
    Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`k${at}`, at])),
    {
      get: (target, name) => {
        reads++;
        return Reflect.get(target, name);
      },
    },
  );
  const client = createClient([toolInfo("a")]);
  client.results = [
    () => ({ content: Array.from({ length: 1000 }, () => ({ type: "text", text: "{}" })), structuredContent }),
  ];
  const [tool] = await mcpTools(client);
  expect((await tool?.execute("1", {}))?.content).toHaveLength(1001);
  expect(reads).toBeLessThan(10 * 2000);
});

test("#216 a page or a client sends 100,000 levels", () => {
  const output: unknown = JSON.parse(deep(100_000));
  const page: UIMessageInput[] = [{ role: "assistant", parts: [{ type: "tool-a", toolCallId: "1", output }] }];
  expect(() => fromUIMessages(page)).toThrow("messages.0.parts.0.output: nested deeper");
  const called = { id: "1", function: { name: "a", arguments: `{"a":${deep(100_000)}}` } };
  const message = { role: "assistant", toolCalls: [called] };
  expect(() => fromAgUiMessages([message])).toThrow("messages.0.toolCalls.0.function.arguments: nested deeper");
  expect(() => readAgUiAnswers([{ payload: { value: output } }])).toThrow("resume.0.payload.value: nested deeper");
});

test.each([
  ["with nothing new", '{"type":"start"}', 8],
  ["with content", '{"type":"text_delta","contentIndex":0,"delta":"a"}', 18],
])("#217 a relay ends after every event, %s", async (_, event, most) => {
  let requests = 0;
  const fetch = async (): Promise<Response> => {
    const data = requests++ === 0 ? '{"type":"text_start","contentIndex":0}' : event;
    return new Response(`data: ${data}\n\n`, { headers: { "x-run-id": "1" } });
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const leaving = new AbortController();
  const relay = { authToken: "token", proxyUrl: "https://relay.test", fetch, signal: leaving.signal };
  const result = streamProxy(MODEL, { messages: [user("Hi")] }, relay).result();
  await vi.advanceTimersByTimeAsync(4000);
  expect(requests).toBeLessThanOrEqual(most);
  leaving.abort();
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  expect((await result).stopReason).not.toBe("stop");
});

test("#218 an MCP server's schema refers to itself twice at each level", async () => {
  const self = { $ref: "#" };
  const inputSchema = { type: "object", properties: { a: { anyOf: [self, self] }, x: { const: 1 } } };
  const [tool] = await mcpTools(createClient([toolInfo("a", { inputSchema })]));
  if (!tool) throw new Error("there is no tool");
  const args = JSON.parse(`${'{"x":2,"a":'.repeat(60)}{"x":2}${"}".repeat(60)}`);
  expect(() => validateToolArguments(tool, { type: "toolCall", id: "1", name: "a", arguments: args })).toThrow(
    "could not be checked: the schema takes too many steps for this value",
  );
});
