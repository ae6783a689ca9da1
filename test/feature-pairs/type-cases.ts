/**
 * How features are combined, for the compiler alone: it is a part of `tsc -p test`. Each combination once did not compile, or
 * compiled and lost something.
 */
import { Agent, type AgentLoopConfig, agentLoop, streamProxy } from "pi-agent";
import { compact } from "pi-agent/compact";
import { type DurableSteps, durable } from "pi-agent/durable";
import { agentTool, limits } from "pi-agent/limits";
import { trace } from "pi-agent/otel";
import { getModel, type Message, type StreamFn, streamSimple, Type } from "pi-ai";
import { streamSimpleAnthropic } from "pi-ai/anthropic";
import { watchCache } from "pi-ai/cache";
import { type CachedContent, withCachedContent } from "pi-ai/cached-content";
import { composeStreams } from "pi-ai/middleware";
import { completeObject } from "pi-ai/object";
import { type OtelApi, traceStream } from "pi-ai/otel";
import { route } from "pi-ai/route";
import { createScriptedStreamFn } from "pi-ai/testing";

declare const engine: DurableSteps;
declare const api: OtelApi;
declare const cached: CachedContent;
const model = getModel("anthropic", "claude-sonnet-4-5");
const schema = Type.Object({ a: Type.String() });
const initialState = { model };

/** Never called. */
export function combine(): unknown[] {
  const steps = durable(engine);
  const agent = new Agent();
  const config: AgentLoopConfig = { model, convertToLlm: (messages) => messages as Message[] }; // Only such messages.
  const context = { systemPrompt: "", messages: [] };
  return [
    // C1, C2, C12, C21: limits and durable runs, in any order, on an agent and on the loop.
    new Agent({ initialState, steps, middleware: [limits({ budget: { usd: 1 } })] }),
    agentLoop([], context, { ...config, steps, middleware: [limits({ budget: { usd: 1 } })] }),
    // C1b: what was used so far stays known.
    steps.ledger,
    // C3: a hook of the application beside a compaction.
    new Agent({ initialState, transformContext: async (messages) => messages, middleware: [compact()] }),
    // C4, C10b, C17: the function of one api is a stream function like any other.
    new Agent({ initialState, streamFn: streamSimpleAnthropic }),
    watchCache(streamSimpleAnthropic),
    withCachedContent(streamSimpleAnthropic, cached),
    traceStream(streamSimpleAnthropic, { api }),
    // C5, C6, C15: so is that of an agent.
    watchCache(agent.streamFn),
    traceStream(agent.streamFn, { api }),
    route([model], { streamFn: agent.streamFn }),
    // C7, C8, C9, C10, C16: one around the other.
    watchCache(createScriptedStreamFn([])),
    new Agent({ streamFn: watchCache(route([model])) }),
    new Agent({ streamFn: traceStream(route([model], { streamFn: watchCache(streamSimple) }), { api }) }),
    new Agent({ streamFn: watchCache(withCachedContent(streamSimple, cached)) }),
    watchCache((...[to, sent, options]: Parameters<StreamFn>) =>
      streamProxy(to, sent, { ...options, proxyUrl: "https://x.test", authToken: "t" }),
    ),
    composeStreams(streamSimpleAnthropic, [watchCache, (next) => route([model], { streamFn: next })]),
    // C11: a typed output and a compaction outside of a run take any of them, too.
    completeObject(model, "x", { schema, streamFn: agent.streamFn }),
    compact().compact([], { model, streamFn: agent.streamFn }),
    // C13: a trace on the loop.
    agentLoop([], context, { ...config, middleware: [trace({ api })] }),
    // C14: a durable agent as a tool.
    agentTool({ name: "c", description: "c", parameters: schema, agent: () => new Agent({ initialState, steps }) }),
  ];
}

/** What must not compile, because it would be ignored. */
export function mistakes(): unknown[] {
  return [
    // @ts-expect-error C19: the output belongs to the initial state.
    new Agent({ initialState, output: { schema } }),
    // @ts-expect-error C20: there is no such option.
    new Agent({ initialState, middleware: [limits({ budget: { usd: 1 } })], nonsense: 1 }),
    // @ts-expect-error C18: the output of a state has no type of its own.
    new Agent({ initialState: { output: { schema } } }).state.output.a,
    // @ts-expect-error A middleware is made by a function: `limits`, without a call, is none.
    new Agent({ middleware: [limits] }),
    // @ts-expect-error Limits take no options of an agent any more.
    limits({ budget: { usd: 1 } }, { initialState }),
    // @ts-expect-error A tool is no stream function.
    watchCache({ name: "x" }),
  ];
}
