/** LangChain: chat models read chunk by chunk, and `createAgent` for the loop. */
import type { Protocol } from "../bodies.ts";
import { NotOffered } from "../not-offered.ts";
import { type CreateClient, once, type StreamRequest } from "./client.ts";

interface Chunk {
  text: string;
  tool_call_chunks?: { args?: string }[];
  tool_calls?: unknown[];
  concat(chunk: Chunk): Chunk;
}

interface ChatModel {
  stream(input: string): Promise<AsyncIterable<Chunk>>;
}

type ChatModelClass = new (options: object) => ChatModel;

interface FakeModelClass {
  new (options: object): { bindTools(tools: unknown[]): unknown };
}

interface Modules {
  langchain: {
    createAgent(options: object): { stream(input: object, options: object): Promise<AsyncIterable<unknown>> };
    tool(execute: () => Promise<string>, options: object): object;
  };
  messages: { AIMessageChunk: new (fields: object) => Chunk };
  models: { BaseChatModel: FakeModelClass };
  outputs: { ChatGenerationChunk: new (fields: object) => object };
}

const createModel = async (
  load: (name: string) => Promise<unknown>,
  { protocol, url }: StreamRequest,
): Promise<ChatModel> => {
  // Each `as` names the part of a package that is used. A missing part fails at its first use.
  if (protocol === "anthropic-messages") {
    const { ChatAnthropic } = (await load("@langchain/anthropic")) as { ChatAnthropic: ChatModelClass };
    return new ChatAnthropic({ apiKey: "bench-key", model: "m", anthropicApiUrl: url, maxRetries: 0, streaming: true });
  }
  if (protocol === "google-generative-ai") throw new NotOffered();
  const { ChatOpenAI } = (await load("@langchain/openai")) as { ChatOpenAI: ChatModelClass };
  return new ChatOpenAI({
    apiKey: "bench-key",
    model: "m",
    configuration: { baseURL: url },
    maxRetries: 0,
    streaming: true,
    useResponsesApi: protocol === ("openai-responses" satisfies Protocol),
  });
};

export const createClient: CreateClient = (load) => {
  const models = new Map<string, Promise<ChatModel>>();
  const open = async (request: StreamRequest): Promise<AsyncIterable<Chunk>> => {
    const key = request.protocol + request.url;
    const model = models.get(key) ?? createModel(load, request);
    models.set(key, model);
    return (await model).stream("Hello.");
  };
  const modules = once(
    async () =>
      ({
        langchain: await load("langchain"),
        messages: await load("@langchain/core/messages"),
        models: await load("@langchain/core/language_models/chat_models"),
        outputs: await load("@langchain/core/outputs"),
      }) as Modules, // what the packages export
  );
  return {
    importRoot: () => Promise.all([load("langchain"), load("@langchain/anthropic")]),
    stream: async (request, onDelta) => {
      if (request.read) throw new NotOffered();
      const chunks = await open(request);
      return request.kind === "arguments" ? readArguments(chunks, onDelta) : readText(chunks, onDelta);
    },
    runLoop: async (turns, calls) => runLoop(await modules(), turns, calls),
  };
};

async function readText(chunks: AsyncIterable<Chunk>, onDelta: (delta: string) => void): Promise<number> {
  let deltas = 0;
  for await (const { text } of chunks) {
    if (text === "") continue;
    deltas++;
    onDelta(text);
  }
  return deltas;
}

/** Chunks are concatenated, as its guide says: a tool call is complete only in their sum. */
async function readArguments(chunks: AsyncIterable<Chunk>, onDelta: (delta: string) => void): Promise<number> {
  let deltas = 0;
  let whole: Chunk | undefined;
  for await (const chunk of chunks) {
    whole = whole ? whole.concat(chunk) : chunk;
    const delta = chunk.tool_call_chunks?.[0]?.args;
    if (!delta) continue;
    deltas++;
    onDelta(delta);
  }
  if (!whole?.tool_calls?.[0]) throw new Error("no call");
  return deltas;
}

async function runLoop({ langchain, messages, models, outputs }: Modules, turns: number, calls: number): Promise<void> {
  let turn = 0;
  let ran = 0;
  class MemoryModel extends models.BaseChatModel {
    _llmType(): string {
      return "memory";
    }

    override bindTools(): this {
      return this;
    }

    async *_streamResponseChunks(): AsyncGenerator<object> {
      const message = new messages.AIMessageChunk(turnFields(turn++, turns, calls));
      yield new outputs.ChatGenerationChunk({ text: message.text, message });
    }

    async _generate(): Promise<object> {
      const message = new messages.AIMessageChunk(turnFields(turn++, turns, calls));
      return { generations: [{ text: message.text, message }] };
    }
  }
  const work = langchain.tool(
    async () => {
      ran++;
      return "done";
    },
    {
      name: "work",
      description: "Works",
      schema: { type: "object", properties: { step: { type: "number" } }, required: ["step"] },
    },
  );
  const agent = langchain.createAgent({ model: new MemoryModel({}), tools: [work] });
  const input = { messages: [{ role: "user", content: "Go." }] };
  for await (const _part of await agent.stream(input, { streamMode: "messages", recursionLimit: turns * 4 + 10 }));
  if (ran < turns * calls) throw new Error("too few calls");
}

function turnFields(turn: number, turns: number, calls: number): object {
  if (turn >= turns) return { id: `m${turn}`, content: "That is all." };
  return {
    id: `m${turn}`,
    content: "",
    tool_call_chunks: Array.from({ length: calls }, (_, index) => ({
      id: `c${turn}-${index}`,
      index,
      name: "work",
      args: `{"step":${turn}}`,
      type: "tool_call_chunk",
    })),
  };
}
