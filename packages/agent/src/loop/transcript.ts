/** The conversation of a run, and the only way into it: what is added is emitted, so that listeners have seen what the model will see. */
import { isFailure } from "pi-ai/call";
import { assertTools } from "../check-tools.js";
import { findToolCalls, joinRecords, RunRecords, rewindRecords, withOwnIds } from "../pause/index.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentMessage } from "../types/message.js";
import { LlmMessages } from "./llm-messages.js";
import type { RunEvents } from "./run-events.js";

/** Called when messages are removed from the end, and these records are put back. */
export type OnRewind = (length: number, records: readonly AgentMessage[]) => void;

export class Transcript {
  /** The messages that the run added. */
  readonly newMessages: AgentMessage[] = [];
  /** The messages that middleware has added. */
  readonly added: AgentMessage[] = [];
  /** Converts what a model can read of it. */
  readonly llmMessages: LlmMessages;
  readonly #events: RunEvents;
  readonly #onRewind: OnRewind | undefined;
  readonly #records = new RunRecords();
  #context: AgentContext;
  /** The prompts that are not in the conversation yet. */
  #prompts: AgentMessage[] = [];
  /** Results that join the conversation when all calls of a response have ended. */
  #held: AgentMessage[] | undefined;
  /** Messages of middleware that come after these results, or after the message that is being delivered. */
  #waiting: AgentMessage[] = [];
  /** The latest delivery, until it is over. A hook that was left behind by an abort may deliver while the run is closed. */
  #delivery: Promise<void> | undefined;
  #isDelivering = false;

  /** The caller's own arrays are never touched. */
  constructor(
    { context, config, onRewind }: { context: AgentContext; config: AgentLoopConfig; onRewind?: OnRewind },
    events: RunEvents,
  ) {
    this.#context = { ...context, messages: joinRecords(withOwnIds(context.messages).slice()) };
    this.#events = events;
    this.#onRewind = onRewind;
    this.llmMessages = new LlmMessages(config);
  }

  /** The conversation. Hooks see it live. */
  get context(): AgentContext {
    return this.#context;
  }

  /** Its messages without the marks of calls that wait, which no model sees. */
  withoutMarks(): AgentMessage[] {
    return this.#records.withoutMarks(this.#context.messages);
  }

  /** Keeps the prompts of the run until {@link Transcript.deliverPrompts}. */
  expect(prompts: readonly AgentMessage[]): void {
    this.#prompts = prompts.slice();
  }

  /** Adds the prompts that are not in the conversation yet. */
  async deliverPrompts(): Promise<void> {
    for (const prompt of this.#prompts.splice(0)) await this.deliver(prompt);
  }

  /**
   * Adds a message and emits it. No event of another message comes between its start and its end.
   *
   * @param shown what `message_start` shows; null if it was emitted before
   */
  deliver(message: AgentMessage, shown: AgentMessage | null = message): Promise<void> {
    const next = (): Promise<void> => this.#deliver(message, shown);
    const delivery = this.#delivery ? this.#delivery.then(next, next) : next();
    this.#delivery = delivery;
    const leave = (): void => {
      if (this.#delivery === delivery) this.#delivery = undefined;
    };
    delivery.then(leave, leave);
    return delivery;
  }

  async #deliver(message: AgentMessage, shown: AgentMessage | null): Promise<void> {
    this.#isDelivering = true;
    try {
      await this.#addWithEvents(message, shown);
      // After a response with calls, the loop holds their results next.
      if (this.#held || hasCalls(message)) return;
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#addWithEvents(next, next);
    } finally {
      this.#isDelivering = false;
    }
  }

  async #addWithEvents(message: AgentMessage, shown: AgentMessage | null): Promise<void> {
    if (this.#held) this.#held.push(message);
    else this.#join(message);
    this.newMessages.push(message);
    if (shown) await this.#events.emit({ type: "message_start", message: shown });
    await this.#events.emit({ type: "message_end", message });
  }

  /** The result of a call that has paused takes the place of its record. */
  #join(message: AgentMessage): void {
    this.#records.add(this.#context.messages, message);
  }

  /** Hooks of tool calls see the conversation without the results of siblings, so those join it after the last call. */
  holdResults(): void {
    this.#held ??= [];
  }

  /** Adds the results that are held, and what middleware has added meanwhile. */
  async releaseResults(): Promise<void> {
    for (const message of this.#held ?? []) this.#join(message);
    this.#held = undefined;
    const waiting = this.#waiting.splice(0);
    for (const message of waiting) await this.deliver(message);
  }

  /** Adds a message of middleware. It must not come between tool calls and their results. */
  async add(message: AgentMessage): Promise<void> {
    this.added.push(message);
    if (this.#held || this.#isDelivering) this.#waiting.push(message);
    else if (this.#events.isBusy) this.#deliverLater(message);
    else await this.deliver(message);
  }

  /** For a hook that may be receiving an event: if it waited for the next ones, each would wait for the other. */
  #deliverLater(message: AgentMessage): void {
    this.#context.messages.push(message);
    this.newMessages.push(message);
    this.#events.emit({ type: "message_start", message });
    this.#events.emit({ type: "message_end", message });
  }

  /** Removes messages from the end, and puts back the records of calls that have gone on. */
  rewind(length: number, records: readonly AgentMessage[] = []): void {
    rewindRecords(this.#context.messages, length, records);
    this.#onRewind?.(length, records);
  }

  /** Goes on with another conversation. Its array of messages is copied. */
  replace(context: AgentContext): void {
    assertTools(context.tools);
    const own = context.messages === this.#context.messages;
    this.#context = {
      ...context,
      messages: own ? context.messages : joinRecords(withOwnIds(context.messages).slice()),
    };
  }
}

function hasCalls(message: AgentMessage): boolean {
  return message.role === "assistant" && !isFailure(message.stopReason) && findToolCalls(message).length > 0;
}
