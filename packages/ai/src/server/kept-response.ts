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
import { isKnownRun, isStoreError, whenStopped } from "./published-run.js";
import type { ResponseBody } from "./response-body.js";

/** The id of a response. It is random, and counts only for the caller that started the response. */
export const RUN_HEADER = "x-run-id";
/** The offset of the last event that the client has. */
export const OFFSET_HEADER = "last-event-id";

const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The run of a client's request, which continues or stops it. @throws Problem 400 without a valid id or offset */
export function readRunHeaders(request: Request): { runId: string; offset: number } {
  const runId = request.headers.get(RUN_HEADER) ?? "";
  if (!RUN_ID.test(runId)) throw new Problem(400, `The header ${RUN_HEADER} is missing or not an id`);
  const offset = request.headers.get(OFFSET_HEADER) ?? "0";
  if (!/^\d{1,15}$/.test(offset)) throw new Problem(400, `The header ${OFFSET_HEADER} is not a number`);
  return { runId, offset: Number(offset) };
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
  const stopping = whenStopped(store, runId, over.signal).then((stopped) => stopped && abort(), onError);
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
  await store.end(runId).catch(onError);
  await stopping;
}

interface ReadKeptOptions {
  offset: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  keepAliveMs: number;
}

/** Returns the events after an offset, in the format of the relay. A run that does not exist is gone at once. */
export async function resumeKeptResponse(
  store: EventStore,
  runId: string,
  options: ReadKeptOptions,
): Promise<BodyInit> {
  return (await isKnownRun(store, runId)) ? readKeptResponse(store, runId, options) : toLine(GONE);
}

/** Returns the events after an offset, and waits for a run that has not begun. */
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
            if (!isComplete) controller.enqueue(encoder.encode(toLine(GONE)));
            return controller.close();
          }
          const text = String(found.value[1]);
          isComplete = TERMINAL.test(text);
          send(`id: ${found.value[0]}\ndata: ${text}`);
        } catch (error) {
          if (!isStoreError(error)) throw error;
          controller.enqueue(encoder.encode(toLine(GONE)));
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

function toLine(event: ProxyAssistantMessageEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** The type is the first field of an event. */
const TERMINAL = /^\{"type":"(done|error)"/;

/** Resolves with undefined if no event arrives in time. */
async function orSilence<TValue>(next: Promise<TValue>, milliseconds: number): Promise<TValue | undefined> {
  if (milliseconds <= 0) return next;
  const silence = Promise.withResolvers<undefined>();
  const cancelTimer = startTimer(() => silence.resolve(undefined), milliseconds);
  return Promise.race([next, silence.promise]).finally(cancelTimer);
}
