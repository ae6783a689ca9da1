/** What pages receive of a run in every format: outputs and errors, and a stream that is joined while unread and published. */

import type { EventStore } from "pi-ai/proxy-server";
import { notePublished, whenStopped } from "../stores/events/published-run.js";
import type { AgentEvent, ChildEvent } from "../types/event.js";
import type { AgentToolResult } from "../types/tool.js";
import type { TakeItem } from "./continued-run.js";

/**
 * Returns the output of a tool for the page, which receives JSON. An output that JSON cannot represent, such as one with a
 * cycle or a bigint in its details, is replaced with the content of the result.
 */
export function toJsonOutput(output: unknown, { content }: Pick<AgentToolResult, "content">): unknown {
  try {
    JSON.stringify(output);
    return output;
  } catch {
    return { content };
  }
}

/** The text of an error that a run threw, unless the application provides another. */
const FAILED = "The run failed";

/**
 * Returns the text of an error for the page. The run is over when it is called, so an error of `errorText` itself could
 * only leave the page without an end of the run.
 */
export function toErrorText(error: Error, errorText: (error: Error) => string = () => FAILED): string {
  try {
    return errorText(error);
  } catch {
    return FAILED;
  }
}

/** The latest text of the agent, in the form of the call's result. */
interface ChildProgress {
  toolCallId: string;
  toolName: string;
  partialResult: { content: { type: "text"; text: string }[]; details: object };
}

/** Returns undefined for an event that adds no text. The texts of agents below it are not shown. */
export function toChildProgress({ parentToolCallId, toolName, event }: ChildEvent): ChildProgress | undefined {
  const text = event.type === "message_end" ? wordsOf(event) : "";
  if (!text) return undefined;
  return { toolCallId: parentToolCallId, toolName, partialResult: { content: [{ type: "text", text }], details: {} } };
}

function wordsOf({ message }: Extract<AgentEvent, { type: "message_end" }>): string {
  if (message.role !== "assistant") return "";
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

// The stream.

/** Writes to the stream. */
interface StreamWriter<TItem> {
  add(item: TItem): void;
  end(): void;
}

/**
 * @param join returns two items as one, or undefined if both must be sent
 * @param start receives the writer; returns the function to call when the reader cancels
 */
export function createJoinedStream<TItem>(
  join: (one: TItem, other: TItem) => TItem | undefined,
  start: (writer: StreamWriter<TItem>) => () => void,
): ReadableStream<TItem> {
  let unread: TItem[] = [];
  let isOver = false;
  let wake = (): void => {};
  const writer: StreamWriter<TItem> = {
    add(item) {
      const last = unread.at(-1);
      const joined = last === undefined ? undefined : join(last, item);
      if (joined === undefined) unread.push(item);
      else unread[unread.length - 1] = joined;
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
  const leave = start(writer);
  return new ReadableStream<TItem>(
    {
      async pull(controller) {
        if (unread.length === 0 && !isOver) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const items = unread;
        unread = [];
        for (const item of items) controller.enqueue(item);
        if (isOver) controller.close();
      },
      cancel() {
        unread = [];
        leave();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Stores the items of a stream as the events of a run, and ends the run there. `stopRun` aborts the agent.
 *
 * @param resume called if the store has items of the run already: an earlier process has died, and this one repeats the run
 * @returns resolves when everything is stored; rejects if the store fails, but the agent continues
 */
export async function publishStream<TItem>(
  agent: { abort(): unknown },
  stream: ReadableStream<TItem>,
  { store, runId }: { store: EventStore<TItem>; runId: string },
  resume: () => Promise<TakeItem<TItem>>,
): Promise<void> {
  const over = new AbortController();
  const reader = stream.getReader();
  const forget = notePublished(store, runId);
  whenStopped(store, runId, over.signal).then(
    (stopped) => stopped && agent.abort(),
    () => {}, // The store failed. The loop below reports that.
  );
  try {
    const take = (await store.has?.(runId)) ? await resume() : undefined;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      for (const item of take?.(next.value) ?? [next.value]) await store.append(runId, item);
    }
  } finally {
    over.abort();
    forget();
    await store.end(runId);
  }
}
