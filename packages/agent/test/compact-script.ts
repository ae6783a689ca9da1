/** Conversations and stream functions for the tests of compaction. */
import type { AgentMessage, MiddlewareRun, StreamFn } from "pi-agent";
import {
  type Compaction,
  type CompactionEvent,
  type CompactOptions,
  compact,
  type ManualCompactOptions,
} from "pi-agent/compact";
import type { AssistantMessage, Context, Model } from "pi-ai";
import { eventsOf, MODEL, response, streamOf, terminalEvent, text, user } from "./scripted-stream.js";

export const model: Model = { ...MODEL, contextWindow: 1000 };
export const noUsage: Pick<AssistantMessage, "usage"> = { usage: { ...text("").usage, totalTokens: 0 } };
export const overflow: AssistantMessage = response([], {
  stopReason: "error",
  errorMessage: "prompt is too long: 1200 tokens > 1000 maximum",
  error: { kind: "context_overflow" },
});

/** A conversation of texts, 100 tokens each. */
export function history(count: number): AgentMessage[] {
  return Array.from({ length: count }, (_, index): AgentMessage => {
    const content = `${index} `.padEnd(400, "x");
    return index % 2 === 0 ? { ...user(content), timestamp: index } : text(content, { timestamp: index, ...noUsage });
  });
}

/** A tool call and its result of this length. */
export function callWithResult(id: string, length: number): AgentMessage[] {
  return [
    response([{ type: "toolCall", id, name: "read", arguments: {} }], noUsage),
    {
      role: "toolResult",
      toolCallId: id,
      toolName: "read",
      content: [{ type: "text", text: "z".repeat(length) }],
      isError: false,
      timestamp: 5,
    },
  ];
}

/** Streams scripted responses and remembers the requests. */
export function script(...responses: AssistantMessage[]): { requests: Context[]; streamFn: StreamFn } {
  const requests: Context[] = [];
  const streamFn: StreamFn = (_model, context) => {
    requests.push({ ...context });
    const next = responses[Math.min(requests.length, responses.length) - 1] ?? text("Done", noUsage);
    return streamOf(next.stopReason === "error" ? [terminalEvent(next)] : eventsOf(next));
  };
  return { requests, streamFn };
}

/** Whether a request asks for a summary: in a conversation of its own, or at the end of this one. */
export const isSummary = ({ systemPrompt, messages }: Context): boolean =>
  systemPrompt?.includes("You summarise conversations") || asksAtItsEnd({ messages });

/** Whether a request asks for a summary as its last message. */
export function asksAtItsEnd({ messages }: Pick<Context, "messages">): boolean {
  return JSON.stringify(messages.at(-1)?.content ?? "").includes("Write only a summary");
}

type Add = (message: AgentMessage) => Promise<void>;

/** A compaction whose summaries are scripted. */
export function setUp(
  { model: given = model, ...options }: SetUpOptions = {},
  ...summaries: AssistantMessage[]
): CompactionSetup {
  const own = (): Model => (typeof given === "function" ? given() : given);
  const events: CompactionEvent[] = [];
  const summary = script(...summaries);
  const compaction = compact({
    keep: 200,
    summaryModel: { ...model, contextWindow: 10_000 },
    onEvent: (event) => events.push(event),
    ...options,
  });
  const { streamFn } = summary;
  return {
    compaction,
    events,
    summaryRequests: summary.requests,
    viewOf: createView(compaction, own, streamFn),
    byHand: (messages, more = {}) => compaction.compact(messages, { model: own(), streamFn, ...more }),
    withSummaries: (base) => (asked, context, more) => (isSummary(context) ? streamFn : base)(asked, context, more),
  };
}

type View = (messages: AgentMessage[], addTo?: Add) => Promise<AgentMessage[]>;

export interface CompactionSetup {
  compaction: Compaction;
  events: CompactionEvent[];
  summaryRequests: Context[];
  viewOf: View;
  /** A compaction by hand. */
  byHand: (
    messages: readonly AgentMessage[],
    more?: Partial<ManualCompactOptions>,
  ) => ReturnType<Compaction["compact"]>;
  /** Sends requests for a summary to the script, and others to `base`. */
  withSummaries: (base: StreamFn) => StreamFn;
}

export type SetUpOptions = CompactOptions & { model?: Model | (() => Model) };

/**
 * Returns a function that returns the messages of a request. A record is added by `add`, or to a copy of the messages. All
 * requests belong to one run.
 */
export function createView(compaction: Compaction, own: () => Model, streamFn: StreamFn): View {
  let messages: AgentMessage[] = [];
  let add: Add = async () => {};
  const run = createRun({
    get model() {
      return own();
    },
    get context() {
      return { systemPrompt: "", messages, tools: [] };
    },
    add: (message) => add(message),
    request: async ({ model: asked, context, options }) => (await streamFn(asked, context, options)).result(),
  });
  let begun: ReturnType<Compaction["begin"]> | undefined;
  return async (given, addTo) => {
    messages = addTo ? given : [...given];
    add = addTo ?? (async (message) => void messages.push(message));
    begun ??= compaction.begin(run);
    await begun.beforeRequest?.();
    return (await begun.transformContext?.(messages)) ?? [];
  };
}

/** A run without an agent. */
function createRun(more: Partial<MiddlewareRun>): MiddlewareRun {
  const unused = (): never => {
    throw new Error("not part of this test");
  };
  const run: MiddlewareRun = {
    model,
    context: { systemPrompt: "", messages: [], tools: [] },
    root: {},
    parent: undefined,
    startedAt: 0,
    parentCall: undefined,
    sessionId: undefined,
    abort: () => {},
    fork: unused,
    thinkingLevel: "off",
    onDelta: () => {},
    signal: undefined,
    middleware: ["compact"],
    isReplaying: false,
    canAdd: true,
    hasOutput: false,
    now: () => 99,
    emit: () => undefined,
    peek: ({ messages }) => messages,
    partialOf: () => undefined,
    prepare: unused,
    toLlm: async (messages) => messages.filter(({ role }) => /^(user|assistant|toolResult)$/.test(role)) as never,
    request: unused,
    add: unused,
    step: (_name, work) => work("1"),
  };
  return Object.defineProperties(run, Object.getOwnPropertyDescriptors(more));
}
