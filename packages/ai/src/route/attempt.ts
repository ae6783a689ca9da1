/** One attempt of a route. Reads its stream up to the first content, and then on demand. */
import { AssistantMessageBuilder } from "../assemble/assistant-message-builder.js";
import { toFailure } from "../runtime/failure.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import type { Lane } from "./lanes.js";
import type { Permit } from "./limit-queue.js";

/** The beginning of an attempt's stream. */
export type Beginning = { kind: "content" } | { kind: "failed"; message: AssistantMessage };

type AttemptStream = AsyncIterable<AssistantMessageEvent>;

export class Attempt {
  readonly lane: Lane;
  readonly startedAt: number;
  readonly waitedMs: number;
  /** Settles with the first event that is not `start`. Never rejects. */
  readonly begun: Promise<Beginning>;
  readonly #permit: Permit | undefined;
  readonly #controller: AbortController;
  readonly #events: AsyncIterator<AssistantMessageEvent>;
  /** The events up to the first content. */
  #held: AssistantMessageEvent[] = [];
  /** The latest state of the message. */
  latest: AssistantMessage | undefined;

  constructor(lane: Lane, permit: Permit | undefined, startedAt: number, open: (signal: AbortSignal) => AttemptStream) {
    this.lane = lane;
    this.startedAt = startedAt;
    this.waitedMs = permit?.waitedMs ?? 0;
    this.#permit = permit;
    this.#controller = new AbortController();
    this.#events = open(this.#controller.signal)[Symbol.asyncIterator]();
    this.begun = this.#readBeginning();
  }

  /** Aborts the request. The limits count what it has used so far. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason);
    this.#settle();
  }

  /** Yields all events, including those already read. */
  async *events(): AsyncGenerator<AssistantMessageEvent, void> {
    yield* this.#held;
    this.#held = [];
    for (;;) {
      const next = await this.#events.next();
      if (next.done) return;
      this.#note(next.value);
      yield next.value;
    }
  }

  async #readBeginning(): Promise<Beginning> {
    try {
      return await this.#readToContent();
    } catch (error) {
      const builder = new AssistantMessageBuilder({ model: this.lane.model, emit: (event) => this.#note(event) });
      return { kind: "failed", message: builder.fail(toFailure(error, { secrets: [], attempts: 1 })) };
    }
  }

  async #readToContent(): Promise<Beginning> {
    for (;;) {
      const next = await this.#events.next();
      if (next.done) throw new Error("The stream ended without a terminal event");
      const event = next.value;
      this.#note(event);
      if (event.type === "error") return { kind: "failed", message: event.error };
      this.#held.push(event);
      if (event.type !== "start") return { kind: "content" };
    }
  }

  #note(event: AssistantMessageEvent): void {
    if (event.type === "done") this.latest = event.message;
    else if (event.type === "error") this.latest = event.error;
    else this.latest = event.partial;
    if (event.type === "done" || event.type === "error") this.#settle();
  }

  #settle(): void {
    this.#permit?.release(this.latest?.usage.totalTokens || undefined);
  }
}
