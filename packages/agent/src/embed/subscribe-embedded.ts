/** Turns the events of a running session into replies for a product to deliver. */

import type { Usage } from "pi-ai";
import { addUsage } from "pi-ai/count";
import { AssistantReply } from "./assistant-reply.js";
import { AssistantTexts } from "./assistant-texts.js";
import { Callbacks } from "./callbacks.js";
import { checkEmbed } from "./check-embed.js";
import { CompactionGate } from "./compaction-gate.js";
import { normalizeTextForComparison } from "./duplicate-replies.js";
import type { EmbedCompactionEnd, EmbedEvent, EmbedSource } from "./embed-event.js";
import { createEmbedEventHandler, type EmbedEventContext } from "./event-handler.js";
import type { EmbedOptions, ToolErrorInfo, ToolMeta } from "./options.js";
import { type DedupeOptions, OutboundMessages } from "./outbound-messages.js";
import { ToolLog } from "./tool-log.js";

/** A running subscription. Its functions do not depend on `this`. */
export interface EmbedSubscription<TTarget = unknown> {
  /** All texts of the assistant so far, across messages. A live array. */
  readonly assistantTexts: string[];
  /** One entry for each tool call so far. A live array. */
  readonly toolMetas: ToolMeta[];
  /** Ends the subscription: pending waits reject, a compaction is aborted, and no callback is called again. Idempotent. */
  unsubscribe(): void;
  /** Whether a compaction is in progress, or a run will be repeated after one. */
  isCompacting(): boolean;
  /** Whether a compaction is in progress. */
  isCompactionInFlight(): boolean;
  /** The texts that messaging tools have sent in successful calls. */
  getMessagingToolSentTexts(): string[];
  /** The targets to which messaging tools have sent in successful calls. */
  getMessagingToolSentTargets(): TTarget[];
  /** Whether at least one text was sent; targets alone do not count. */
  didSendViaMessagingTool(): boolean;
  /** The error of the latest tool call; `undefined` if it succeeded. */
  getLastToolError(): ToolErrorInfo | undefined;
  /** The usage of all responses so far. */
  getUsageTotals(): UsageTotals;
  /** The number of compactions that were completed: not aborted, not failed, and not reported with an empty result. */
  getCompactionCount(): number;
  /**
   * Resolves when no compaction is in progress and no repeated run is expected.
   *
   * @throws an `AbortError` when the subscription ends first, or has ended
   */
  waitForCompactionRetry(): Promise<void>;
  /** Handles an event from elsewhere: a host that compacts, a replayed log, a test. */
  handleEvent(event: EmbedEvent): void;
  /** Resolves when the promises of all callbacks have settled, or after `deliveryTimeoutMs`. */
  whenDelivered(): Promise<void>;
  /** Whether the subscription has ended. */
  readonly closed: boolean;
}

/**
 * Listens to a source until `unsubscribe()` is called.
 *
 * @throws TypeError for a source without `subscribe`, and for an option that is misspelt or of a wrong type
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
  checkEmbed(source, options);
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
    // The source may have sent an event at once, and a callback may have unsubscribed.
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
    if (this.#closed) return;
    // A durable run repeats what an earlier process has delivered. It counts, but is not delivered again.
    this.#callbacks.isMuted = isRepeated(event);
    this.#handle(event);
    this.#callbacks.isMuted = false;
  }

  #createContext(): EmbedEventContext {
    const { onAgentStart, onPause, onAgentEnd, onCompactionStart, onCompactionEnd } = this.#options;
    return {
      onMessageStart: () => this.#reply.start(),
      onMessageUpdate: (event) => this.#reply.update(event),
      onMessageEnd: (message) => {
        if (this.#reply.end(message)) this.#usage = countResponse(this.#usage, message.usage);
      },
      onToolStart: (event) => {
        this.#reply.flush();
        this.#tools.start(event);
      },
      onToolUpdate: (event) => this.#tools.update(event),
      onToolEnd: (event) => this.#tools.end(event),
      onAgentStart: () => this.#callbacks.run("onAgentStart", onAgentStart),
      onAgentEnd: (pause) => {
        this.#compaction.endRun();
        if (pause) this.#callbacks.run("onPause", onPause, pause);
        this.#callbacks.run("onAgentEnd", onAgentEnd);
      },
      onCompactionStart: (event) => {
        this.#compaction.begin();
        this.#callbacks.run("onCompactionStart", onCompactionStart, event);
      },
      onCompactionEnd: (event) => {
        const willRetry = event.willRetry === true;
        this.#compaction.end({ completed: isCompleted(event), willRetry });
        if (willRetry) this.#discardOutput();
        this.#callbacks.run("onCompactionEnd", onCompactionEnd, { ...event, willRetry });
      },
      debug: (message) => this.#callbacks.debug(message),
    };
  }

  /** The run is repeated, so its output so far is discarded. */
  #discardOutput(): void {
    this.#texts.clear();
    this.#tools.clear();
    this.#reply.reset();
  }

  #unsubscribe(): void {
    if (this.#closed) return;
    // First, so that the following steps trigger no callbacks.
    this.#closed = true;
    const isCompacting = this.#source.isCompacting ?? this.#compaction.isInFlight;
    this.#compaction.close();
    this.#callbacks.close();
    if (isCompacting) this.#callbacks.ask("abortCompaction", () => this.#source.abortCompaction?.());
    this.#callbacks.ask("unsubscribe", () => this.#detach?.());
  }
}

/** The beginning and end of a run concern this process, too. A source may send anything. */
function isRepeated(event: EmbedEvent): boolean {
  const { type, replayed }: { type?: unknown; replayed?: unknown } = Object(event);
  return replayed === true && type !== "agent_start" && type !== "agent_end";
}

/** A host that reports an empty result has changed nothing; one that reports no result at all has compacted. */
function isCompleted(event: EmbedCompactionEnd): boolean {
  const { aborted, errorMessage, result } = event;
  const hasResult = "result" in event ? result !== undefined && result !== null : true;
  return !(aborted || errorMessage) && hasResult;
}

/** Falls back to the built-in normalizer where the product's own throws. */
function guardNormalizer(options: DedupeOptions = {}, callbacks: Callbacks): DedupeOptions {
  const { normalize } = options;
  if (!normalize) return options;
  return {
    ...options,
    normalize: (text) => callbacks.ask("dedupe.normalize", () => normalize(text)) ?? normalizeTextForComparison(text),
  };
}

/** The usage of all responses of a subscription. */
export interface UsageTotals {
  /** Prompt tokens that came from no cache. */
  input: number;
  /** Generated tokens. */
  output: number;
  /** Prompt tokens read from a cache. */
  cacheRead: number;
  /** Prompt tokens written to a cache. */
  cacheWrite: number;
  /** All tokens. */
  totalTokens: number;
  /** US dollars. */
  costTotal: number;
  /** The number of responses. */
  assistantMessages: number;
}

function createUsageTotals(): UsageTotals {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    costTotal: 0,
    assistantMessages: 0,
  };
}

/** The totals with one more response. */
function countResponse(totals: UsageTotals, usage: Partial<Usage> | undefined): UsageTotals {
  const before = { ...totals, cost: { total: totals.costTotal } };
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = addUsage([
    { usage: before },
    { usage: { ...usage } },
  ]);
  const { assistantMessages } = totals;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens,
    costTotal: cost.total,
    assistantMessages: assistantMessages + 1,
  };
}
