/** Conversations and stream functions for the tests of compaction. */
import type { AgentMessage, StreamFn } from "pi-agent";
import { type Compaction, type CompactionEvent, type CompactOptions, compact } from "pi-agent/compact";
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

/** A compaction whose summaries are scripted. */
export function setUp(options: Partial<CompactOptions> = {}, ...summaries: AssistantMessage[]): CompactionSetup {
  const events: CompactionEvent[] = [];
  const summary = script(...summaries);
  const compaction = compact({
    model,
    keep: 200,
    summaryModel: { ...model, contextWindow: 10_000 },
    streamFn: summary.streamFn,
    onEvent: (event) => events.push(event),
    now: () => 99,
    ...options,
  });
  return { compaction, events, summaryRequests: summary.requests };
}

export interface CompactionSetup {
  compaction: Compaction;
  events: CompactionEvent[];
  summaryRequests: Context[];
}
