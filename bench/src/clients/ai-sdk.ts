/** Vercel's AI SDK: `streamText`, read part by part. */
import type { Protocol } from "../bodies.ts";
import { NotOffered } from "../not-offered.ts";
import { type CreateClient, type Load, once, type Queue, type StreamRequest, type Tick } from "./client.ts";

interface Part {
  type: string;
  text?: string;
  delta?: string;
  error?: unknown;
}

interface StreamTextResult {
  fullStream: AsyncIterable<Part>;
  responseMessages?: PromiseLike<unknown>;
  response: PromiseLike<{ messages: unknown }>;
  steps: PromiseLike<unknown[]>;
}

interface AiModule {
  streamText(options: object): StreamTextResult;
  jsonSchema(schema: object): object;
  isStepCount(count: number): unknown;
}

type Factory = (options: object) => Record<string, (id: string) => unknown>;

/** Package, factory, and the method that creates a model of the api. */
const PROVIDERS: Record<Protocol, [name: string, factory: string, method: string]> = {
  "anthropic-messages": ["@ai-sdk/anthropic", "createAnthropic", "messages"],
  "openai-completions": ["@ai-sdk/openai", "createOpenAI", "chat"],
  "openai-responses": ["@ai-sdk/openai", "createOpenAI", "responses"],
  "google-generative-ai": ["@ai-sdk/google", "createGoogleGenerativeAI", "chat"],
};

const WRITE = {
  type: "object",
  properties: { path: { type: "string" }, content: { type: "string" } },
  required: ["path", "content"],
};
const WORK = { type: "object", properties: { step: { type: "number" } }, required: ["step"] };

export const createClient: CreateClient = (load) => {
  const ai = once(async () => (await load("ai")) as AiModule); // a missing part fails at its first use
  const models = new Map<string, Promise<unknown>>();
  const open = async ({ protocol, url, kind }: StreamRequest): Promise<StreamTextResult> => {
    const key = protocol + url;
    const model = models.get(key) ?? createModel(load, protocol, url);
    models.set(key, model);
    const { streamText, jsonSchema } = await ai();
    const tools = kind === "arguments" ? { write: { description: "Writes", inputSchema: jsonSchema(WRITE) } } : {};
    return streamText({ model: await model, prompt: "Hello.", tools, maxRetries: 0, onError: () => {} });
  };
  return {
    importRoot: () => Promise.all([ai(), load("@ai-sdk/anthropic")]),
    stream: async (request, onDelta) => {
      if (request.read) throw new NotOffered();
      let deltas = 0;
      for await (const part of (await open(request)).fullStream) {
        if (part.type === "error") throw part.error;
        const delta = deltaOf(part);
        if (delta === undefined) continue;
        deltas++;
        onDelta(delta);
      }
      return deltas;
    },
    keep: async (request, kept) => {
      const parts: Part[] = [];
      const result = await open(request);
      for await (const part of result.fullStream) if (kept === "events") parts.push(part);
      return kept === "events" ? parts : (await result.response).messages;
    },
    runLoop: async (turns, calls) => runLoop(await ai(), turns, calls),
    runHttpAgent: async (run) => {
      const [toolModel, textModel] = await Promise.all(
        [run.toolUrl, run.textUrl].map((url) => {
          const model = models.get(url) ?? createModel(load, "anthropic-messages", url);
          models.set(url, model);
          return model;
        }),
      );
      return runHttpAgent(await ai(), { turns: run.turns, toolModel, textModel });
    },
    createQueue: async () => createWebQueue(),
  };
};

function deltaOf({ type, text, delta }: Part): string | undefined {
  if (type === "text-delta") return text;
  return type === "tool-input-delta" ? delta : undefined;
}

async function createModel(load: Load, protocol: Protocol, url: string): Promise<unknown> {
  const [name, factory, method] = PROVIDERS[protocol];
  const provider = ((await load(name)) as Record<string, Factory>)[factory]?.({ apiKey: "bench-key", baseURL: url }); // checked by the call below
  return provider?.[method]?.("m");
}

async function runLoop({ streamText, jsonSchema, isStepCount }: AiModule, turns: number, calls: number): Promise<void> {
  const work = {
    description: "Works",
    inputSchema: jsonSchema(WORK),
    execute: async () => ({ content: [{ type: "text", text: "done" }] }),
  };
  let turn = 0;
  const model = {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "m",
    supportedUrls: {},
    doStream: async () => ({ stream: toStream(turnParts(turn++, turns, calls)) }),
  };
  const stopWhen = isStepCount(turns + 2);
  const result = streamText({ model, prompt: "Go.", tools: { work }, stopWhen, maxRetries: 0, onError: () => {} });
  let finished = 0;
  for await (const part of result.fullStream) {
    if (part.type === "error") throw part.error;
    if (part.type === "finish-step") finished++;
  }
  if (finished < turns) throw new Error("too few steps");
}

/** `prepareStep` chooses the address of each turn, as the model of the other clients does. */
async function runHttpAgent(
  { streamText, jsonSchema, isStepCount }: AiModule,
  { turns, toolModel, textModel }: { turns: number; toolModel: unknown; textModel: unknown },
): Promise<void> {
  let executions = 0;
  const execute = async (): Promise<object> => {
    executions++;
    return { content: [{ type: "text", text: "done" }] };
  };
  const result = streamText({
    model: toolModel,
    prompt: "Go.",
    tools: { write: { description: "Writes a file", inputSchema: jsonSchema(WRITE), execute } },
    stopWhen: isStepCount(turns + 2),
    prepareStep: ({ stepNumber }: { stepNumber: number }) => ({ model: stepNumber < turns ? toolModel : textModel }),
    maxRetries: 0,
    onError: () => {},
  });
  for await (const part of result.fullStream) if (part.type === "error") throw part.error;
  if (executions !== turns) throw new Error(`${executions} of ${turns} tools ran`);
}

function toStream(parts: object[]): ReadableStream<object> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

function turnParts(turn: number, turns: number, calls: number): object[] {
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  };
  const parts: object[] = [{ type: "stream-start", warnings: [] }];
  if (turn >= turns) {
    const finishReason = { unified: "stop", raw: "stop" };
    parts.push({ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "That is all." });
    parts.push({ type: "text-end", id: "t" }, { type: "finish", usage, finishReason });
    return parts;
  }
  for (let index = 0; index < calls; index++) {
    const id = `c${turn}-${index}`;
    const input = `{"step":${turn}}`;
    parts.push({ type: "tool-input-start", id, toolName: "work" }, { type: "tool-input-delta", id, delta: input });
    parts.push({ type: "tool-input-end", id }, { type: "tool-call", toolCallId: id, toolName: "work", input });
  }
  parts.push({ type: "finish", usage, finishReason: { unified: "tool-calls", raw: "tool_use" } });
  return parts;
}

/** Node's web stream, which it uses to deliver its parts. */
function createWebQueue(): Queue {
  let controller: ReadableStreamDefaultController<Tick> | undefined;
  const stream = new ReadableStream<Tick>({
    start: (given) => {
      controller = given;
    },
  });
  return {
    push: (tick) => {
      controller?.enqueue(tick);
      if (tick.last) controller?.close();
    },
    [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
  };
}
