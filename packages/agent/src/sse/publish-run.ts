/** Publishes the events of a run to a store, from which any web server serves them to pages. */
import type { EventStore } from "pi-ai/proxy-server";
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
 * Publishes the next run of an agent. Call it before `prompt`. The run waits for the store only at its end; deltas that
 * arrive during a write are joined. `stopRun(store, runId)` in any process aborts the run. If the store fails, publishing
 * stops, the run continues, and the agent's `onListenerError` gets the error at the end of the run.
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
  let count = 0;
  const leave = (): void => {
    over.abort();
    unsubscribe();
  };
  const unsubscribe = agent.subscribe((event: AgentEvent) => {
    const selected = pick(select, toRunEvent(event));
    if (selected) queue.add(selected);
    if (event.type === "agent_end") {
      leave();
      return queue.end();
    }
    if (++count % snapshotEvery === 0) {
      const { messages, streamingMessage } = agent.state;
      const rest = streamingMessage ? { streamingMessage } : {};
      const snapshot = pick(select, { type: "snapshot", messages: [...messages], ...rest });
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

  async end(): Promise<void> {
    await this.#sending;
    await this.#store.end(this.#runId);
    if (this.#failure) throw this.#failure.error;
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

/** Joins two deltas of the same block. */
function join(one: RunEvent, other: RunEvent): RunEvent | undefined {
  if (one.type !== "message_update" || other.type !== "message_update") return undefined;
  const { update } = one;
  const next = other.update;
  if (!("delta" in update && "delta" in next)) return undefined;
  if (update.type !== next.type || update.contentIndex !== next.contentIndex) return undefined;
  return { type: "message_update", update: { ...update, delta: update.delta + next.delta } };
}
