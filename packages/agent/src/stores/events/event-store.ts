/** The part that all event stores share: it validates and serializes events, and reads pages until the run ends. */
import { anySignal } from "pi-ai/call";
import type { EventStore } from "pi-ai/proxy-server";

/** A store that has to be closed, because it holds connections or timers. */
export interface ClosableEventStore<TEvent = unknown> extends EventStore<TEvent> {
  has(runId: string): Promise<boolean>;
  begin(runId: string): Promise<void>;
  /** Ends all readers, and closes what the store opened itself. A client that was passed in stays open. */
  close(): Promise<void>;
}

/** A run has ended, its events are gone, or its id is not valid. */
export class EventStoreError extends Error {
  override readonly name = "EventStoreError";
}

/** Some events of a run after an offset. */
export interface EventPage {
  /** Replaces the events up to its offset. Present only if events after the requested offset were dropped. */
  snapshot?: { offset: number; text: string } | undefined;
  /** Consecutive events; the first one follows the snapshot or the requested offset. */
  entries: (readonly [offset: number, text: string])[];
  /** The offset of the last event of the run, on this page or after it. */
  last: number;
  ended: boolean;
  /** Whether the store has the run, perhaps without events. */
  isKnown: boolean;
}

/** The operations that each store implements. */
export interface EventBackend {
  /** Returns the offset; undefined when the run has ended. A repeated `key` marks a retry of the same event. */
  append(runId: string, text: string, key: string): Promise<number | undefined>;
  fetch(runId: string, fromOffset: number): Promise<EventPage>;
  begin(runId: string): Promise<void>;
  end(runId: string): Promise<void>;
  snapshot(runId: string, offset: number, text: string): Promise<void>;
  /** Resolves when there may be more than the events up to an offset, or when the signal aborts. */
  wait(runId: string, offset: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The default time to keep the events of a run after the last one, in milliseconds. */
export const RETAIN_MS: number = 24 * 60 * 60 * 1000;
/** The default number of events to keep before a snapshot. */
export const KEEP_EVENTS = 256;
/** The number of events to fetch at once. */
export const PAGE_SIZE = 256;

const MAX_ID_LENGTH = 256;

export function createEventStore<TEvent>(backend: EventBackend): ClosableEventStore<TEvent> {
  const closed = new AbortController();
  return {
    append: async (runId, event) => {
      const offset = await backend.append(checkRunId(runId), toJson(event), crypto.randomUUID());
      if (offset === undefined) throw new EventStoreError(`The run ${runId} has ended`);
      return offset;
    },
    read: (runId, fromOffset = 0, signal) =>
      readEvents<TEvent>(backend, checkRunId(runId), {
        fromOffset: checkOffset(fromOffset),
        signal: signal ? anySignal([signal, closed.signal]) : closed.signal,
      }),
    has: async (runId) => (await backend.fetch(checkRunId(runId), 0)).isKnown,
    begin: async (runId) => backend.begin(checkRunId(runId)),
    end: async (runId) => backend.end(checkRunId(runId)),
    snapshot: async (runId, offset, event) => backend.snapshot(checkRunId(runId), checkOffset(offset), toJson(event)),
    close: async () => {
      closed.abort();
      await backend.close();
    },
  };
}

async function* readEvents<TEvent>(
  backend: EventBackend,
  runId: string,
  { fromOffset, signal }: { fromOffset: number; signal: AbortSignal },
): AsyncGenerator<[offset: number, event: TEvent], void, undefined> {
  let offset = fromOffset;
  while (!signal.aborted) {
    const page = await backend.fetch(runId, offset);
    for (const [position, text] of listValues(runId, offset, page)) {
      if (signal.aborted) return;
      offset = position;
      // `append` and `snapshot` wrote the stored values, and they take this type.
      yield [position, JSON.parse(text) as TEvent];
    }
    if (offset < page.last) continue;
    if (page.ended) return;
    await backend.wait(runId, offset, signal);
  }
}

/** @throws EventStoreError when events are missing between the offset and these values */
function listValues(runId: string, offset: number, { snapshot, entries, last }: EventPage): EventPage["entries"] {
  const values = snapshot ? [[snapshot.offset, snapshot.text] as const, ...entries] : entries;
  const isMissing = offset > last || (values.length === 0 && offset < last);
  const start = snapshot ? snapshot.offset - 1 : offset;
  if (isMissing || values.some(([position], index) => position !== start + index + 1))
    throw new EventStoreError(`The events of the run ${runId} after ${offset} are gone`);
  return values;
}

function toJson(event: unknown): string {
  const text: string | undefined = JSON.stringify(event);
  if (text === undefined) throw new EventStoreError("An event must be a JSON value");
  return text;
}

function checkRunId(runId: string): string {
  // PostgreSQL cannot store a NUL character.
  const isValid =
    typeof runId === "string" && runId.length > 0 && runId.length <= MAX_ID_LENGTH && !runId.includes("\0");
  if (isValid && runId.isWellFormed()) return runId;
  throw new EventStoreError(`The id of a run must have 1 to ${MAX_ID_LENGTH} characters`);
}

function checkOffset(offset: number): number {
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new EventStoreError(`An offset must be an integer of 0 or more; got ${offset}`);
}
