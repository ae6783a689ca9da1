/** A custom api: four functions. All guarantees of the library apply to it. */
import { completeSimple, type Model, registerApiProvider, type StreamOptions, streamSimple } from "pi-ai";
import {
  type ApiAdapter,
  commonOptions,
  createApiProvider,
  ProtocolError,
  toWireResponse,
  transformMessages,
} from "pi-ai/adapter";

/** One event of the wire format, as JSON in a server-sent event. Every field may be missing. */
interface EchoEvent {
  word?: string;
  done?: { tokensIn: number; tokensOut: number };
  failure?: string;
}

const echoAdapter: ApiAdapter<StreamOptions> = {
  api: "echo",
  keyOptional: true,
  endedEarly: "The echo ended in the middle",
  simpleOptions: commonOptions,
  buildRequest: ({ model, context }) => ({
    baseUrl: model.baseUrl,
    path: "/echo",
    headers: { "content-type": "application/json" },
    // Adapts the conversation to this model and adds missing tool results.
    body: { messages: transformMessages(context.messages, model) },
  }),
  send: async (request, _call, io) => {
    const response = await io.fetch(request.baseUrl + request.path, {
      method: "POST",
      body: JSON.stringify(request.body),
      signal: io.signal,
    });
    return toWireResponse(response, "sse");
  },
  createMapping: () => (event, sink) => {
    const { word, done, failure } = event as EchoEvent; // every field is checked below
    if (failure !== undefined) throw new ProtocolError(failure);
    if (word !== undefined) {
      sink.ensure("text", { type: "text" });
      sink.append("text", word);
    }
    if (done === undefined) return false;
    sink.usage({ input: done.tokensIn, output: done.tokensOut });
    sink.stop("stop");
    return true;
  },
};

registerApiProvider(createApiProvider(echoAdapter));

const model: Model = {
  id: "echo-1",
  name: "Echo",
  api: "echo",
  provider: "echo",
  baseUrl: "http://echo.invalid",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000,
  maxTokens: 100,
};
const context = { messages: [{ role: "user" as const, content: "Is anybody there?", timestamp: Date.now() }] };

for await (const event of streamSimple(model, context, { fetch: fakeServer })) {
  if (event.type === "text_delta") process.stdout.write(event.delta);
  if (event.type === "done") console.log(`\n${event.message.usage.totalTokens} tokens`);
}

// A truncated response is an error, without any code here.
const broken = await completeSimple(model, context, { fetch: (...call) => fakeServer(...call, 1), maxRetries: 0 });
console.log(`${broken.stopReason}: ${broken.errorMessage}`);

/** Replaces the server; the option `fetch` accepts any function of this type. */
async function fakeServer(_url: unknown, _request?: unknown, length = 3): Promise<Response> {
  const events: EchoEvent[] = [{ word: "Is anybody " }, { word: "there?" }, { done: { tokensIn: 4, tokensOut: 4 } }];
  const lines = events.slice(0, length).map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}
