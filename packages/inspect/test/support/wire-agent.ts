/** An agent with a tool whose requests get prepared HTTP responses. */
import { Agent, type AgentOptions } from "pi-agent";
import { type Model, Type } from "pi-ai";

export const KEY = "the-key-of-this-test";
export const MODEL: Model = {
  id: "m-1",
  name: "M",
  api: "openai-completions",
  provider: "openai",
  baseUrl: "https://api.test/v1",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

const event = (delta: object, finish?: string): string =>
  `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, ...(finish && { finish_reason: finish }) }] })}\n\n`;
const usage = `data: ${JSON.stringify({ id: "1", choices: [], usage: { prompt_tokens: 10, completion_tokens: 2 } })}\n\n`;

/** A response with a text. */
export const say = (text: string) => (): Response =>
  new Response(`${event({ content: text })}${event({}, "stop")}${usage}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });

/** A response that calls the tool `look`. */
export const callLook = (): Response => {
  const toolCall = { index: 0, id: "t1", function: { name: "look", arguments: "{}" } };
  return new Response(`${event({ tool_calls: [toolCall] })}${event({}, "tool_calls")}data: [DONE]\n\n`);
};

/** @param execute what `look` does beside its result */
export function createWireAgent(
  responses: readonly (() => Response)[],
  execute?: (signal?: AbortSignal) => Promise<unknown>,
  options: AgentOptions = {},
): { agent: Agent; sent: () => number } {
  let sent = 0;
  const fetch: typeof globalThis.fetch = async (_, init) => {
    init?.signal?.throwIfAborted();
    const next = responses[sent++];
    if (!next) throw new Error(`Request ${sent} was not expected`);
    return next();
  };
  const look = {
    name: "look",
    label: "look",
    description: "look",
    parameters: Type.Object({}),
    execute: async (_id: string, _args: object, signal?: AbortSignal) => {
      await execute?.(signal);
      return { content: [{ type: "text" as const, text: "seen" }], details: {} };
    },
  };
  const agent = new Agent({
    ...options,
    initialState: { model: MODEL, systemPrompt: "Be brief", tools: [look] },
    getApiKey: () => KEY,
    streamOptions: { fetch },
  });
  return { agent, sent: () => sent };
}
