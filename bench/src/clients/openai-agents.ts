/** OpenAI Agents: `run` with `stream: true`. */
import type { Protocol } from "../bodies.ts";
import { NotOffered } from "../not-offered.ts";
import { type CreateClient, once, type StreamRequest } from "./client.ts";

interface RunEvent {
  type: string;
  data?: { type: string; delta?: string };
}

interface RunResult extends AsyncIterable<RunEvent> {
  completed: Promise<void>;
  finalOutput?: unknown;
  history?: unknown;
}

interface AgentsModule {
  Agent: new (options: object) => object;
  run(agent: object, input: string, options: object): Promise<RunResult>;
  tool(options: object): object;
  setTracingDisabled(disabled: boolean): void;
  OpenAIChatCompletionsModel: ModelClass;
  OpenAIResponsesModel: ModelClass;
}

type ModelClass = new (client: object, model: string) => object;

interface OpenAiModule {
  OpenAI: new (options: object) => object;
}

const MODELS: Partial<Record<Protocol, "OpenAIChatCompletionsModel" | "OpenAIResponsesModel">> = {
  "openai-completions": "OpenAIChatCompletionsModel",
  "openai-responses": "OpenAIResponsesModel",
};

export const createClient: CreateClient = (load) => {
  const agents = once(async () => {
    const library = (await load("@openai/agents")) as AgentsModule; // a missing part fails at its first use
    library.setTracingDisabled(true);
    return library;
  });
  const open = async ({ protocol, url, kind, read }: StreamRequest): Promise<RunResult> => {
    const name = MODELS[protocol];
    if (!name || kind === "arguments" || read) throw new NotOffered();
    const library = await agents();
    const { OpenAI } = (await load("openai")) as OpenAiModule;
    const model = new library[name](new OpenAI({ apiKey: "bench-key", baseURL: url, maxRetries: 0 }), "m");
    return library.run(new library.Agent({ name: "Bench", model }), "Hello.", { stream: true });
  };
  return {
    importRoot: agents,
    stream: async (request, onDelta) => {
      let deltas = 0;
      const result = await open(request);
      for await (const event of result) {
        if (event.data?.type !== "output_text_delta" || event.data.delta === undefined) continue;
        deltas++;
        onDelta(event.data.delta);
      }
      await result.completed;
      return deltas;
    },
    runLoop: async (turns, calls) => runLoop(await agents(), turns, calls),
  };
};

async function runLoop(library: AgentsModule, turns: number, calls: number): Promise<void> {
  const { Agent, run, tool } = library;
  let ran = 0;
  const work = tool({
    name: "work",
    description: "Works",
    strict: true,
    parameters: {
      type: "object",
      properties: { step: { type: "number" } },
      required: ["step"],
      additionalProperties: false,
    },
    execute: async () => {
      ran++;
      return "done";
    },
  });
  let turn = 0;
  const model = {
    getResponse: () => Promise.reject(new Error("not streamed")),
    getStreamedResponse: () => turnEvents(turn++, turns, calls),
  };
  const options = { stream: true, maxTurns: turns + 2 };
  const result = await run(new Agent({ name: "Bench", model, tools: [work] }), "Go.", options);
  for await (const _event of result);
  await result.completed;
  if (ran < turns * calls) throw new Error("too few calls");
}

async function* turnEvents(turn: number, turns: number, calls: number): AsyncGenerator<object> {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
  const output =
    turn >= turns
      ? [
          {
            type: "message",
            id: `m${turn}`,
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "That is all." }],
          },
        ]
      : Array.from({ length: calls }, (_, index) => ({
          type: "function_call",
          id: `f${turn}-${index}`,
          callId: `c${turn}-${index}`,
          name: "work",
          status: "completed",
          arguments: `{"step":${turn}}`,
        }));
  yield { type: "response_started" };
  if (turn >= turns) yield { type: "output_text_delta", delta: "That is all." };
  yield { type: "response_done", response: { id: `r${turn}`, usage, output } };
}
