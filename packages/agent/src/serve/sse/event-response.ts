/** Serves items as server-sent events. */
import { anySignal, isKnownRun, isStoreError, startTimer } from "pi-ai/call";
import type { EventStore } from "pi-ai/proxy-server";
import { type Checks, mustBeCountOrOff, mustBeDuration, mustBeObject } from "../../checks.js";
import type { RunSource } from "../run-source.js";

/** Options for serving events. */
export interface EventResponseOptions {
  /** The page's request. Its `last-event-id` is where to continue, and reading stops when it is aborted. */
  request?: Request | undefined;
  /** The offset to continue after. Default: that of the request, or 0. */
  lastEventId?: number | undefined;
  /** Milliseconds of silence after which a comment keeps the connection alive. Default 5,000. */
  keepAliveMs?: number | undefined;
  /**
   * Milliseconds for which a page waits for the first event of a run that the store does not have. Then the page learns that
   * the run is gone. A run that this process publishes may begin at any time. Default 1,000.
   */
  startMs?: number | undefined;
  /** Milliseconds after which a page that reads nothing loses its connection. Default 60,000. */
  stallTimeoutMs?: number | undefined;
}

export const RESPONSE_CHECKS: Checks<keyof EventResponseOptions> = {
  request: mustBeObject,
  lastEventId: mustBeCountOrOff,
  keepAliveMs: mustBeDuration,
  startMs: mustBeDuration,
  stallTimeoutMs: mustBeDuration,
};

/** Returns the items after an offset, each with its own offset; ends early when the signal aborts. */
type ReadItems = (offset: number, signal: AbortSignal) => AsyncIterable<readonly [offset: number, item: unknown]>;

/** A run in a store. */
interface StoredItems<TItem> {
  store: EventStore<TItem>;
  runId: string;
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // Keeps Nginx from buffering the stream.
  "x-accel-buffering": "no",
};

/**
 * @param end the lines to send after the last event
 * @param gone the lines to send if the store no longer has the events
 */
export function respondWithEvents(
  read: ReadItems,
  end: string,
  gone: string,
  { request, lastEventId = readOffset(request), keepAliveMs = 5000, stallTimeoutMs = 60_000 }: EventResponseOptions,
): Response {
  const left = new AbortController();
  const signal = request ? anySignal([request.signal, left.signal]) : left.signal;
  const items = read(lastEventId, signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<readonly [number, unknown]>> | undefined;
  let cancelStall = (): void => {};
  const watchReader = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    cancelStall = startTimer(() => {
      left.abort();
      controller.error(new Error("The client did not read the response"));
    }, stallTimeoutMs);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: watchReader,
      pull: async (controller) => {
        cancelStall();
        const send = (text: string): void => {
          controller.enqueue(encoder.encode(`${text}\n\n`));
          watchReader(controller);
        };
        try {
          next ??= items.next();
          const found = await orSilence(next, keepAliveMs);
          if (!found) return send(": keep-alive");
          next = undefined;
          if (!found.done) return send(`id: ${found.value[0]}\ndata: ${JSON.stringify(found.value[1])}`);
          // After an abort the `end` lines are not sent: the reader would take them for the end of the run.
          if (!signal.aborted) send(end);
          cancelStall();
          controller.close();
        } catch (error) {
          left.abort();
          cancelStall();
          // Another attempt would fail too.
          if (!isStoreError(error)) throw error;
          send(gone);
          cancelStall();
          controller.close();
        }
      },
      cancel: () => {
        cancelStall();
        left.abort();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: HEADERS });
}

function readOffset(request: Request | undefined): number {
  return Number(/^\d{1,15}$/.exec(request?.headers.get("last-event-id") ?? "")?.[0] ?? 0);
}

/** Reads a run that a store has, or else the stream that is made of its source. */
export function readSource<TItem>(
  source: RunSource | StoredItems<TItem>,
  create: (source: RunSource) => ReadableStream<TItem>,
  startMs: number | undefined,
): ReadItems {
  return (offset, signal) =>
    source && "store" in source
      ? readStoredRun(source.store, source.runId, { offset, signal, startMs })
      : streamItems(create(source), signal);
}

/** The events of a stored run. Ends with an error for a run that does not exist. */
export async function* readStoredRun<TEvent>(
  store: EventStore<TEvent>,
  runId: string,
  { offset, signal, startMs = 1000 }: { offset: number; signal: AbortSignal; startMs: number | undefined },
): AsyncGenerator<readonly [number, TEvent], void, undefined> {
  const left = new AbortController();
  const events = store.read(runId, offset, anySignal([signal, left.signal]))[Symbol.asyncIterator]();
  try {
    const first = events.next();
    const isUnknown = async (): Promise<boolean> =>
      !(await orSilence(first, startMs)) && !(await isKnownRun(store, runId));
    if (await isUnknown()) throw Object.assign(new Error(`There is no run ${runId}`), { name: "EventStoreError" });
    for (let next = await first; !next.done; next = await events.next()) yield next.value;
  } finally {
    left.abort();
  }
}

/** The items of a stream, numbered from 1, which is cancelled when the signal aborts. */
async function* streamItems<TItem>(
  stream: ReadableStream<TItem>,
  signal: AbortSignal,
): AsyncGenerator<readonly [number, TItem], void, undefined> {
  const reader = stream.getReader();
  const leave = (): void => void reader.cancel();
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  let count = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield [++count, next.value];
  signal.removeEventListener("abort", leave);
}

/** Resolves with undefined if no item arrives in time. */
async function orSilence<TValue>(next: Promise<TValue>, milliseconds: number): Promise<TValue | undefined> {
  const silence = Promise.withResolvers<undefined>();
  const timer = setTimeout(silence.resolve, milliseconds);
  return Promise.race([next, silence.promise]).finally(() => clearTimeout(timer));
}
