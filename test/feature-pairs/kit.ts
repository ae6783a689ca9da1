/** Small parts for the cases: a model that follows a rule, and tools. */
import { Agent, type AgentOptions, type AnyAgentTool, defineTool, type StreamFn } from "pi-agent";
import { type AssistantMessage, type Context, type Model, messageText, type SimpleStreamOptions, Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxText, fauxToolCall } from "pi-ai/testing";
import { MODEL, SUMMARY } from "./server.js";

/** A request that the model received. */
export interface Request {
  readonly model: Model;
  readonly context: Context;
  readonly options: SimpleStreamOptions;
  /** Whether it asks for a summary. */
  readonly isSummary: boolean;
}

/** A model that responds by a rule. */
export interface RuledModel {
  readonly streamFn: StreamFn;
  readonly requests: Request[];
}

/** Whether the conversation ends with the instructions for a summary of it. */
function asksInPlace({ messages }: Context): boolean {
  const last = messages.at(-1);
  return last?.role === "user" && messageText(last).startsWith("Do not continue the conversation, and call no tools.");
}

/** Summaries do not count for the rule: they are always the same. */
export function ruled(respond: (index: number, request: Request) => AssistantMessage): RuledModel {
  const requests: Request[] = [];
  let count = 0;
  const streamFn: StreamFn = (model, context, options = {}) => {
    const isSummary = context.systemPrompt?.startsWith("You summarise") || asksInPlace(context);
    const request = { model, context: { ...context, messages: [...context.messages] }, options, isSummary };
    requests.push(request);
    const response = isSummary ? say(SUMMARY) : respond(count++, request);
    return createScriptedStreamFn([response])(model, context, options);
  };
  return { streamFn, requests };
}

/** Each response costs a dollar, and a token. */
export const usage: AssistantMessage["usage"] = {
  ...{ input: 1, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 1 },
  cost: { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, total: 1 },
};

export function say(text: string): AssistantMessage {
  return fauxAssistantMessage(text, { usage });
}

export function call(name: string, args: Record<string, unknown>, id: string, text = ""): AssistantMessage {
  const blocks = [...(text ? [fauxText(text)] : []), fauxToolCall(name, args, { id })];
  return fauxAssistantMessage(blocks, { stopReason: "toolUse", usage });
}

/** Calls the tool `work` a number of times, and then ends with a text. */
export function working(times: number, text = "done"): RuledModel {
  return ruled((index) => (index < times ? call("work", { n: index }, `c${index}`) : say(text)));
}

export function work(ran: number[] = []): AnyAgentTool {
  return defineTool({
    name: "work",
    description: "Works",
    parameters: Type.Object({ n: Type.Number() }),
    replay: "safe",
    execute: async (_id, { n }) => {
      ran.push(n);
      return { content: [{ type: "text", text: `result ${n} ${"x ".repeat(60)}` }], details: {} };
    },
  });
}

/** An agent with the tool `work`. */
export function create({ streamFn }: RuledModel, { initialState, ...options }: AgentOptions = {}): Agent {
  return new Agent({ ...options, initialState: { model: MODEL, tools: [work()], ...initialState }, streamFn });
}
