/** Publishes the events of a run to a store, from which any web server serves them to pages. */
import type { EventStore } from "pi-ai/proxy-server";
import { notePublished } from "../event-store/published-runs.js";
import { whenStopped } from "../event-store/stop-run.js";
import type { AgentEvent, AgentListener } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import { type RunEvent, toRunEvent } from "./run-event.js";

/** The source of a run; `Agent` is one. */
export interface PublishedAgent {
  /** Calls a function with every event; returns the function that unsubscribes it. */
  subscribe(listener: AgentListener): () => unknown;
  /** The conversation, and the message that is streaming. */
  readonly state: { readonly messages: readonly AgentMessage[]; readonly streamingMessage?: AgentMessage | undefined };
  /** Stops the run. */
  abort(): void;
}

/** Options of {@link publishRun}. */
export interface PublishOptions {
  /** Returns the event as the page may see it, or undefined to hide it. Default: the event itself. */
  select?: (event: RunEvent) => RunEvent | undefined;
  /** The number of events between two snapshots. The store can drop the events before a snapshot. Default 1,000. */
  snapshotEvery?: number;
}

/** With this many unsent events, the run waits for the store. */
const MAX_UNSENT = 256;

/**
 * Leaves out the events of a durable run that an earlier process has published. Before the first new event comes a snapshot,
 * because that process may have died before it had published them all.
 */
class ReplayFilter {
  readonly #snapshot: () => RunEvent;
  #isReplaying = false;
  /** An answered approval. Whether the answer is new is known with the next event. */
  #held: AgentEvent[] = [];

  constructor(snapshot: () => RunEvent) {
    this.#snapshot = snapshot;
  }

  /** The events to publish when the run emits one. */
  take(event: AgentEvent): (RunEvent | undefined)[] {
    if (event.replayed) {
      this.#isReplaying = true;
      this.#held = [];
      return event.type === "agent_end" ? [this.#snapshot(), { type: "agent_end" }] : [];
    }
    if (!this.#isReplaying) return [toRunEvent(event)];
    this.#held.push(event);
    if (event.type === "approval_resolved") return [];
    this.#isReplaying = false;
    return [this.#snapshot(), ...this.#held.map(toRunEvent)];
  }
}

/**
 * Publishes the next run of an agent. Call it before `prompt`. The run waits for the store only at its end; deltas that
 * arrive during a write are joined. `stopRun(store, runId)` in any process aborts the run. If the store fails, publishing
 * stops, the run continues, and the agent's `onListenerError` gets the error at the end of the run.
 *
 * If another process continues a durable run, the events that it repeats are not published again. A `snapshot` comes before
 * its first new event.
 *
 * @returns a function that stops publishing
 *
 * @example
 * publishRun(agent, store, runId);
 * await agent.prompt("Hi");
 */
export function publishRun(
  agent: PublishedAgent,
  store: EventStore<RunEvent>,
  runId: string,
  { select = (event) => event, snapshotEvery = 1000 }: PublishOptions = {},
): () => void {
  const over = new AbortController();
  const queue = new EventQueue(store, runId);
  const forget = notePublished(store, runId);
  const sumUp = (): RunEvent => {
    const { messages, streamingMessage } = agent.state;
    return { type: "snapshot", messages: [...messages], ...(streamingMessage && { streamingMessage }) };
  };
  const filter = new ReplayFilter(sumUp);
  let count = 0;
  const leave = (): void => {
    forget();
    over.abort();
    unsubscribe();
  };
  const unsubscribe = agent.subscribe((event: AgentEvent) => {
    for (const next of filter.take(event)) {
      const selected = pick(select, next);
      if (selected) queue.add(selected);
    }
    if (event.type === "agent_end") {
      leave();
      return queue.end(event.replayed);
    }
    if (++count % snapshotEvery === 0) {
      const snapshot = pick(select, sumUp());
      if (snapshot) queue.sumUp(snapshot);
    }
    return queue.whenSent(MAX_UNSENT);
  });
  whenStopped(store, runId, over.signal).then(
    (stopped) => stopped && agent.abort(),
    () => {}, // The store failed. The end of the run reports that.
  );
  return leave;
}

/** @throws TypeError for an event that JSON cannot represent, before it is queued */
function pick(select: NonNullable<PublishOptions["select"]>, event: RunEvent | undefined): RunEvent | undefined {
  const selected = event && select(event);
  if (selected && selected.type !== "message_update") JSON.stringify(selected);
  return selected;
}

interface Unsent {
  event: RunEvent;
  snapshot?: RunEvent;
}

class EventQueue {
  readonly #store: EventStore<RunEvent>;
  readonly #runId: string;
  #unsent: Unsent[] = [];
  #sending: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  constructor(store: EventStore<RunEvent>, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  add(event: RunEvent): void {
    if (this.#failure) return;
    const last = this.#unsent.at(-1);
    const joined = last && !last.snapshot && join(last.event, event);
    if (joined) last.event = joined;
    else this.#unsent.push({ event });
    this.#sending ??= this.#send();
  }

  /** Sends the state after the last event, once the store has all events up to it. */
  sumUp(snapshot: RunEvent): void {
    const last = this.#unsent.at(-1);
    if (last) last.snapshot = snapshot;
  }

  whenSent(limit: number): Promise<void> | undefined {
    return this.#unsent.length > limit ? this.#sending : undefined;
  }

  /** @param isReplayed whether an earlier process may have ended the run already */
  async end(isReplayed: boolean | undefined): Promise<void> {
    await this.#sending;
    await this.#store.end(this.#runId);
    if (this.#failure && !(isReplayed && isEnded(this.#failure.error))) throw this.#failure.error;
  }

  async #send(): Promise<void> {
    // Deferred, so that events that arrive in the same turn of the event loop are joined.
    await null;
    try {
      for (let next = this.#unsent.shift(); next; next = this.#unsent.shift()) {
        const offset = await this.#store.append(this.#runId, next.event);
        if (next.snapshot) await this.#store.snapshot(this.#runId, offset, next.snapshot);
      }
    } catch (error) {
      this.#failure = { error };
      this.#unsent = [];
    }
    this.#sending = undefined;
  }
}

function isEnded(error: unknown): boolean {
  return error instanceof Error && error.name === "EventStoreError";
}

/** Joins two deltas of the same block. */
function join(one: RunEvent, other: RunEvent): RunEvent | undefined {
  if (one.type !== "message_update" || other.type !== "message_update") return undefined;
  const { update } = one;
  const next = other.update;
  if (!("delta" in update && "delta" in next)) return undefined;
  if (update.type !== next.type || update.contentIndex !== next.contentIndex) return undefined;
  return { type: "message_update", update: { ...update, delta: update.delta + next.delta } };
}
