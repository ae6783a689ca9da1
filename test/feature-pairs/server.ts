/** A server that stands in for a provider: it answers by a plan, keeps a ledger of what was sent, and counts what that cost. */
import type { StreamFn } from "pi-agent";
import type { AssistantMessage, Context, ErrorKind, Model, SimpleStreamOptions, Usage } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxText, fauxToolCall } from "pi-ai/testing";

/** What the conversation contains and no request may contain when it is redacted. */
export const SECRET = "SECRET-4711";
/** What a summary contains. */
export const SUMMARY = "SUMMARY-OF-THE-CONVERSATION";
/** The system prompt of agents that tools run. */
export const CHILD_PROMPT = "You are the child.";

/** The system prompt of questions about the results of calls. */
export const NOTE_PROMPT = "You note.";

/** The system prompt of the agent, before it changes. */
export const PROMPT = "You are helpful.";

export const MODEL: Model = {
  id: "scripted-1",
  name: "Scripted 1",
  api: "faux",
  provider: "faux",
  baseUrl: "http://x.test",
  reasoning: true,
  input: ["text"],
  cost: { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 100,
};
/** The first model of a route, whose server refuses every request. */
export const BUSY: Model = { ...MODEL, id: "busy-1", cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };

/** A request as the server received it, with its response. */
export interface Sent {
  readonly model: Model;
  readonly context: Context;
  readonly options: SimpleStreamOptions;
  /** Whether it belongs to the conversation, asks for a summary, asks about a call or its result, or comes from an agent that a tool runs. */
  readonly kind: "main" | "summary" | "child" | "judge" | "note";
  /** What `onPayload` made of the body. */
  payload: unknown;
  readonly response: AssistantMessage;
}

/** A call of a tool. */
export interface Call {
  call: string;
  args: Record<string, unknown>;
  id: string;
}

/** A step of the plan: a response to the conversation. */
export type Step =
  /** A text, and calls of tools: one, or two that run in parallel. */
  | (Call & { say?: string; beside?: Call })
  /** The last response of a run, as a text. */
  | { say: string };

/** What makes the server of a scene differ from one that answers everything. */
export interface ServerPlan {
  /** The responses to the conversation, in order. */
  readonly steps: readonly Step[];
  /** Whether it refuses requests after the first run as too long, until they contain a summary. */
  readonly overflows: boolean;
}

/** Every request costs another number of dollars, one for each token, so that a sum says which ones it contains. */
function usageOf(number: number): Usage {
  const dollars = 2 ** (number % 12);
  return {
    ...{ input: dollars, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: dollars },
    cost: { input: dollars, output: 0, cacheRead: 0, cacheWrite: 0, total: dollars },
  };
}

/** A failed response of a kind. */
export function failed(kind: ErrorKind, text: string, usage?: Usage): AssistantMessage {
  const message = fauxAssistantMessage([], { stopReason: "error", errorMessage: text, ...(usage && { usage }) });
  return { ...message, error: { kind } };
}

export class Server {
  readonly sent: Sent[] = [];
  readonly #plan: ServerPlan;
  #next = 0;

  constructor(plan: ServerPlan) {
    this.#plan = plan;
  }

  /** Requests that count: a busy server charges nothing and gives no response. */
  get counted(): Sent[] {
    return this.sent.filter(({ model }) => model.id !== BUSY.id);
  }

  /** The dollars that all requests cost. */
  get dollars(): number {
    return this.sent.reduce((sum, { response }) => sum + response.usage.cost.total, 0);
  }

  get tokens(): number {
    return this.sent.reduce((sum, { response }) => sum + response.usage.totalTokens, 0);
  }

  readonly streamFn: StreamFn = (model, context, options = {}) => {
    const body = toPayload(context);
    const request = { model, context: { ...context, messages: [...context.messages] }, options, kind: kindOf(context) };
    // As in a provider's api, nothing is sent after an abort.
    if (options.signal?.aborted) return createScriptedStreamFn([])(model, context, options);
    const sent: Sent = { ...request, payload: body, response: this.#respond(request, this.sent.length) };
    this.sent.push(sent);
    const respond = async (): Promise<AssistantMessage> => {
      sent.payload = (await options.onPayload?.(body, model)) ?? body;
      return sent.response;
    };
    return createScriptedStreamFn([respond])(model, context, options);
  };

  #respond({ model, context, kind }: Pick<Sent, "model" | "context" | "kind">, number: number): AssistantMessage {
    const usage = usageOf(number);
    if (model.id === BUSY.id) return failed("server", "Busy");
    if (kind === "summary") return fauxAssistantMessage(SUMMARY, { usage });
    if (kind === "judge") return fauxAssistantMessage("yes", { usage });
    if (kind === "note") return fauxAssistantMessage("noted", { usage });
    if (kind === "child") return fauxAssistantMessage("the child responds", { usage });
    const hasSummary = JSON.stringify(context.messages).includes(SUMMARY);
    if (this.#plan.overflows && this.#next >= this.#plan.steps.length - 1 && !hasSummary)
      return failed("context_overflow", "prompt is too long: 300000 tokens > 200000 maximum", usage);
    const step = this.#plan.steps[this.#next++];
    return step ? respondWith(step, usage) : failed("unknown", "The plan has no more steps");
  }
}

function respondWith(step: Step, usage: Usage): AssistantMessage {
  if (!("call" in step)) return fauxAssistantMessage(step.say, { usage });
  const calls = [step, step.beside].flatMap((one) => (one ? [fauxToolCall(one.call, one.args, { id: one.id })] : []));
  const blocks = step.say ? [fauxText(step.say), ...calls] : calls;
  return fauxAssistantMessage(blocks, { stopReason: "toolUse", usage });
}

function kindOf({ systemPrompt = "" }: Context): Sent["kind"] {
  if (systemPrompt.startsWith("You summarise")) return "summary";
  if (systemPrompt.startsWith("You check")) return "judge";
  if (systemPrompt === NOTE_PROMPT) return "note";
  return systemPrompt === CHILD_PROMPT ? "child" : "main";
}

/** The body of a request, in the form of Gemini, whose prefix can be cached. */
function toPayload({ systemPrompt, messages }: Context): Record<string, unknown> {
  return { systemInstruction: systemPrompt, contents: messages.map(({ role, content }) => ({ role, content })) };
}
