/**
 * Reads the server-sent events of `pi-agent/sse` in a page.
 *
 * @module pi-agent/sse/client
 */
import type { RunEvent } from "../../stores/events/run-event.js";

export type { RunEvent, RunUpdate } from "../../stores/events/run-event.js";
export { applyRunEvent, type RunView } from "./run-view.js";

/** Options of {@link readRun}. */
export interface ReadRunOptions {
  /** The offset of the last event that the page has. Default 0: from the beginning. */
  lastEventId?: number | undefined;
  /** Headers of the request, such as `authorization`. */
  headers?: Record<string, string> | undefined;
  /** Ends reading. The run goes on. */
  signal?: AbortSignal | undefined;
  /** The number of consecutive failed attempts before an error is thrown. Default 8, about half a minute. */
  maxAttempts?: number | undefined;
  /** Replaces `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Waits before another attempt, in milliseconds. Default: a timer. */
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
}

// A record, so that a new option fails to compile here.
const OPTIONS: Readonly<Record<keyof ReadRunOptions, true>> = {
  lastEventId: true,
  headers: true,
  signal: true,
  maxAttempts: true,
  fetch: true,
  sleep: true,
};

/**
 * Yields each event of a run with its offset, once and in order, until the run has ended. After a lost connection it
 * continues after the last event. Keep the offset to continue after a reload.
 *
 * @throws TypeError for an option that does not exist, and for an address or headers that cannot be sent
 * @throws Error for a status of 4xx, when the events are gone, and after too many failed attempts
 *
 * @example
 * let view: RunView = { messages: [] };
 * for await (const [, event] of readRun("/runs/42")) render((view = applyRunEvent(view, event)));
 */
export async function* readRun(
  url: string | URL,
  options: ReadRunOptions = {},
): AsyncGenerator<[offset: number, event: RunEvent], void, undefined> {
  checkNames(options);
  const { lastEventId = 0, signal, maxAttempts = 8, sleep = wait } = options;
  let offset = lastEventId;
  for (let failures = 0; !signal?.aborted; ) {
    try {
      for await (const [id, event] of readConnection(url, offset, options)) {
        failures = 0;
        offset = id;
        yield [id, event];
      }
      return;
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof Refusal || ++failures >= maxAttempts) throw error;
      checkSendable(url, options);
    }
    await sleep(Math.min(100 * 2 ** failures, 10_000));
  }
}

/** @throws TypeError for an address or a header that can never be sent, so that it is not tried again */
function checkSendable(url: string | URL, { fetch: send, headers = {} }: ReadRunOptions): void {
  if (!send) new Request(url, { headers });
}

function checkNames(options: object): void {
  const wrong = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (wrong)
    throw new TypeError(`readRun has no option "${wrong}". The options are ${Object.keys(OPTIONS).join(", ")}`);
}

/** An error after which another attempt would fail, too. */
class Refusal extends Error {}

const isTemporary = (status: number): boolean => status >= 500 || status === 408 || status === 429;

function wait(milliseconds: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function* readConnection(
  url: string | URL,
  offset: number,
  { headers, signal, fetch: send = fetch }: ReadRunOptions,
): AsyncGenerator<[offset: number, event: RunEvent], void, undefined> {
  const response = await send(url, {
    headers: { ...headers, accept: "text/event-stream", "last-event-id": String(offset) },
    signal: signal ?? null,
  });
  const { ok, body, status } = response;
  if (!(ok && body)) throw new (isTemporary(status) ? Error : Refusal)(`The run cannot be read: status ${status}`);
  for await (const { id, name, data } of readFields(body)) {
    if (name === "end") return;
    if (name === "gone") throw new Refusal("The events of the run are gone");
    // The server sends the events that `publish` wrote.
    if (id > offset) yield [id, JSON.parse(data) as RunEvent];
  }
  throw new Error("The connection ended before the run did");
}

/** The events of a stream. Each field is one line, as `createRunResponse` writes it. */
async function* readFields(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ id: number; name: string | undefined; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let rest = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const fields = new Map(event.split("\n").map((line) => [line.split(":", 1)[0], line.replace(/^\w*: ?/, "")]));
        yield { id: Number(fields.get("id")), name: fields.get("event"), data: fields.get("data") ?? "" };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
