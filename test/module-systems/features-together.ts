/**
 * A program that uses several kinds of middleware together: an agent whose two parallel tool calls fill the window, so that
 * the conversation is compacted, and whose budget ends the third run. Needs the packages alone, and no types of Node.
 */
import { Agent, defineTool, type StreamFn } from "pi-agent";
import { compact, isCompactionMessage } from "pi-agent/compact";
import { Budget, limits } from "pi-agent/limits";
import { trace } from "pi-agent/otel";
import { createSessionLog, loadSession } from "pi-agent/session";
import { type AssistantMessage, type Model, Type } from "pi-ai";
import type { OtelApi } from "pi-ai/otel";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";

/** What happened, as plain JSON. */
export interface TogetherOutcome {
  /** What was asked for in each request, in order. */
  requests: string[];
  roles: string[];
  stopped: unknown;
  used: { turns: number; toolCalls: number };
  /** The names of the spans in the order in which they ended. */
  spans: string[];
  /** How many messages are loaded: all but the response that the budget refused. */
  stored: number;
  /** Whether they are the same as those of the agent. */
  isStored: boolean;
}

const MODEL: Model = {
  ...{ id: "m", name: "m", api: "fake", provider: "p", baseUrl: "http://127.0.0.1:9" },
  ...{ reasoning: false, input: ["text"] },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ...{ contextWindow: 2400, maxTokens: 100 },
};

/** @param file where the session is stored */
export async function runTogether(file: string): Promise<TogetherOutcome> {
  const requests: string[] = [];
  const spans: string[] = [];
  const budget = new Budget({ turns: 5 });
  const log = await createSessionLog(file);
  const agent = new Agent({
    initialState: { model: MODEL, tools: [read] },
    streamFn: createFake(requests),
    middleware: [
      limits({ budget }),
      compact({ at: 0.5, keep: 1, clearToolResults: false }),
      log,
      trace({ api: createTracer(spans) }),
    ],
  });
  await agent.prompt("Read both files");
  await agent.prompt("And again");
  await agent.prompt("Once more");
  await log.close();
  const { messages, stopped } = agent.state;
  const { messages: stored } = await loadSession(file);
  return {
    requests,
    roles: messages.map((message) => (isCompactionMessage(message) ? "summary" : message.role)),
    stopped,
    used: { turns: budget.used.turns, toolCalls: budget.used.toolCalls },
    spans,
    isStored: JSON.stringify(stored) === JSON.stringify(messages.slice(0, stored.length)),
    stored: stored.length,
  };
}

const read = defineTool({
  name: "read",
  description: "Reads a file",
  parameters: Type.Object({ name: Type.String() }),
  execute: async (_id, { name }) => ({
    content: [{ type: "text", text: `${name}: ${"word ".repeat(300)}` }],
    details: {},
  }),
});

/** Asks for two files whenever the last message is the user's. */
function createFake(requests: string[]): StreamFn {
  return (model, context, options) => {
    const last = context.messages.at(-1);
    const isSummary = typeof last?.content === "string" && last.content.startsWith("Do not continue the conversation");
    const isPrompt = last?.role === "user" && typeof last.content !== "string";
    const kind = isSummary ? "summary" : isPrompt ? "prompt" : "results";
    requests.push(`${kind} of ${context.messages.length}`);
    return createScriptedStreamFn([respond(kind)])(model, context, options);
  };
}

function respond(kind: string): AssistantMessage {
  if (kind !== "prompt") return fauxAssistantMessage(`Done with ${kind}`);
  const calls = ["a.txt", "b.txt"].map((name) => fauxToolCall("read", { name }, { id: `call-${name}` }));
  return fauxAssistantMessage(calls, { stopReason: "toolUse" });
}

function createTracer(ended: string[]): OtelApi {
  const startSpan = (name: string) => ({
    setAttributes: () => {},
    addEvent: () => {},
    setStatus: () => {},
    end: () => void ended.push(name),
  });
  return {
    trace: { getTracer: () => ({ startSpan }), setSpan: (context) => context },
    context: { active: () => undefined, with: (_context, work) => work() },
    metrics: { getMeter: () => ({ createHistogram: () => ({ record: () => {} }) }) },
  };
}
