/** Compacts one conversation: clears old results first, and writes a summary only if that is not enough. */
import type { AssistantMessage, Message, Model } from "pi-ai";
import { formatThrownValue } from "pi-ai/call";
import { addUsage, estimateMessageTokens, findServerCompaction } from "pi-ai/count";
import type { ModelRequest, SideRequest } from "../../types/hooks.js";
import type { AgentMessage } from "../../types/message.js";
import { type CompactionEvent, type CompactOptions, checkModel } from "./compact-options.js";
import {
  buildView,
  type CompactionFacts,
  type CompactionMessage,
  type CompactionReason,
  countThinking,
  endOf,
  findRecord,
  fitsTranscript,
  identify,
  isCompactionMessage,
  type PlacedRecord,
} from "./context-view.js";
import { writeRecordText } from "./describe-messages.js";
import { type Correction, type Measurement, measure, sumTokens } from "./measure.js";
import { chooseExtent, clearToFit, type Extent, type Plan, tokensOfExtent } from "./plan.js";
import { Summarizer, type Summary, selectForSummary } from "./summarize.js";
import { canAskInPlace, readSummaryInPlace, requestInPlace } from "./summarize-in-place.js";

const DEFAULT_AT = 0.8;
const DEFAULT_KEEP = 20_000;
/** The share of the threshold that may be left. With less room, the next compaction, and a lost cache, would follow soon. */
const ENOUGH = 0.8;
/**
 * The share that may be left after old results were cleared. All after the first of them has to be cached again, which costs
 * more than a summary and the latest messages, so it has to last longer.
 */
const ENOUGH_CLEARED = 0.4;
/** How much a conversation must grow before the next attempt, if it did not get below the threshold but fits the window. */
const GROWTH = 1.1;
const FREED_NOTHING = "The compaction freed nothing";

type CompactionEnd = Extract<CompactionEvent, { type: "compaction_end" }>;

/** Where a compaction takes place: a run, or a call by hand. */
export interface Place {
  /** The model of the next request. */
  readonly model: Model;
  readonly signal: AbortSignal | undefined;
  /** Whether the responses of a run count what requests for a summary use. */
  readonly inRun: boolean;
  now(): number;
  /** Builds the request of the turn, in a run. */
  prepare?(): Promise<ModelRequest>;
  /** Converts messages for the model that summarises them. */
  toLlm(messages: readonly AgentMessage[]): Promise<Message[]>;
  /** Sends a request for a summary. */
  send(request: SideRequest): Promise<AssistantMessage>;
}

/** The data that compactions of all conversations share: it is found by the messages themselves. */
export interface CompactorMemory {
  readonly summarizer: Summarizer;
  /** The estimate of what an attempt has left, by the last message at that time. Without the correction, which can change. */
  readonly attempts: WeakMap<AgentMessage, number>;
}

export function createMemory(): CompactorMemory {
  return { summarizer: new Summarizer(), attempts: new WeakMap() };
}

/** A compaction that is under way. */
interface Job extends Plan {
  reason: CompactionReason;
  /** The record of the compaction before this one. */
  record: CompactionMessage | undefined;
  tokens: number;
}

/** Compacts the conversation of one run, or one by hand. Remembers how far its estimates were off. */
export class Compactor {
  readonly #options: CompactOptions;
  readonly #place: Place;
  readonly #memory: CompactorMemory;
  #last: Correction = { scale: 1, fixed: 0 };
  /** A record that is not in the transcript yet. */
  pending: PlacedRecord | undefined;

  constructor({ options, place, memory }: { options: CompactOptions; place: Place; memory: CompactorMemory }) {
    this.#options = options;
    this.#place = place;
    this.#memory = memory;
    checkModel("model", place.model);
  }

  /** Finds the latest record: in the transcript, or one that has not been added to it yet. */
  find(messages: readonly AgentMessage[]): PlacedRecord | undefined {
    const stored = findRecord(messages);
    const own = this.pending;
    if (!own || !fitsTranscript(own.record, messages, messages.length)) return stored;
    return stored && stored.position >= own.position ? stored : own;
  }

  /** Compacts the conversation if it exceeds the threshold. Returns the record, which the caller has to add. */
  async keepWithin(messages: readonly AgentMessage[]): Promise<CompactionMessage | undefined> {
    const model = this.#model;
    const found = this.find(messages);
    const view = buildView(messages, { found, model });
    const measured = this.#measure(messages, view, found);
    if (measured.tokens <= this.#threshold || this.#waits(messages, measured)) return undefined;
    const record = await this.#run(this.#createJob(messages, "threshold", { found, ...measured }));
    const next = record ? buildView(messages, { found: { record, position: messages.length }, model }) : view;
    const last = messages.at(-1);
    if (last) this.#memory.attempts.set(last, sumTokens(next.slice(findServerCompaction(next, model)), model));
    return record;
  }

  /** Compacts the conversation whatever its size. Returns the record, which the caller has to add to the transcript. */
  async compact(messages: readonly AgentMessage[], reason: CompactionReason): Promise<CompactionMessage | undefined> {
    const found = this.find(messages);
    const measured = this.#measure(messages, buildView(messages, { found, model: this.#model }), found);
    const job = this.#createJob(messages, reason, { found, ...measured });
    const half = Math.min(job.goal, measured.tokens / 2);
    return this.#run({ ...job, goal: half, keep: Math.min(job.keep, half / 2) });
  }

  get #model(): Model {
    return checkModel("model", this.#place.model);
  }

  /** Whether the next attempt should wait: the conversation has hardly grown since the last one, and fits the window. */
  #waits(messages: readonly AgentMessage[], { tokens, scale, fixed }: Measurement): boolean {
    const { attempts } = this.#memory;
    const attempted = messages.findLast((message) => attempts.has(message));
    const left = (attempted && attempts.get(attempted)) ?? 0;
    return tokens <= this.#model.contextWindow && tokens < (fixed + left * scale) * GROWTH;
  }

  get #threshold(): number {
    return this.#model.contextWindow * (this.#options.at ?? DEFAULT_AT);
  }

  #measure(messages: readonly AgentMessage[], view: readonly AgentMessage[], found: PlacedRecord | undefined) {
    const measured = measure({ messages, view, found, model: this.#model, last: this.#last });
    this.#last = measured;
    return measured;
  }

  #createJob(
    messages: readonly AgentMessage[],
    reason: CompactionReason,
    more: Measurement & { found: PlacedRecord | undefined },
  ): Job {
    const { keep = DEFAULT_KEEP } = this.#options;
    const { found, ...rest } = more;
    const model = this.#model;
    return {
      ...rest,
      messages,
      model,
      start: findServerCompaction(messages, model),
      reason,
      record: found?.record,
      goal: this.#threshold * ENOUGH,
      goalCleared: this.#threshold * ENOUGH_CLEARED,
      keep: Math.min(keep, Math.max(0, this.#threshold - more.fixed) / 2),
      mustSummarize: reason === "manual",
    };
  }

  /** Runs the steps. Reports a failure, which leaves the conversation as it is, instead of rejecting. */
  async #run(job: Job): Promise<CompactionMessage | undefined> {
    const { onEvent } = this.#options;
    onEvent?.({ type: "compaction_start", reason: job.reason });
    const type = "compaction_end";
    const end: CompactionEnd = await this.#steps(job).then(
      (result) => (result ? { type, result } : { type, errorMessage: FREED_NOTHING }),
      (error) => ({
        type,
        errorMessage: formatThrownValue(error),
        ...(this.#place.signal?.aborted && { aborted: true }),
      }),
    );
    // After the steps: an error of the application is not a failure of the compaction.
    onEvent?.(end);
    return end.result;
  }

  async #steps(job: Job): Promise<CompactionMessage | undefined> {
    const facts = job.record?.compaction;
    const before = { replaced: facts?.replaced ?? 0, cleared: facts?.cleared ?? 0 };
    const clear = this.#options.clearToolResults ?? true;
    const extent = chooseExtent(job, before, clear);
    const earlier: Summary | undefined =
      facts?.summary === undefined ? undefined : { text: facts.summary, usage: undefined };
    if (extent.replaced === before.replaced) return this.#finish(job, extent, { summary: earlier });
    try {
      return await this.#finish(job, extent, { summary: await this.#summarize(job, before.replaced, extent.replaced) });
    } catch (error) {
      const light = clear && !this.#place.signal?.aborted ? this.#clearInstead(job, before) : undefined;
      if (!light) throw error;
      return this.#finish(job, light, { summary: earlier, summaryError: formatThrownValue(error) });
    }
  }

  /** Chooses what to clear without a summary. Undefined if the conversation fits as it is, or if clearing is not enough. */
  #clearInstead(job: Job, before: Extent): Extent | undefined {
    const window = job.model.contextWindow;
    if (job.reason === "manual" || (job.reason === "threshold" && job.tokens <= window)) return undefined;
    return clearToFit({ ...job, goal: Math.min(window, job.tokens) * ENOUGH }, before);
  }

  async #summarize(job: Job, from: number, to: number): Promise<Summary> {
    const { messages, start, record } = job;
    const { prompt, requestOptions, summaryModel = this.#model } = this.#options;
    const { inRun } = this.#place;
    const asked = await this.#askInPlace(job);
    const text = asked && readSummaryInPlace(asked, job.model);
    if (text) return { text, usage: addUsage([asked]) };
    const summary = await this.#memory.summarizer.summarize({
      messages: await this.#place.toLlm(selectForSummary(messages, { from, to, start })),
      earlier: record?.compaction.summary,
      prompt,
      requestOptions,
      model: summaryModel,
      send: (request) => this.#place.send(request),
      inRun,
    });
    if (!asked) return summary;
    return { ...summary, usage: addUsage([asked, ...(summary.usage ? [{ usage: summary.usage }] : [])]) };
  }

  /** Asks the model of the conversation at its end, where the provider has cached it. Undefined if it cannot be asked there. */
  async #askInPlace(job: Job): Promise<AssistantMessage | undefined> {
    const { summaryModel, prompt, requestOptions } = this.#options;
    if (summaryModel || !this.#place.prepare || job.reason !== "threshold" || !canAskInPlace(job)) return undefined;
    const request = requestInPlace(await this.#place.prepare(), { prompt, requestOptions });
    return request && this.#place.send(request);
  }

  /** Returns the record, unless it would free nothing. */
  async #finish(
    job: Job,
    extent: Extent,
    { summary, summaryError }: { summary: Summary | undefined; summaryError?: string },
  ): Promise<CompactionMessage | undefined> {
    const { messages, reason, scale, model } = job;
    const last = messages[endOf(extent) - 1];
    if (!last) return undefined;
    const content = writeRecordText(summary?.text, summary && (await this.#readRequest(messages, extent)));
    const timestamp = this.#place.now();
    const own = summary ? estimateMessageTokens({ role: "user", content, timestamp }, model) : 0;
    const tokensAfter = Math.round(tokensOfExtent(messages, extent, job) + own * scale);
    const unchanged = job.record?.compaction;
    const isSame = unchanged?.replaced === extent.replaced && unchanged.cleared === extent.cleared;
    if (isSame || tokensAfter >= Math.round(job.tokens)) return undefined;
    const compaction: CompactionFacts = {
      ...extent,
      ...(summary && { summary: summary.text }),
      last: identify(last),
      tokensBefore: Math.round(job.tokens),
      tokensAfter,
      reason,
      madeAt: messages.length,
      ...(summary?.usage && { usage: summary.usage }),
      ...(summary?.usage && this.#place.inRun && { inResponses: true }),
      ...(summaryError !== undefined && { summaryError }),
    };
    const record: CompactionMessage = { role: "user", content, timestamp, origin: "compact", compaction };
    const thinkingRemoved = this.#countRemovedThinking(messages, record);
    return thinkingRemoved === 0 ? record : { ...record, compaction: { ...compaction, thinkingRemoved } };
  }

  /** Returns the latest request of the user if the summary replaces it, as the hooks of others let a model see it. */
  async #readRequest(messages: readonly AgentMessage[], { replaced }: Extent): Promise<Message | undefined> {
    const position = messages.findLastIndex((message) => message.role === "user" && !isCompactionMessage(message));
    const request = position < replaced ? messages[position] : undefined;
    return request && (await this.#place.toLlm([request])).at(-1);
  }

  #countRemovedThinking(messages: readonly AgentMessage[], record: CompactionMessage): number {
    const { replaced, summary } = record.compaction;
    const view = buildView(messages, { found: { record, position: messages.length }, model: this.#model });
    return countThinking(messages.slice(summary === undefined ? 0 : replaced)) - countThinking(view);
  }
}
