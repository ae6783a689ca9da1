/** Tests the client and the server of the relay in one process: prints a line for each check, and `done`. */
import { once } from "node:events";
import { connect } from "node:net";
import { Agent, type AnyAgentTool, streamProxy } from "pi-agent";
import {
  complete,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
  type Model,
  registerFauxProvider,
  streamSimple,
} from "pi-ai";
import { createProxyHandler, type ProxyHandlerOptions, type ProxyUsage } from "pi-ai/proxy-server";
import { createEndlessProvider } from "./endless-provider.ts";
import { type Serve, serve, serveByNode } from "./serve.ts";

const TOKEN = "token-of-the-probe";
const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const BODY = JSON.stringify({
  model: { provider: "p", id: "m" },
  context: { messages: [{ role: "user", content: "Hi", timestamp: 1 }] },
});
const MODEL: Model = {
  id: "m",
  name: "m",
  api: "openai-completions",
  provider: "p",
  baseUrl: "http://127.0.0.1:9",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

interface Dispatcher {
  dispatch(request: object, handler: object): boolean;
}

interface Proxy {
  url: string;
  port: number;
  usages: ProxyUsage[];
}

async function withProxy(start: Serve, options: Partial<ProxyHandlerOptions>, use: (proxy: Proxy) => Promise<unknown>) {
  const usages: ProxyUsage[] = [];
  const server = await start(
    createProxyHandler({
      authorize: TOKEN,
      allowModels: () => true,
      getModel: () => MODEL,
      getApiKey: () => "provider-key",
      onUsage: (usage) => void usages.push(usage),
      ...options,
    }),
  );
  try {
    return await use({ url: `http://127.0.0.1:${server.port}/api/stream`, port: server.port, usages });
  } finally {
    await server.close();
  }
}

function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { method: "POST", body: BODY, ...init, headers: { ...HEADERS, ...init.headers } });
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !condition() && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 1));
}

const ADD: AnyAgentTool = {
  name: "add",
  label: "Add",
  description: "",
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: async (_id, { a, b }: { a: number; b: number }) => ({
    content: [{ type: "text", text: String(a + b) }],
    details: {},
  }),
};

/** Each returns true, or a description of what went wrong. */
const CHECKS: Record<string, (start: Serve) => Promise<unknown>> = {
  "an agent runs tools and responds": async (start) => {
    const faux = registerFauxProvider();
    faux.setResponses([
      fauxAssistantMessage([fauxThinking("Let me see."), fauxToolCall("add", { a: 1, b: "2" })]),
      fauxAssistantMessage([fauxText("It is 3. é😀")]),
    ]);
    const model = faux.getModel();
    return withProxy(start, { getModel: () => model }, async ({ port, usages }) => {
      const options = { authToken: TOKEN, proxyUrl: `http://127.0.0.1:${port}` };
      const agent = new Agent({
        initialState: { model, tools: [ADD] },
        streamFn: (called, context, given) => streamProxy(called, context, { ...given, ...options }),
      });
      await agent.prompt("Add");
      await until(() => usages.length === 2);
      const seen = JSON.stringify([agent.state.messages.map(({ content }) => content), usages.map(toBill)]);
      return (seen.includes('"3"') && seen.endsWith('"It is 3. é😀"}]],["whole","whole"]]')) || seen;
    });
  },
  "a client that disconnects ends the provider's request": async (start) => {
    const { fetch: provider, seen } = createEndlessProvider(5);
    return withProxy(start, { streamFn: over(provider) }, async ({ url, usages }) => {
      const controller = new AbortController();
      const reader = (await ask(url, { signal: controller.signal })).body?.getReader();
      for (let count = 0; count < 5; count++) await reader?.read();
      const left = performance.now();
      controller.abort();
      await until(() => usages.length > 0);
      const ms = seen.endedAt - left;
      return (ms < 100 && usages.map(toBill).join() === "left, about") || [ms, usages.map(toBill)];
    });
  },
  "a client that does not read pauses the provider, and loses its request": async (start) => {
    const { fetch: provider, seen } = createEndlessProvider(0);
    const options = { streamFn: over(provider), limits: { stallTimeoutMs: 1500 } };
    return withProxy(start, options, async ({ port, usages }) => {
      const socket = connect(port, "127.0.0.1").pause();
      await once(socket, "connect");
      socket.on("error", () => {});
      const lines = Object.entries({ host: "x", ...HEADERS, "content-length": BODY.length });
      socket.write(`POST /api/stream HTTP/1.1\r\n${lines.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n${BODY}`);
      await until(() => usages.length > 0);
      socket.destroy();
      return (seen.pieces < 40_000 && usages.map(toBill).join() === "left, about") || [seen, usages.map(toBill)];
    });
  },
  "silence of the provider does not close the connection": async (start) => {
    const faux = registerFauxProvider();
    const response = fauxAssistantMessage("late");
    faux.setResponses([() => new Promise((resolve) => setTimeout(() => resolve(response), 13_000))]);
    const model = faux.getModel();
    return withProxy(start, { getModel: () => model }, async ({ url }) => {
      const text = await (await ask(url)).text();
      return /^: keep-alive[\s\S]*"done"/.test(text) || text;
    });
  },
  "a request to a provider uses the runtime's own fetch": async (start) => {
    const server = await start(async () => {
      const events = [
        { choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      ];
      const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(`${body}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
    });
    const dispatched = countDispatches();
    const local: Model = { ...MODEL, baseUrl: `http://127.0.0.1:${server.port}` };
    const context = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }] };
    const { content, errorMessage } = await complete(local, context, { apiKey: "key", maxRetries: 0 });
    const seen = JSON.stringify([content, errorMessage, dispatched()]);
    await server.close();
    const ways = "Bun" in globalThis || "Deno" in globalThis ? 0 : 1;
    return seen === JSON.stringify([[{ type: "text", text: "Hello" }], undefined, ways]) || seen;
  },
  "invalid requests are rejected": (start) =>
    withProxy(start, { limits: { maxBodyBytes: 1000 } }, async ({ url }) => {
      const refusals = [
        await ask(url, { headers: { authorization: "Bearer no" } }),
        await ask(url, { body: "{" }),
        await ask(url, { body: "x".repeat(5_000_000) }),
        await ask(url, { headers: { "content-type": "text/plain" } }),
        await ask(url.replace("stream", "other")),
      ];
      const seen = refusals.map(({ status }) => status).join();
      return seen === "401,400,413,415,404" || seen;
    }),
};

/** Counts the requests of pi-ai to the dispatcher of Node's `fetch`, which Bun and Deno do not have. */
function countDispatches(): () => number {
  void globalThis.Headers; // Node creates the dispatcher with it
  const { [DISPATCHER]: dispatcher } = globalThis as { [DISPATCHER]?: Dispatcher }; // undici sets it
  let count = 0;
  if (dispatcher) {
    const dispatch = dispatcher.dispatch;
    dispatcher.dispatch = (request, handler) => {
      if (handler.constructor.name.includes("DirectExchange")) count++;
      return dispatch.call(dispatcher, request, handler);
    };
  }
  return () => count;
}

function over(provider: typeof fetch): NonNullable<ProxyHandlerOptions["streamFn"]> {
  return (model, context, options) => streamSimple(model, context, { ...options, fetch: provider });
}

function toBill({ clientLeft, complete, estimate }: ProxyUsage): string {
  return `${clientLeft ? "left" : "whole"}${complete ? "" : estimate && estimate.output > 0 ? ", about" : ", unknown"}`;
}

// A function, because the probe runs as CommonJS, too.
async function main(): Promise<void> {
  for (const [how, start] of Object.entries({ "own server": serve, "node:http": serveByNode })) {
    for (const [name, check] of Object.entries(CHECKS)) {
      const outcome = await check(start).catch((error: unknown) => String(error));
      console.log(outcome === true ? `good ${how}: ${name}` : `bad  ${how}: ${name}: ${JSON.stringify(outcome)}`);
    }
  }
  console.log("done");
  // The checks are complete, so open handles do not matter.
  process.exit();
}

void main();
