/** The conversation of a run, and the only way into it: what is added is emitted, so that listeners have seen what the model will see. */
import { isFailure } from "pi-ai/call";
import { assertTools } from "../check-tools.js";
import { findToolCalls, joinRecords, RunRecords, rewindRecords, withOwnIds } from "../pause/index.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentMessage } from "../types/message.js";
import { DefaultConversion, keepLlmMessages } from "./llm-messages.js";
import type { RunEvents } from "./run-events.js";

/** Called when messages are removed from the end, and these records are put back. */
export type OnRewind = (length: number, records: readonly AgentMessage[]) => void;

export class Transcript {
  /** The messages that the run added. */
  readonly newMessages: AgentMessage[] = [];
  /** The messages that middleware has added. */
  readonly fromMiddleware: AgentMessage[] = [];
  /** Converts what a model can read of it, unless the application has a `convertToLlm`. */
  readonly defaultConversion: DefaultConversion | undefined;
  readonly #events: RunEvents;
  readonly #onRewind: OnRewind | undefined;
  /** The result of a call that has paused takes the place of its record. */
  readonly #records = new RunRecords();
  #context: AgentContext;
  /** The prompts that are not in the conversation yet. */
  #openPrompts: AgentMessage[] = [];
  /** Results that join the conversation when all calls of a response have ended. */
  #heldResults: AgentMessage[] | undefined;
  /** Messages of middleware that must come after these results, or after the message that is being delivered. */
  #postponed: AgentMessage[] = [];
  /** The latest delivery, until it is over. A hook that was left behind by an abort may deliver while the run is closed. */
  #latestDelivery: Promise<void> | undefined;
  #isDelivering = false;

  /** The caller's own arrays are never touched. */
  constructor(
    { context, config, onRewind }: { context: AgentContext; config: AgentLoopConfig; onRewind?: OnRewind },
    events: RunEvents,
  ) {
    this.#context = { ...context, messages: joinRecords(withOwnIds(context.messages).slice()) };
    this.#events = events;
    this.#onRewind = onRewind;
    this.defaultConversion = config.convertToLlm === keepLlmMessages ? new DefaultConversion(config) : undefined;
  }

  /** The conversation. Hooks see it live. */
  get context(): AgentContext {
    return this.#context;
  }

  /** Its messages without the marks of calls that wait, which no model sees. */
  messagesWithoutMarks(): AgentMessage[] {
    return this.#records.allWithoutMarks(this.#context.messages);
  }

  /** Keeps the prompts of the run until {@link Transcript.deliverPrompts}. */
  keepPrompts(prompts: readonly AgentMessage[]): void {
    this.#openPrompts = prompts.slice();
  }

  /** Adds the prompts that are not in the conversation yet. */
  async deliverPrompts(): Promise<void> {
    for (const prompt of this.#openPrompts.splice(0)) await this.deliver(prompt);
  }

  /**
   * Adds a message and emits it. No event of another message comes between its start and its end.
   *
   * @param shown what `message_start` shows; null if it was emitted before
   */
  deliver(message: AgentMessage, shown: AgentMessage | null = message): Promise<void> {
    const next = (): Promise<void> => this.#deliverNow(message, shown);
    const delivery = this.#latestDelivery ? this.#latestDelivery.then(next, next) : next();
    this.#latestDelivery = delivery;
    const leave = (): void => {
      if (this.#latestDelivery === delivery) this.#latestDelivery = undefined;
    };
    delivery.then(leave, leave);
    return delivery;
  }

  /** Resolves when every message is shown whole. Returns a promise only if there is something to wait for. */
  get unfinished(): Promise<void> | undefined {
    return this.#latestDelivery;
  }

  async #deliverNow(message: AgentMessage, shown: AgentMessage | null): Promise<void> {
    this.#isDelivering = true;
    try {
      await this.#addAndEmit(message, shown);
      // After a response with calls, the loop holds their results next.
      if (this.#heldResults || hasCalls(message)) return;
      for (let next = this.#postponed.shift(); next; next = this.#postponed.shift()) await this.#addAndEmit(next, next);
    } finally {
      this.#isDelivering = false;
    }
  }

  async #addAndEmit(message: AgentMessage, shown: AgentMessage | null): Promise<void> {
    if (this.#heldResults) this.#heldResults.push(message);
    else this.#records.add(this.#context.messages, message);
    this.newMessages.push(message);
    if (shown) await this.#events.emit({ type: "message_start", message: shown });
    await this.#events.emit({ type: "message_end", message });
  }

  /** Hooks of tool calls see the conversation without the results of siblings, so those join it after the last call. */
  holdResults(): void {
    this.#heldResults ??= [];
  }

  /** Adds the results that are held, and what middleware has added meanwhile. */
  async releaseResults(): Promise<void> {
    for (const message of this.#heldResults ?? []) this.#records.add(this.#context.messages, message);
    this.#heldResults = undefined;
    const postponed = this.#postponed.splice(0);
    for (const message of postponed) await this.deliver(message);
  }

  /** Adds a message of middleware. It must not come between tool calls and their results. */
  async addFromMiddleware(message: AgentMessage): Promise<void> {
    this.fromMiddleware.push(message);
    if (this.#heldResults || this.#isDelivering) this.#postponed.push(message);
    else if (this.#events.isBusy) this.#addWithoutWaiting(message);
    else await this.deliver(message);
  }

  /** For a hook that may be receiving an event: if it waited for the next ones, each would wait for the other. */
  #addWithoutWaiting(message: AgentMessage): void {
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
