/** Drives our packages and the earlier ones with the same code: events, agents and queues are alike. */
import { benchModel } from "./bench-model.ts";
import type { Client, HttpRun, Kept, Queue, StreamRequest, Tick } from "./client.ts";
import { MODEL, turnEvents } from "./turn-events.ts";

export interface PiEvent {
  type: string;
  delta?: string;
  partial?: PiMessage;
}

export interface PiMessage {
  content: { type: string; arguments?: Record<string, unknown> }[];
  errorMessage?: string;
}

export interface PiStream extends AsyncIterable<PiEvent> {
  result(): Promise<PiMessage>;
}

export interface PiAi {
  stream(model: ReturnType<typeof benchModel>, context: typeof CONTEXT, options: { apiKey: string }): PiStream;
}

interface MemoryStream {
  push(event: ReturnType<typeof turnEvents>[number]): void;
}

type StreamFunction = () => MemoryStream;
type HttpStreamFunction = (model: unknown, context: typeof CONTEXT) => PiStream;

/** The parts that an agent run needs. */
export interface PiAgent {
  createAssistantMessageEventStream(): MemoryStream;
  runAgentLoop(
    prompts: object[],
    context: object,
    config: object,
    emit: () => void,
    signal: undefined,
    streamFn: StreamFunction,
  ): Promise<unknown[]>;
  Agent: new (options: {
    initialState: object;
    streamFn: StreamFunction | HttpStreamFunction;
    maxRepeats: number;
  }) => {
    subscribe(listener: () => void): unknown;
    prompt(message: object): Promise<unknown>;
  };
}

export type EventStreamClass = new (
  isComplete: (tick: Tick) => boolean,
  extractResult: (tick: Tick) => number,
) => Queue;

const PROMPT = { role: "user" as const, content: "Go.", timestamp: 1 };
const CONTEXT: { messages: (typeof PROMPT)[] } = { messages: [{ ...PROMPT, content: "Hello." }] };
const WORK = {
  name: "work",
  label: "Work",
  description: "Works",
  parameters: { type: "object", properties: { step: { type: "number" } }, required: ["step"] },
  execute: async () => ({ content: [{ type: "text", text: "done" }], details: {} }),
};

const WRITE = {
  name: "write",
  label: "Write",
  description: "Writes a file",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
  },
};

export function createPiClient(
  loadAi: (protocol: StreamRequest["protocol"]) => Promise<PiAi>,
  loadAgent: () => Promise<PiAgent>,
): Required<Pick<Client, "stream" | "keep" | "runLoop" | "runAgent" | "runHttpAgent">> {
  const open = async ({ url, protocol }: StreamRequest): Promise<PiStream> => {
    const { stream } = await loadAi(protocol);
    return stream(benchModel(protocol, url), CONTEXT, { apiKey: "bench-key" });
  };
  return {
    stream: async (request, onDelta) => readDeltas(await open(request), request.read === true, onDelta),
    keep: async (request, kept) => keepResponse(await open(request), kept),
    runLoop: async (turns, calls) => runLoop(await loadAgent(), turns, calls),
    runAgent: async (turns, listeners = 1) => runAgent(await loadAgent(), turns, listeners),
    runHttpAgent: async (run) => runHttpAgent(await loadAi("anthropic-messages"), await loadAgent(), run),
  };
}

async function readDeltas(response: PiStream, read: boolean, onDelta: (delta: string) => void): Promise<number> {
  let deltas = 0;
  let seen = 0;
  for await (const event of response) {
    if (event.delta === undefined) continue;
    deltas++;
    onDelta(event.delta);
    if (read) seen += String(event.partial?.content[0]?.arguments?.["content"] ?? "").length;
  }
  const { errorMessage } = await response.result();
  if (errorMessage) throw new Error(errorMessage);
  if (read && seen === 0) throw new Error("no partial arguments were read");
  return deltas;
}

async function keepResponse(response: PiStream, kept: Kept): Promise<unknown> {
  const events: PiEvent[] = [];
  for await (const event of response) if (kept === "events") events.push(event);
  return kept === "events" ? events : response.result();
}

function createStreamFunction(agent: PiAgent, turns: number, calls: number): StreamFunction {
  let turn = 0;
  return () => {
    const stream = agent.createAssistantMessageEventStream();
    for (const event of turnEvents(turn++, turns, calls)) stream.push(event);
    return stream;
  };
}

async function runLoop(agent: PiAgent, turns: number, calls: number): Promise<void> {
  const added = await agent.runAgentLoop(
    [PROMPT],
    { systemPrompt: "", messages: [], tools: [WORK] },
    // Each turn repeats the previous one. The earlier package ignores the option.
    { model: MODEL, convertToLlm: (messages: unknown[]) => messages, maxRepeats: 0 },
    () => {},
    undefined,
    createStreamFunction(agent, turns, calls),
  );
  if (added.length < turns * 2) throw new Error("too few messages");
}

async function runHttpAgent(ai: PiAi, agent: PiAgent, { turns, toolUrl, textUrl }: HttpRun): Promise<void> {
  const [toolModel, textModel] = [toolUrl, textUrl].map((url) => benchModel("anthropic-messages", url));
  if (!toolModel || !textModel) return;
  let requests = 0;
  let executions = 0;
  const execute = async (): Promise<object> => {
    executions++;
    return { content: [{ type: "text", text: "done" }], details: {} };
  };
  const instance = new agent.Agent({
    initialState: { model: toolModel, tools: [{ ...WRITE, execute }] },
    streamFn: (_model, context) =>
      ai.stream(requests++ < turns ? toolModel : textModel, context, { apiKey: "bench-key" }),
    maxRepeats: 0,
  });
  await instance.prompt(PROMPT);
  if (executions !== turns) throw new Error(`${executions} of ${turns} tools ran`);
}

async function runAgent(agent: PiAgent, turns: number, listeners: number): Promise<void> {
  let events = 0;
  const instance = new agent.Agent({
    initialState: { model: MODEL, tools: [WORK] },
    streamFn: createStreamFunction(agent, turns, 1),
    maxRepeats: 0,
  });
  for (let index = 0; index < listeners; index++) {
    instance.subscribe(() => {
      events++;
    });
  }
  await instance.prompt(PROMPT);
  if (events < turns * listeners) throw new Error("too few events");
}
