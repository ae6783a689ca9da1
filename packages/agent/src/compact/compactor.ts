/** Keeps one conversation within its window: clears old results first, and writes a summary only if that is not enough. */
import type { Message, Model } from "pi-ai";
import { formatThrownValue } from "pi-ai/call";
import { estimateMessageTokens, findServerCompaction } from "pi-ai/count";
import type { HookRun } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import { checkCompactOptions, checkMessages, checkModel } from "./check-options.js";
import type { CompactionEvent, CompactOptions } from "./compact-options.js";
import {
  type CompactionFacts,
  type CompactionMessage,
  type CompactionReason,
  endOf,
  findRecord,
  fitsTranscript,
  identify,
  type PlacedRecord,
} from "./compaction-message.js";
import { buildView, countThinking } from "./context-view.js";
import { chooseExtent, clearToFit, type Extent, type Plan, tokensOfExtent } from "./plan.js";
import { writeRecordText } from "./record-text.js";
import { Summarizer, type Summary } from "./summarize.js";
import { isLlmMessage, selectForSummary } from "./summary-input.js";
import { type Correction, type Measurement, measure, sumTokens } from "./token-meter.js";

const DEFAULT_AT = 0.8;
const DEFAULT_KEEP = 20_000;
/** The share of the threshold that may be left. With less room, the next compaction, and a lost cache, would follow soon. */
const ENOUGH = 0.8;
/** How much a conversation must grow before the next attempt, if it did not get below the threshold but fits the window. */
const GROWTH = 1.1;
const FREED_NOTHING = "The compaction freed nothing";

type CompactionEnd = Extract<CompactionEvent, { type: "compaction_end" }>;
type AddMessage = (message: AgentMessage) => Promise<void>;

/** Where a compaction takes place. */
interface Place {
  signal?: AbortSignal | undefined;
  /** The run; undefined outside one. */
  run?: HookRun | undefined;
}

const NO_RUN = "wrapModelCall of the compaction was called without its fourth parameter, the run. Pass it on.";

/** A compaction that is under way. */
interface Job extends Plan, Place {
  reason: CompactionReason;
  /** The record of the compaction before this one. */
  record: CompactionMessage | undefined;
  tokens: number;
  prompt: string | undefined;
}

/** Compacts one conversation. Remembers how far its estimates were off, and what an attempt has left. */
export class Compactor {
  readonly #options: CompactOptions;
  readonly #summarizer: Summarizer = new Summarizer();
  /** A record that is not in the transcript yet, and the length of the transcript when it was made. */
  #pending: PlacedRecord | undefined;
  #last: Correction = { scale: 1, fixed: 0 };
  /** The estimate of the messages that the last attempt left. Without the correction, which can change. */
  #left = 0;
  #converting = 0;

  constructor(options: CompactOptions) {
    checkCompactOptions(options);
    this.#options = options;
  }

  /** Whether messages to summarise are on their way through the hooks of the application. */
  get isConverting(): boolean {
    return this.#converting > 0;
  }

  get model(): Model {
    const { model } = this.#options;
    return typeof model === "function" ? checkModel("model", model()) : model;
  }

  /** Returns the messages of the next request. First compacts the conversation if it exceeds the threshold. */
  async transform(
    messages: readonly AgentMessage[],
    { signal, add, run }: Place & { add: AddMessage | undefined },
  ): Promise<AgentMessage[]> {
    checkMessages(messages);
    const found = this.#find(messages);
    if (add && found && found === this.#pending) await this.#deliver(found.record, messages, add);
    const view = buildView(messages, found, this.model);
    const measured = this.#measure(messages, view, found);
    if (measured.tokens <= this.#threshold || this.#waits(measured)) return view;
    const record = await this.#run(this.#createJob(messages, "threshold", { found, ...measured, signal, run }));
    const placed = record && { record, position: messages.length };
    const next = placed ? buildView(messages, placed, this.model) : view;
    this.#left = sumTokens(next.slice(findServerCompaction(next, this.model)), this.model);
    if (!placed) return view;
    this.#pending = placed;
    if (add) await this.#deliver(placed.record, messages, add);
    return next;
  }

  /** Compacts the conversation whatever its size. Returns the record, which the caller has to add to the transcript. */
  async compact(
    messages: readonly AgentMessage[],
    reason: CompactionReason,
    { signal, run, prompt }: Place & { prompt?: string | undefined } = {},
  ): Promise<CompactionMessage | undefined> {
    checkMessages(messages);
    const found = this.#find(messages);
    const measured = this.#measure(messages, buildView(messages, found, this.model), found);
    const job = this.#createJob(messages, reason, { found, ...measured, signal, run });
    const half = Math.min(job.goal, measured.tokens / 2);
    return this.#run({ ...job, prompt: prompt ?? job.prompt, goal: half, keep: Math.min(job.keep, half / 2) });
  }

  /** Compacts after an overflow. Returns whether the request can be built again; the next `transform` adds the record. */
  async recover(messages: readonly AgentMessage[], { signal, run }: Place): Promise<boolean> {
    if (!run) {
      // Sending what this compaction knows would bypass the hooks of the application, which may redact it.
      this.#options.onEvent?.({ type: "compaction_start", reason: "overflow" });
      this.#options.onEvent?.({ type: "compaction_end", errorMessage: NO_RUN });
      return false;
    }
    const record = await this.compact(messages, "overflow", { signal, run });
    if (record) this.#pending = { record, position: messages.length };
    return record !== undefined;
  }

  /** Whether the next attempt should wait: the conversation has hardly grown since the last one, and fits the window. */
  #waits({ tokens, scale, fixed }: Measurement): boolean {
    return tokens <= this.model.contextWindow && tokens < (fixed + this.#left * scale) * GROWTH;
  }

  get #threshold(): number {
    return this.model.contextWindow * (this.#options.at ?? DEFAULT_AT);
  }

  #measure(messages: readonly AgentMessage[], view: readonly AgentMessage[], found: PlacedRecord | undefined) {
    const measured = measure({ messages, view, found, model: this.model, last: this.#last });
    this.#last = measured;
    return measured;
  }

  /** Finds the latest record: in the transcript, or one that has not been added to it yet. */
  #find(messages: readonly AgentMessage[]): PlacedRecord | undefined {
    const stored = findRecord(messages);
    const own = this.#pending;
    if (!own || !fitsTranscript(own.record, messages, messages.length)) return stored;
    return stored && stored.position >= own.position ? stored : own;
  }

  /** Adds a record to the transcript. If that fails, for example after an abort, keeps it: its summary is paid for. */
  async #deliver(record: CompactionMessage, messages: readonly AgentMessage[], add: AddMessage): Promise<void> {
    try {
      await add(record);
      this.#pending = undefined;
    } finally {
      if (messages.includes(record)) this.#pending = undefined;
    }
  }

  #createJob(
    messages: readonly AgentMessage[],
    reason: CompactionReason,
    more: Measurement & Place & { found: PlacedRecord | undefined },
  ): Job {
    const { prompt, keep = DEFAULT_KEEP } = this.#options;
    const { found, ...rest } = more;
    const goal = this.#threshold * ENOUGH;
    return {
      ...rest,
      messages,
      model: this.model,
      start: findServerCompaction(messages, this.model),
      reason,
      prompt,
      record: found?.record,
      goal,
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
      (error) => ({ type, errorMessage: formatThrownValue(error), ...(job.signal?.aborted && { aborted: true }) }),
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
      return this.#finish(job, extent, { summary: await this.#summarize(job, before.replaced, extent.replaced) });
    } catch (error) {
      const light = clear && !job.signal?.aborted ? this.#clearInstead(job, before) : undefined;
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

  async #summarize({ messages, start, record, prompt, signal, run }: Job, from: number, to: number): Promise<Summary> {
    const replaced = selectForSummary(messages, { from, to, start });
    const { summaryModel = this.model } = this.#options;
    return this.#summarizer.summarize({
      messages: run ? await this.#convert(replaced, run) : await this.#toLlm(replaced),
      earlier: record?.compaction.summary,
      options: { ...this.#options, summaryModel, ...(prompt !== undefined && { prompt }) },
      signal,
      run,
    });
  }

  /** Passes messages through the hooks of the application, which may leave something out that no request may hold. */
  async #convert(messages: readonly AgentMessage[], run: HookRun): Promise<Message[]> {
    this.#converting++;
    try {
      return await run.toLlm(messages);
    } finally {
      this.#converting--;
    }
  }

  /** Returns the record, unless it would free nothing. */
  #finish(
    job: Job,
    extent: Extent,
    { summary, summaryError }: { summary: Summary | undefined; summaryError?: string },
  ): CompactionMessage | undefined {
    const { messages, reason, scale, model } = job;
    const last = messages[endOf(extent) - 1];
    if (!last) return undefined;
    const content = writeRecordText(messages, extent, summary?.text);
    const timestamp = this.#options.now?.() ?? job.run?.now() ?? Date.now();
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
      ...(summary?.usage && { usage: summary.usage }),
      ...(summary?.usage && job.run && { inResponses: true }),
      ...(summaryError !== undefined && { summaryError }),
    };
    const record: CompactionMessage = { role: "user", content, timestamp, compaction };
    const thinkingRemoved = this.#countRemovedThinking(messages, record);
    return thinkingRemoved === 0 ? record : { ...record, compaction: { ...compaction, thinkingRemoved } };
  }

  #countRemovedThinking(messages: readonly AgentMessage[], record: CompactionMessage): number {
    const { replaced, summary } = record.compaction;
    const view = buildView(messages, { record, position: messages.length }, this.model);
    return countThinking(messages.slice(summary === undefined ? 0 : replaced)) - countThinking(view);
  }

  async #toLlm(messages: readonly AgentMessage[]): Promise<Message[]> {
    const { convertToLlm } = this.#options;
    if (convertToLlm) return convertToLlm([...messages]);
    return messages.filter(isLlmMessage);
  }
}
