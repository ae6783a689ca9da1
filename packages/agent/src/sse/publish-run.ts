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

/** What is published, and how often it is summed up. */
export interface PublishOptions {
  /** Returns what a page may see of an event; undefined for nothing. Default: the event. */
  select?: (event: RunEvent) => RunEvent | undefined;
  /** After how many events a snapshot lets the store drop older ones. Default 1,000. */
  snapshotEvery?: number;
}

/** How many unsent events make the run wait for the store. */
const MOST_UNSENT = 256;

/**
 * Publishes the next run of an agent. Call it before `prompt`. The run does not wait for the store until its end; deltas that
 * arrive meanwhile are joined. `stopRun(store, runId)` in any process aborts the run. A failure of the store ends the
 * publication: it goes to the agent's `onListenerError` at the end of the run, which goes on.
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
    return queue.whenSent(MOST_UNSENT);
  });
  whenStopped(store, runId, over.signal).then(
    (stopped) => stopped && agent.abort(),
    () => {}, // The store has failed, which the end of the run reports.
  );
  return leave;
}

/** @throws TypeError for what JSON cannot hold, before the event is queued */
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

  /** The state after the last event; a store that has everything up to that event gets it. */
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
    // Starts later than the event arrives, so that the events of one moment are joined.
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

/** Two deltas of one block as one. */
function join(one: RunEvent, other: RunEvent): RunEvent | undefined {
  if (one.type !== "message_update" || other.type !== "message_update") return undefined;
  const { update } = one;
  const next = other.update;
  if (!("delta" in update && "delta" in next)) return undefined;
  if (update.type !== next.type || update.contentIndex !== next.contentIndex) return undefined;
  return { type: "message_update", update: { ...update, delta: update.delta + next.delta } };
}
