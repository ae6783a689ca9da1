/** Publishes the events of a run to a store, from which any web server serves them to pages. */

import { Fifo, isStoreError, nextTurn, notePublished, registerRun, turnAfter, whenStopped } from "pi-ai/call";
import type { EventStore } from "pi-ai/proxy-server";
import { assertStore, type Checks, checkOptions, mayBeAnything, mustBeFunction, throwWrong } from "../../checks.js";
import { toPlainValue } from "../../plain-value.js";
import type { AgentEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentMiddleware, MiddlewareRun, RunHooks, RunOutcome } from "../../types/middleware.js";
import { ShownMessages } from "./call-record.js";
import { forPage, type RunEvent, tellsNote, toRunEvent, withoutNotes } from "./run-event.js";

/** Options of {@link publish}. */
export interface PublishOptions {
  /** Returns the event as the page may see it, or undefined to hide it. Default: the event itself. */
  select?: ((event: RunEvent) => RunEvent | undefined) | undefined;
  /**
   * The least number of events between two snapshots, which also are at least as large as the next one: a store gets at most twice
   * the size of the events. It can drop the events before a snapshot. Default 1,000.
   */
  snapshotEvery?: number | undefined;
  /**
   * Called when the store fails, at the end of the run, and when `select` throws, whose event is left out. The run goes on.
   * Default: `console.error`.
   */
  onError?: ((error: unknown) => void) | undefined;
}

/** With this many unsent events, the run waits for the store. */
const MAX_UNSENT = 256;
const OPTIONS: Checks<keyof PublishOptions> = {
  select: mustBeFunction,
  snapshotEvery: mayBeAnything,
  onError: mustBeFunction,
};

/**
 * Publishes a run, with its deltas. The run waits for the store only at its end; deltas that arrive during a write are joined.
 * `stopRun(store, runId)` in any process aborts the run. If the store fails, publishing stops and the run continues.
 *
 * If another process continues a durable run, the events that it repeats are not published again. A `snapshot` comes before
 * its first new event.
 *
 * @param runId the id of the run in the store, together with the runs that the agent begins after it by itself, for messages that
 *   it has accepted late. A page may ask for it before the run begins. For an agent with several prompts, pass a function: it is
 *   called at the beginning of each run
 *
 * @example
 * const agent = new Agent({ initialState: { model }, middleware: [publish(store, runId)] });
 * await agent.prompt("Hi");
 */
export function publish(
  store: EventStore<RunEvent>,
  runId: string | (() => string),
  options: PublishOptions = {},
): AgentMiddleware {
  assertStore(store);
  if ((typeof runId !== "string" && typeof runId !== "function") || runId === "")
    throwWrong("The run id of publish", "a string or a function", runId);
  checkOptions(options, OPTIONS);
  if (typeof runId === "string") {
    notePublished(store, runId);
    // A store that fails here fails again when the run begins, and that is reported.
    registerRun(store, runId).catch(() => {});
  }
  const create = (): Publication =>
    new Publication({ store, runId: typeof runId === "string" ? runId : runId() }, options);
  /** By the agent. */
  const publications = new WeakMap<object, Publication>();
  return {
    name: "publish",
    inForks: false,
    begin: (run) => {
      const { owner } = run;
      if (typeof runId === "function" || !owner) return create().follow(run);
      const open = publications.get(owner);
      if (open?.isOver === false) return open.follow(run);
      const publication = create();
      publications.set(owner, publication);
      publication.endWhenIdle(run);
      return publication.follow(run);
    },
  };
}

interface Target {
  store: EventStore<RunEvent>;
  runId: string;
}

/** One run of the store: a run of an agent, and those that follow it under the same id. */
class Publication {
  #run: MiddlewareRun | undefined;
  readonly #queue: EventQueue;
  readonly #filter = new ReplayFilter(() => this.#sumUp());
  readonly #select: NonNullable<PublishOptions["select"]>;
  readonly #snapshotEvery: number;
  readonly #onError: (error: unknown) => void;
  readonly #leave: () => void;
  /** The conversation, and the message that is streaming. */
  #messages = new ShownMessages();
  #streaming: AgentMessage | undefined;
  /** The number and the size of the events since the last snapshot, in characters. */
  #count = 0;
  #size = 0;
  /** The size that a snapshot must not exceed is looked at from here on. */
  #nextSize = 0;
  readonly #updates = new BlockUpdates();
  /** Whether the end of a run is not the end in the store. */
  #endsWhenIdle = false;
  /** Whether an earlier process may have stored the end already. */
  #isReplayed = false;
  #isOver = false;

  constructor({ store, runId }: Target, options: PublishOptions) {
    const { select = (event) => event, snapshotEvery = 1000, onError = report } = options;
    this.#queue = new EventQueue(store, runId);
    this.#select = select;
    this.#snapshotEvery = snapshotEvery;
    this.#onError = onError;
    const forget = notePublished(store, runId);
    const over = new AbortController();
    this.#leave = () => {
      this.#isOver = true;
      forget();
      over.abort();
    };
    whenStopped(store, runId, over.signal).then(
      (stopped) => stopped && this.#run?.abort(),
      () => {}, // The store failed. The end of the run reports that.
    );
  }

  /** Whether nothing can be published any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Publishes a run. */
  follow(run: MiddlewareRun): RunHooks {
    this.#run = run;
    run.onDelta((event) => void this.#see(event));
    let hasEnd = false;
    return {
      onEvent: (event) => {
        hasEnd = event.type === "agent_end";
        return this.#see(event);
      },
      end: (outcome) => (hasEnd ? undefined : this.#breakOff(outcome)),
    };
  }

  /** Leaves the end in the store to the agent of this run, which may begin others. */
  endWhenIdle({ whenIdle }: MiddlewareRun): void {
    this.#endsWhenIdle = whenIdle !== undefined;
    whenIdle?.(async () => this.#finish());
  }

  #see(event: AgentEvent): Promise<void> | undefined {
    if (this.#isOver || tellsNote(event)) return undefined;
    let written = 0;
    for (const next of this.#filter.take(event)) {
      const selected = next && this.#updates.isWorth(next) ? this.#pick(next) : undefined;
      if (!selected) continue;
      this.#count++;
      written += this.#queue.add(selected);
    }
    this.#size += written;
    this.#follow(event);
    if (event.type === "agent_end") {
      this.#isReplayed = event.replayed === true;
      return this.#endsWhenIdle ? undefined : this.#finish();
    }
    if (this.#count >= this.#snapshotEvery && this.#size >= this.#nextSize) this.#storeSnapshot();
    // The store writes it once more.
    return turnAfter(written) ?? this.#queue.whenSent(MAX_UNSENT);
  }

  #storeSnapshot(): void {
    const snapshot = this.#pick(this.#sumUp());
    const size = snapshot?.size ?? 0;
    // Looked at again when the events have doubled, because writing it to learn its size is the same work.
    this.#nextSize = Math.max(size, 2 * this.#size);
    if (!snapshot || size > this.#size) return;
    this.#queue.sumUp(snapshot.event);
    this.#count = 0;
    this.#size = 0;
    this.#nextSize = size;
  }

  #follow(event: AgentEvent): void {
    if (event.type === "agent_start")
      this.#messages = new ShownMessages(withoutNotes(this.#run?.context.messages ?? []));
    else if (event.type === "message_start" || event.type === "message_update") this.#streaming = event.message;
    else if (event.type === "message_end") {
      this.#messages.add(forPage(event.message));
      this.#streaming = undefined;
    }
  }

  #sumUp(): RunEvent {
    const streamingMessage = this.#streaming;
    return { type: "snapshot", messages: this.#messages.copy(), ...(streamingMessage && { streamingMessage }) };
  }

  #pick(event: RunEvent): SizedEvent | undefined {
    try {
      const selected = this.#select(event);
      return selected && toSized(selected);
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  async #finish(): Promise<void> {
    if (this.#isOver) return;
    this.#leave();
    await this.#queue.end(this.#isReplayed).catch(this.#onError);
  }

  /** The run has ended without an event that says so. If its engine has failed, another process may continue it. */
  async #breakOff({ failure }: RunOutcome): Promise<void> {
    this.#isReplayed = false;
    if (failure === undefined) return this.#finish();
    this.#leave();
    await this.#queue.whenSent(0);
  }
}

function report(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: an error without a handler must not be lost.
  console.error("The run could not be published:", error);
}

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
      return event.type === "agent_end" ? [this.#snapshot(), toRunEvent(event)] : [];
    }
    if (!this.#isReplaying) return [toRunEvent(event)];
    this.#held.push(event);
    if (event.type === "approval_resolved") return [];
    this.#isReplaying = false;
    return [this.#snapshot(), ...this.#held.map(toRunEvent)];
  }
}

interface SizedEvent {
  event: RunEvent;
  /** See {@link sizeOf}. */
  size: number;
}

/** A value that JSON cannot hold, such as a bigint in `details`, becomes text: without the event, a page would lack a message. */
function toSized(event: RunEvent): SizedEvent {
  try {
    return { event, size: sizeOf(event) };
  } catch {
    const plain = toPlainValue(event) as RunEvent; // It has the same fields.
    return { event: plain, size: sizeOf(plain) };
  }
}

/** In characters of JSON; that of a delta is about right. */
function sizeOf(event: RunEvent): number {
  if (event.type === "message_update" && "delta" in event.update) return event.update.delta.length + DELTA_SIZE;
  return JSON.stringify(event).length;
}

/**
 * Some updates hold a whole block again, such as each citation of a text. Only those are sent whose number is a power of two:
 * the end of the block, and of the message, has all of it.
 */
class BlockUpdates {
  readonly #counts = new Map<number, number>();

  isWorth(event: RunEvent): boolean {
    if (event.type === "message_start") this.#counts.clear();
    if (event.type !== "message_update" || !REPEATED.has(event.update.type)) return true;
    const { contentIndex } = event.update;
    const count = (this.#counts.get(contentIndex) ?? 0) + 1;
    this.#counts.set(contentIndex, count);
    return Number.isInteger(Math.log2(count));
  }
}

const REPEATED: ReadonlySet<string> = new Set(["citation", "servertool_update"]);

/** The fields of a delta beside its text. */
const DELTA_SIZE = 90;

interface Unsent {
  event: RunEvent;
  snapshot?: RunEvent;
}

class EventQueue {
  readonly #store: EventStore<RunEvent>;
  readonly #runId: string;
  readonly #unsent = new Fifo<Unsent>();
  #sending: Promise<void> | undefined;
  #sent = 0;
  #failure: { error: unknown } | undefined;

  constructor(store: EventStore<RunEvent>, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  /** @returns the number of characters that it adds to what is stored */
  add({ event, size }: SizedEvent): number {
    if (this.#failure) return 0;
    const { last } = this.#unsent;
    const joined = last && !last.snapshot && join(last.event, event);
    if (joined) last.event = joined;
    else this.#unsent.push({ event });
    this.#sending ??= this.#send();
    // A delta that joins another adds its text alone.
    return joined ? size - DELTA_SIZE : size;
  }

  /** Sends the state after the last event, once the store has all events up to it. */
  sumUp(snapshot: RunEvent): void {
    const { last } = this.#unsent;
    if (last) last.snapshot = snapshot;
  }

  whenSent(limit: number): Promise<void> | undefined {
    return this.#unsent.length > limit ? this.#sending : undefined;
  }

  /** @param isReplayed whether an earlier process may have ended the run already */
  async end(isReplayed: boolean): Promise<void> {
    await this.#sending;
    await this.#store.end(this.#runId);
    if (this.#failure && !(isReplayed && isStoreError(this.#failure.error))) throw this.#failure.error;
  }

  async #send(): Promise<void> {
    // Deferred, so that events that arrive in the same turn of the event loop are joined.
    await null;
    try {
      for (let next = this.#unsent.take(); next; next = this.#unsent.take()) {
        // A store in memory settles at once: others have their turn.
        if (++this.#sent % MAX_UNSENT === 0) await nextTurn();
        const offset = await this.#store.append(this.#runId, next.event);
        if (next.snapshot) await this.#store.snapshot(this.#runId, offset, next.snapshot);
      }
    } catch (error) {
      this.#failure = { error };
      this.#unsent.clear();
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
