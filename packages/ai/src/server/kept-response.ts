/**
 * Responses whose events are kept in a store. A client that has lost its connection can resume on any server. The request
 * to the provider is not affected.
 */
import { emptyUsage } from "../message/index.js";
import { anySignal } from "../utils/any-signal.js";
import { startTimer } from "../utils/duration.js";
import type { EventStore } from "./options.js";
import { Problem } from "./problem.js";
import type { ProxyAssistantMessageEvent } from "./proxy-event.js";
import type { ResponseBody } from "./response-body.js";

/** The id of a response. It is random, and only the client that started the response knows it. */
export const RUN_HEADER = "x-run-id";
/** The offset of the last event that the client has. */
export const OFFSET_HEADER = "last-event-id";

const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A request to stop a response is an event of a second run, with this suffix. */
const stopsOf = (runId: string): string => `${runId}/stop`;

/** The run of a client's request, which continues or stops it. @throws Problem 400 without a valid id or offset */
export function readRunHeaders(request: Request): { runId: string; offset: number } {
  const runId = request.headers.get(RUN_HEADER) ?? "";
  if (!RUN_ID.test(runId)) throw new Problem(400, `The header ${RUN_HEADER} is missing or not an id`);
  const offset = request.headers.get(OFFSET_HEADER) ?? "0";
  if (!/^\d{1,15}$/.test(offset)) throw new Problem(400, `The header ${OFFSET_HEADER} is not a number`);
  return { runId, offset: Number(offset) };
}

/** Asks the server that executes the request to the provider to abort it. */
export async function stopRun(store: EventStore, runId: string): Promise<void> {
  // Fails if the response was already stopped or has ended, which is fine.
  await store.append(stopsOf(runId), "stop").catch((error) => {
    if (!isStoreError(error)) throw error;
  });
  // A client can name any id. A run without an end would stay in the store.
  await store.end(stopsOf(runId));
}

export interface KeptResponse {
  store: EventStore;
  runId: string;
  body: ResponseBody;
  /** Aborts the provider's request. */
  abort: () => void;
  onError: (error: unknown) => void;
}

/** Writes a whole body to the store. Never rejects. */
export async function keepResponse({ store, runId, body, abort, onError }: KeptResponse): Promise<void> {
  const over = new AbortController();
  void abortWhenStopped({ store, runId, abort, onError }, over.signal);
  const reader = body.stream.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      await store.append(runId, decoder.decode(value));
    }
  } catch (error) {
    body.leave();
    onError(error);
  }
  over.abort();
  for (const each of [runId, stopsOf(runId)]) await store.end(each).catch(onError);
}

async function abortWhenStopped(
  { store, runId, abort, onError }: Omit<KeptResponse, "body">,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const _ of store.read(stopsOf(runId), 0, signal)) return abort();
  } catch (error) {
    onError(error);
  }
}

export interface ReadKeptOptions {
  offset: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  keepAliveMs: number;
}

/** Returns the events after an offset, in the format of the relay. */
export function readKeptResponse(
  store: EventStore,
  runId: string,
  { offset, signal, keepAliveMs }: ReadKeptOptions,
): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const events = store.read(runId, offset, anySignal([signal, gone.signal]))[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<[number, unknown]>> | undefined;
  let isComplete = false;
  return new ReadableStream(
    {
      pull: async (controller) => {
        const send = (text: string): void => controller.enqueue(encoder.encode(`${text}\n\n`));
        try {
          next ??= events.next();
          const found = await orSilence(next, keepAliveMs);
          if (!found) return send(": keep-alive");
          next = undefined;
          if (found.done) {
            // The store failed before the response was complete.
            if (!isComplete) send(`data: ${JSON.stringify(GONE)}`);
            return controller.close();
          }
          const text = String(found.value[1]);
          isComplete = TERMINAL.test(text);
          send(`id: ${found.value[0]}\ndata: ${text}`);
        } catch (error) {
          if (!isStoreError(error)) throw error;
          send(`data: ${JSON.stringify(GONE)}`);
          controller.close();
        }
      },
      cancel: () => gone.abort(),
    },
    { highWaterMark: 0 },
  );
}

const GONE: ProxyAssistantMessageEvent = {
  type: "error",
  reason: "error",
  errorMessage: "The rest of this response is no longer stored",
  error: { kind: "not_found" },
  usage: emptyUsage(),
};

/** The type is the first field of an event. */
const TERMINAL = /^\{"type":"(done|error)"/;

/** Stores come from another package, so their error is recognized by its name. */
function isStoreError(error: unknown): boolean {
  return error instanceof Error && error.name === "EventStoreError";
}

/** Resolves with undefined if no event arrives in time. */
async function orSilence<TValue>(next: Promise<TValue>, milliseconds: number): Promise<TValue | undefined> {
  if (milliseconds <= 0) return next;
  const silence = Promise.withResolvers<undefined>();
  const cancelTimer = startTimer(() => silence.resolve(undefined), milliseconds);
  return Promise.race([next, silence.promise]).finally(cancelTimer);
}
