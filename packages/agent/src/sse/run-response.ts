/** Serves the events of a run as server-sent events. */
import type { EventStore } from "pi-ai/proxy-server";

/** How a run is served. */
export interface RunResponseOptions {
  /** The page's request: its `last-event-id` says where to continue, and its end stops reading from the store. */
  request?: Request;
  /** The offset to continue after. Default: that of the request, or 0. */
  lastEventId?: number;
  /** Milliseconds of silence after which a comment keeps the connection alive. Default 5,000. */
  keepAliveMs?: number;
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // Keeps Nginx from buffering the stream.
  "x-accel-buffering": "no",
};

/**
 * The response to a page that reads a run: each event with its offset as `id`, and `event: end` after the last one. The page
 * continues where it was, on any server, by `last-event-id`, as `readRun` and `EventSource` send it. Whether the page may
 * read the run is for you to check.
 *
 * @example
 * app.get("/runs/:id", (context) => createRunResponse(store, context.req.param("id"), { request: context.req.raw }));
 */
export function createRunResponse(
  store: EventStore<unknown>,
  runId: string,
  { request, lastEventId = readOffset(request), keepAliveMs = 5000 }: RunResponseOptions = {},
): Response {
  const gone = new AbortController();
  const signal = request ? AbortSignal.any([request.signal, gone.signal]) : gone.signal;
  const events = store.read(runId, lastEventId, signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<[number, unknown]>> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const send = (text: string): void => controller.enqueue(encoder.encode(`${text}\n\n`));
        try {
          next ??= events.next();
          const found = await orSilence(next, keepAliveMs);
          if (!found) return send(": keep-alive");
          next = undefined;
          if (!found.done) return send(`id: ${found.value[0]}\ndata: ${JSON.stringify(found.value[1])}`);
          // A reader that was only cut off must not take this for the end.
          if (!signal.aborted) send("event: end\ndata:");
          controller.close();
        } catch (error) {
          // Another attempt would fail too.
          if (!(error instanceof Error && error.name === "EventStoreError")) throw error;
          send("event: gone\ndata:");
          controller.close();
        }
      },
      cancel: () => gone.abort(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: HEADERS });
}

function readOffset(request: Request | undefined): number {
  const id = request?.headers.get("last-event-id") ?? "";
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

/** Undefined when nothing comes for a while. */
async function orSilence<TValue>(next: Promise<TValue>, milliseconds: number): Promise<TValue | undefined> {
  const silence = Promise.withResolvers<undefined>();
  const timer = setTimeout(silence.resolve, milliseconds);
  return Promise.race([next, silence.promise]).finally(() => clearTimeout(timer));
}
