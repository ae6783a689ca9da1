/** The stream of one answer: a queue of its events that a producer may wait for, and that tells when nobody reads on. */
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import { EventStream } from "./event-stream.js";

/** What a producer may hook into a stream that it fills. */
export interface StreamHooks {
  /** The last reader left before the end and nobody waits for the result: stop the work. */
  onAbandoned?: () => void;
}

/** The events of one answer; the result is the final message, also when it failed or was aborted. */
export class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
  readonly #hooks: StreamHooks;
  #resume: (() => void) | undefined;
  #resumeAt = 0;

  constructor(hooks: StreamHooks = {}) {
    super(isTerminal, finalMessage);
    this.#hooks = hooks;
  }

  /**
   * For producers that read from a network: `undefined` while fewer than `limit` events are unread or somebody waits
   * for the result; otherwise a promise that resolves when the reader has caught up with half of them.
   */
  whenReadable(limit: number): Promise<void> | undefined {
    if (this.backlog < limit || this.resultWanted) return undefined;
    this.#resumeAt = limit / 2;
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

/** For code that makes its own stream: a custom provider, a test. */
export function createAssistantMessageEventStream(): AssistantMessageEventStream {
  return new AssistantMessageEventStream();
}

function isTerminal(event: AssistantMessageEvent): boolean {
  return event.type === "done" || event.type === "error";
}

function finalMessage(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === "done") return event.message;
  if (event.type === "error") return event.error;
  throw new Error(`Not a terminal event: ${event.type}`);
}
