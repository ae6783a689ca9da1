/** The stream of one response: a queue of events with backpressure that reports when no reader is left. */
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import { EventStream } from "./event-stream.js";

/** Hooks for the producer of a stream. */
export interface StreamHooks {
  /** Called when the last reader has left before the end and nothing awaits the result. The producer should stop. */
  onAbandoned?: (() => void) | undefined;
}

/** The events of one response. The result is the final message, also if it failed or was aborted. */
export class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
  readonly #hooks: StreamHooks;
  #resume: (() => void) | undefined;
  #resumeAt = 0;

  constructor(hooks: StreamHooks = {}) {
    super(isTerminal, finalMessage);
    this.#hooks = hooks;
  }

  /**
   * For producers that read from a network: `undefined` while fewer than `limit` events are unread or a caller awaits
   * the result; otherwise a promise that resolves when half of the events have been read.
   */
  whenReadable(limit: number): Promise<void> | undefined {
    if (this.backlog < limit || this.resultWanted) return undefined;
    // A fraction would change the shape of the stream, and V8 would drop all code that knows it.
    this.#resumeAt = Math.floor(limit / 2);
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  override result(): Promise<AssistantMessage> {
    const promise = super.result();
    this.#resumeNow();
    return promise;
  }

  protected override onRead(): void {
    if (this.#resume && this.backlog <= this.#resumeAt) this.#resumeNow();
  }

  protected override onAbandoned(): void {
    this.#hooks.onAbandoned?.();
  }

  #resumeNow(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
}

/** Creates a stream, for custom providers and tests. */
export function createAssistantMessageEventStream(): AssistantMessageEventStream {
  return new AssistantMessageEventStream();
}

function isTerminal({ type }: AssistantMessageEvent): boolean {
  return type === "done" || type === "error";
}

function finalMessage(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === "done") return event.message;
  if (event.type === "error") return event.error;
  throw new Error(`Not a terminal event: ${event.type}`);
}
