/** Turns the events of a running session into replies that a product can deliver. */
import { AssistantReply } from "./assistant-reply.js";
import { AssistantTexts } from "./assistant-texts.js";
import { Callbacks } from "./callbacks.js";
import { CompactionGate } from "./compaction-gate.js";
import type { EmbedEvent, EmbedSource } from "./event.js";
import { createEmbedEventHandler, type EmbedEventContext } from "./event-handler.js";
import type { EmbedOptions, ToolErrorInfo, ToolMeta } from "./options.js";
import { normalizeTextForComparison } from "./outbound-duplicates.js";
import { type DedupeOptions, OutboundMessages } from "./outbound-messages.js";
import { ToolLog } from "./tool-log.js";
import { addUsage, createUsageTotals, type UsageTotals } from "./usage-totals.js";

/** Its functions may be passed on without it. */
export interface EmbedSubscription<TTarget = unknown> {
  /** All texts of the assistant so far, of all messages. A live array. */
  readonly assistantTexts: string[];
  /** One entry for each tool call so far. A live array. */
  readonly toolMetas: ToolMeta[];
  /** Ends the subscription, once: who waits is rejected, a compaction is aborted, no callback is called any more. */
  unsubscribe(): void;
  /** A compaction is going on, or the run is about to be repeated after one. */
  isCompacting(): boolean;
  /** A compaction is going on. */
  isCompactionInFlight(): boolean;
  /** What tools have sent to people, in calls that succeeded. */
  getMessagingToolSentTexts(): string[];
  /** To whom tools have sent something, in calls that succeeded. */
  getMessagingToolSentTargets(): TTarget[];
  /** At least one text was sent; targets alone do not count. */
  didSendViaMessagingTool(): boolean;
  /** How the latest tool call failed; `undefined` if it did not. */
  getLastToolError(): ToolErrorInfo | undefined;
  /** What all answers so far have used. */
  getUsageTotals(): UsageTotals;
  /** How many compactions were completed. */
  getCompactionCount(): number;
  /**
   * Resolves when no compaction is going on and no repeated run is expected.
   *
   * @throws an `AbortError` when the subscription ends first, or has ended
   */
  waitForCompactionRetry(): Promise<void>;
  /** Takes an event from elsewhere: a host that compacts, a log that is replayed, a test. */
  handleEvent(event: EmbedEvent): void;
  /** Resolves when the promises of all callbacks are settled. */
  whenDelivered(): Promise<void>;
  /** Whether the subscription has ended. */
  readonly closed: boolean;
}

/**
 * Listens to a source until it is told to stop.
 *
 * @example
 * const subscription = subscribeEmbedded(agent, {
 *   blockReplyBreak: "text_end",
 *   chunker: { maxChars: 1900 },
 *   onBlockReply: ({ text }) => chat.send(text),
 * });
 * await agent.prompt("Hello");
 * await subscription.whenDelivered();
 * subscription.unsubscribe();
 */
export function subscribeEmbedded<TTarget = unknown>(
  source: EmbedSource,
  options: EmbedOptions<TTarget> = {},
): EmbedSubscription<TTarget> {
  const subscription = new Subscription(source, options);
  subscription.attach();
  return subscription.toPublic();
}

class Subscription<TTarget> {
  readonly #source: EmbedSource;
  readonly #options: EmbedOptions<TTarget>;
  readonly #callbacks: Callbacks;
  readonly #texts = new AssistantTexts();
  readonly #outbound: OutboundMessages<TTarget>;
  readonly #tools: ToolLog<TTarget>;
  readonly #reply: AssistantReply;
  readonly #compaction = new CompactionGate();
  readonly #handle: (event: EmbedEvent) => void;
  #usage = createUsageTotals();
  #detach: (() => void) | undefined;
  #closed = false;

  constructor(source: EmbedSource, options: EmbedOptions<TTarget>) {
    this.#source = source;
    this.#options = options;
    this.#callbacks = new Callbacks(options);
    this.#outbound = new OutboundMessages(guardNormalizer(options.dedupe, this.#callbacks));
    this.#tools = new ToolLog(options, this.#callbacks, this.#outbound);
    const parts = { callbacks: this.#callbacks, texts: this.#texts, outbound: this.#outbound };
    this.#reply = new AssistantReply(options, parts);
    this.#handle = createEmbedEventHandler(this.#createContext());
  }

  attach(): void {
    this.#detach = this.#source.subscribe((event) => this.#receive(event));
    // A source may have told something at once, and a callback may have ended the subscription.
    if (this.#closed) this.#detach();
  }

  toPublic(): EmbedSubscription<TTarget> {
    const isClosed = (): boolean => this.#closed;
    return {
      assistantTexts: this.#texts.texts,
      toolMetas: this.#tools.metas,
      unsubscribe: () => this.#unsubscribe(),
      isCompacting: () => this.#compaction.isBusy,
      isCompactionInFlight: () => this.#compaction.isInFlight,
      getMessagingToolSentTexts: () => this.#outbound.texts,
      getMessagingToolSentTargets: () => this.#outbound.targets,
      didSendViaMessagingTool: () => this.#outbound.hasSentText,
      getLastToolError: () => this.#tools.lastError,
      getUsageTotals: () => ({ ...this.#usage }),
      getCompactionCount: () => this.#compaction.count,
      waitForCompactionRetry: () => this.#compaction.wait(),
      handleEvent: (event) => this.#receive(event),
      whenDelivered: () => this.#callbacks.whenDelivered(),
      get closed() {
        return isClosed();
      },
    };
  }

  #receive(event: EmbedEvent): void {
    if (!this.#closed) this.#handle(event);
  }

  #createContext(): EmbedEventContext {
    const { onAgentStart, onAgentEnd, onCompactionStart, onCompactionEnd } = this.#options;
    return {
      onMessageStart: () => this.#reply.start(),
      onMessageUpdate: (event) => this.#reply.update(event),
      onMessageEnd: (message) => {
        if (this.#reply.end(message)) this.#usage = addUsage(this.#usage, message.usage);
      },
      onToolStart: (event) => this.#tools.start(event),
      onToolUpdate: (event) => this.#tools.update(event),
      onToolEnd: (event) => this.#tools.end(event),
      onAgentStart: () => this.#callbacks.run("onAgentStart", onAgentStart),
      onAgentEnd: () => {
        this.#compaction.endRun();
        this.#callbacks.run("onAgentEnd", onAgentEnd);
      },
      onCompactionStart: (event) => {
        this.#compaction.begin();
        this.#callbacks.run("onCompactionStart", onCompactionStart, event);
      },
      onCompactionEnd: (event) => {
        const willRetry = event.willRetry === true;
        this.#compaction.end({ completed: !event.aborted && !event.errorMessage, willRetry });
        if (willRetry) this.#discardOutput();
        this.#callbacks.run("onCompactionEnd", onCompactionEnd, { ...event, willRetry });
      },
      debug: (message) => this.#callbacks.debug(message),
    };
  }

  /** The run is repeated: what it has said so far does not count. */
  #discardOutput(): void {
    this.#texts.clear();
    this.#tools.clear();
    this.#reply.reset();
  }

  #unsubscribe(): void {
    if (this.#closed) return;
    // First, so that nothing that the following steps set off is told any more.
    this.#closed = true;
    const isCompacting = this.#source.isCompacting ?? this.#compaction.isInFlight;
    this.#compaction.close();
    this.#callbacks.close();
    if (isCompacting) this.#callbacks.ask("abortCompaction", () => this.#source.abortCompaction?.());
    this.#callbacks.ask("unsubscribe", () => this.#detach?.());
  }
}

/** Where a product's normaliser fails, the built-in one does. */
function guardNormalizer(options: DedupeOptions = {}, callbacks: Callbacks): DedupeOptions {
  const { normalize } = options;
  if (!normalize) return options;
  return {
    ...options,
    normalize: (text) => callbacks.ask("dedupe.normalize", () => normalize(text)) ?? normalizeTextForComparison(text),
  };
}
