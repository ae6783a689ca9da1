/**
 * Sends one request with pi-ai to its own server, or to the one at `SERVER_URL`, and prints the result as JSON: the
 * text of the response, and the number of requests that reached the dispatcher of Node's `fetch`. `UNDICI` names a
 * package of undici whose dispatcher replaces Node's: `DISPATCHER` is `mock`, `proxy`, `interceptor`, or `none`.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { complete, type Model } from "pi-ai";

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const { SERVER_URL, PROXY_URL, UNDICI, DISPATCHER: kind = "none" } = process.env;

interface Dispatcher {
  dispatch(request: { path: string }, handler: object): boolean;
}

/** The parts of undici's package that are used. */
interface Undici {
  Agent: new () => { compose(interceptor: unknown): Dispatcher };
  ProxyAgent: new (url: string | undefined) => Dispatcher;
  MockAgent: new () => Dispatcher & {
    disableNetConnect(): void;
    get(origin: string): {
      intercept(request: object): { reply(status: number, body: string, options: object): void };
    };
  };
  interceptors: { retry(): unknown };
  setGlobalDispatcher(dispatcher: Dispatcher): void;
}

const delta = (content: string) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const bodyOf = (content: string) =>
  `${delta(content)}data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

/** Returns the address of a server that streams a short text. */
async function serve(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-many": ["a", "b"] }).end(bodyOf("Hello"));
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server
}

function createDispatcher(undici: Undici, url: string): Dispatcher {
  if (kind === "proxy") return new undici.ProxyAgent(PROXY_URL);
  if (kind === "interceptor") return new undici.Agent().compose(undici.interceptors.retry());
  const agent = new undici.MockAgent();
  agent.disableNetConnect();
  const headers = { "content-type": "text/event-stream" };
  const pool = agent.get(new URL(url).origin);
  pool.intercept({ path: "/chat/completions", method: "POST" }).reply(200, bodyOf("Mocked"), { headers });
  return agent;
}

/** Counts the requests to the dispatcher that is set now. */
function countDispatches(): () => number {
  void globalThis.Headers; // Node creates the dispatcher with it
  const shared = globalThis as { [DISPATCHER]?: Dispatcher }; // undici sets it
  const dispatcher = shared[DISPATCHER];
  let count = 0;
  shared[DISPATCHER] = {
    dispatch: (request, handler) => {
      // `fetch` has a handler of its own class; ours is recognised by its name.
      if (handler.constructor.name.includes("DirectExchange")) count++;
      return dispatcher?.dispatch(request, handler) ?? true;
    },
  };
  return () => count;
}

const url = SERVER_URL ?? (await serve());
if (UNDICI) {
  const undici: Undici = await import(UNDICI);
  undici.setGlobalDispatcher(createDispatcher(undici, url));
}
const dispatched = countDispatches();
const model: Model<"openai-completions"> = {
  id: "m",
  name: "m",
  api: "openai-completions",
  provider: "local",
  baseUrl: url,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};
const context = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }] };
const { content, errorMessage } = await complete(model, context, { apiKey: "key", maxRetries: 0 });
const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
console.log(JSON.stringify({ text: errorMessage ?? text, dispatched: dispatched() }));
process.exit();
