/** Runs one request and records what happened, without judging it. */

import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "pi-ai";

/** An event without its snapshot, but with a copy of what it showed when it arrived. */
export interface SeenEvent {
  type: string;
  contentIndex?: number;
  delta?: unknown;
  /** The `content` of the end of a text or thinking block, the `toolCall` of the end of a tool call. */
  content?: unknown;
  toolCall?: ToolCall;
  /** The type of a block that arrived in one event. */
  whole?: AssistantMessage["content"][number]["type"];
  /** Only for a terminal event. */
  reason?: string;
  message?: AssistantMessage;
}

export interface Observation {
  events: SeenEvent[];
  /** How the iteration ended. */
  iteration: "ended" | "hung" | "threw" | "call threw";
  /** How `result()` settled. */
  result: "settled" | "rejected" | "pending";
  /** The final message: the result, or that of the terminal event if there is no result. */
  message: AssistantMessage | undefined;
  /** Whether the result is the message of the terminal event. */
  isTerminalMessage: boolean;
  /** The error of the function, the iteration or the result. */
  thrown: unknown;
  /** Unhandled rejections and uncaught exceptions. */
  unhandled: string[];
}

/** The return value of a stream function. */
export interface ObservableStream extends AsyncIterable<AssistantMessageEvent> {
  result(): Promise<AssistantMessage>;
}

/** Milliseconds after the last byte, and in total, after which a request counts as hung. Neither measures speed. */
const SETTLE_MS = 45_000;
const CALL_MS = 90_000;

const LATE = Symbol("late");

/** @param served resolves when the server sends nothing more */
export async function observe(call: () => ObservableStream, served: Promise<void>): Promise<Observation> {
  const unhandled: string[] = [];
  const note = (reason: unknown): void => void unhandled.push(String(reason));
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  try {
    return { ...(await run(call, served)), unhandled };
  } finally {
    // A rejection counts as unhandled one turn of the event loop after it happened.
    await nextTurn();
    await nextTurn();
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
  }
}

async function run(call: () => ObservableStream, served: Promise<void>): Promise<Omit<Observation, "unhandled">> {
  const events: SeenEvent[] = [];
  let stream: ObservableStream;
  try {
    stream = call();
  } catch (thrown) {
    return { events, iteration: "call threw", result: "pending", message: undefined, isTerminalMessage: false, thrown };
  }
  const iterating = iterate(stream, events).then(
    () => ({ how: "ended" as const, thrown: undefined }),
    (thrown: unknown) => ({ how: "threw" as const, thrown }),
  );
  const iteration = await within(iterating, served);
  const result = await within(
    stream.result().then(
      (message) => ({ how: "settled" as const, message, thrown: undefined }),
      (thrown: unknown) => ({ how: "rejected" as const, message: undefined, thrown }),
    ),
    served,
  );
  const terminal = events.findLast((event) => event.message)?.message;
  const message = result === LATE ? undefined : result.message;
  return {
    events,
    iteration: iteration === LATE ? "hung" : iteration.how,
    result: result === LATE ? "pending" : result.how,
    message: message ?? terminal,
    isTerminalMessage: message !== undefined && isDeepStrictEqual(message, terminal),
    thrown: iteration !== LATE && iteration.thrown ? iteration.thrown : result !== LATE ? result.thrown : undefined,
  };
}

async function iterate(stream: ObservableStream, events: SeenEvent[]): Promise<void> {
  for await (const event of stream) events.push(toSeen(event));
}

function toSeen(event: AssistantMessageEvent): SeenEvent {
  const { type } = event;
  if (type === "done") return { type, reason: event.reason, message: event.message };
  if (type === "error") return { type, reason: event.reason, message: event.error };
  if (type === "start" || type === "attempt_reset") return { type };
  const { contentIndex } = event;
  return {
    type,
    contentIndex,
    ...("delta" in event ? { delta: event.delta } : {}),
    ...("content" in event ? { content: event.content } : {}),
    ...("toolCall" in event ? { toolCall: structuredClone(event.toolCall) } : {}),
    ...("file" in event ? { whole: event.file.type } : {}),
    ...("compaction" in event ? { whole: event.compaction.type } : {}),
  };
}

/** `LATE` if the work is not done some time after the last byte of the response. */
async function within<T>(work: Promise<T>, served: Promise<void>): Promise<T | typeof LATE> {
  const over = new AbortController();
  const timer = (ms: number): Promise<typeof LATE> => wait(ms, LATE, { signal: over.signal });
  const limits = [served.then(() => timer(SETTLE_MS)), timer(CALL_MS)];
  for (const limit of limits) limit.catch(() => {});
  try {
    return await Promise.race([work, ...limits]);
  } finally {
    over.abort();
  }
}
