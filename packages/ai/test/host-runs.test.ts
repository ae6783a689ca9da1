/**
 * Hosts of Chat Completions from end to end: a call with thinking, its result, and the answer. A row has what the host
 * demands of both requests, and the chunks with which it answers the first. Facts that need no whole run are tested in
 * `src/providers/openai-completions/host-facts.test.ts`.
 */
import { completeSimple, getModel, type Message, Type } from "pi-ai";
import { expect, test } from "vitest";

interface HostRun {
  model: NonNullable<ReturnType<typeof getModel>>;
  /** Chunks of the first response. */
  chunks: readonly object[];
  /** Fields of the first request. */
  asks: object;
  /** The response in the second request. */
  goesBack: object;
  usage: object;
}

const TOOL = { name: "look", description: "Looks.", parameters: Type.Object({ at: Type.String() }) };
const CALL = { index: 0, id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"it"}' } };
const COUNTS = { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } };
const SENT_CALL = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"it"}' } };

const thinks = (field: string): object => ({ choices: [{ index: 0, delta: { [field]: "Hm." } }] });
const calls = { choices: [{ index: 0, delta: { tool_calls: [CALL] }, finish_reason: "tool_calls" }] };

const RUNS: Readonly<Record<string, HostRun>> = {
  groq: {
    model: getModel("groq", "openai/gpt-oss-120b"),
    chunks: [thinks("reasoning"), calls, { choices: [], x_groq: { usage: COUNTS } }],
    asks: { reasoning_effort: "high", max_completion_tokens: 500 },
    goesBack: { role: "assistant", reasoning: "Hm.", tool_calls: [SENT_CALL] },
    usage: { input: 6, output: 4, cacheRead: 3 },
  },
  moonshotai: {
    model: getModel("moonshotai", "kimi-k3"),
    chunks: [thinks("reasoning_content"), { choices: [{ ...calls.choices[0], usage: COUNTS }] }],
    asks: { max_tokens: 500 },
    goesBack: { role: "assistant", reasoning_content: "Hm.", tool_calls: [SENT_CALL] },
    usage: { input: 6, output: 4, cacheRead: 3 },
  },
  deepseek: {
    model: getModel("deepseek", "deepseek-v4-pro"),
    chunks: [thinks("reasoning_content"), calls, { choices: [], usage: COUNTS }],
    asks: { thinking: { type: "enabled" }, max_tokens: 500 },
    goesBack: { role: "assistant", reasoning_content: "Hm.", tool_calls: [SENT_CALL] },
    usage: { input: 6, output: 4, cacheRead: 3 },
  },
};

test.each(Object.entries(RUNS))("%s: a call with thinking, and the answer", async (_host, run) => {
  const bodies: unknown[] = [];
  const answers = [run.chunks, [{ choices: [{ index: 0, delta: { content: "A dot." }, finish_reason: "stop" }] }]];
  const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
    bodies.push(JSON.parse(String(init?.body)));
    const lines = [...(answers.shift() ?? []).map((chunk) => JSON.stringify(chunk)), "[DONE]"];
    const body = lines.map((line) => `data: ${line}\n\n`).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const messages: Message[] = [{ role: "user", content: "What is it?", timestamp: 1 }];
  const options = { apiKey: "k", fetch, reasoning: "high", maxTokens: 500 } as const;
  const first = await completeSimple(run.model, { messages, tools: [TOOL] }, options);
  expect(first.errorMessage).toBeUndefined();
  expect(first.usage).toMatchObject(run.usage);
  expect(bodies[0]).toMatchObject(run.asks);

  const content = [{ type: "text" as const, text: "Done." }];
  const result: Message = {
    role: "toolResult",
    toolCallId: "call_1",
    toolName: "look",
    content,
    isError: false,
    timestamp: 2,
  };
  const second = await completeSimple(run.model, { messages: [...messages, first, result], tools: [TOOL] }, options);
  expect(second.content).toEqual([{ type: "text", text: "A dot." }]);
  expect((bodies[1] as { messages: unknown[] }).messages[1]).toMatchObject(run.goesBack); // what was sent is an object
});
