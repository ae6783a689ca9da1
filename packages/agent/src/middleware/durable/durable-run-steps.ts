/** Defines the steps of a durable run: their names and the values that they store. */
import type { AssistantMessage } from "pi-ai";
import { describeUnknownEffect } from "../../pause/index.js";
import type { AgentMessage, AgentToolCall } from "../../types/message.js";
import type { TurnDecision } from "../../types/middleware.js";
import type { PolledQueue, RememberedOutcome, ResponseWork, RunSteps, StepRun } from "../../types/run-steps.js";
import type { AgentToolCallOutcome, AgentToolStep, StepToolCall } from "../../types/tool.js";
import { type DurableSteps, StepMismatchError } from "./durable-steps.js";
import { addResponse, createLedgerEntry, type DurableLedger } from "./ledger.js";
import { LeftInRun } from "./left-in-run.js";
import { fromPlainDecision, toPlainDecision } from "./plain-decision.js";
import { type BeginRecord, createBeginRecord, describeBase, findChange, holdsRun } from "./run-beginning.js";
import { type FinishedStep, journalOf, type StepJournal } from "./step-journal.js";

/** Lone surrogates, for which `encodeURIComponent` throws. */
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Reads messages that other processes send to the run: those of an append-only list from an offset on. Reading must not
 * remove them, because the process may die before the step is stored.
 */
export type Inbox = (queue: PolledQueue, offset: number) => AgentMessage[] | Promise<AgentMessage[]>;

/** The steps of a durable run, and its state. */
export interface DurableRunSteps extends RunSteps {
  /** The costs of the responses so far. Live. */
  readonly ledger: DurableLedger;
  /** Whether the run is repeating steps of an earlier process. The events of that time are marked as `replayed`. */
  readonly isReplaying: boolean;
}

interface DurableRunOptions {
  inbox: Inbox | undefined;
  detectChanges: boolean;
  now: () => number;
}

/** The name of the first step of each prompt. */
const PROMPTS = "prompts";

/** The value that a hook returned, or the text of the error that it threw. */
type HookRecord<TValue> = { returned: TValue } | { threw: string };

export class DurableRun implements DurableRunSteps {
  readonly ledger: DurableLedger & { unknownEffects: string[] } = {
    completed: createLedgerEntry(),
    lost: createLedgerEntry(),
    unknownEffects: [],
  };
  readonly stores = true;
  startedAt: number | undefined;
  /** Waits for a value from another process. Absent if the engine cannot wait. */
  readonly waitFor?: NonNullable<RunSteps["waitFor"]>;
  readonly #engine: DurableSteps;
  readonly #runId: string;
  readonly #options: DurableRunOptions;
  #journal: StepJournal;
  #run: StepRun | undefined;
  #left: LeftInRun | undefined;
  /** The number of steps that are being done. */
  #open = 0;
  #inner = 0;
  /** The number of requests and batches of tools under way. */
  #storing = 0;
  /** The number of messages received from the inbox. */
  readonly #received: Record<PolledQueue, number> = { steering: 0, "follow-up": 0 };
  readonly #keys = new WeakMap<AgentToolCall, { key: string; step: AgentToolStep }>();
  /** Calls that were about to run when another process died. */
  readonly #interrupted = new WeakSet<AgentToolCall>();

  constructor(engine: DurableSteps, runId: string, options: DurableRunOptions) {
    this.#engine = engine;
    // Encoded, because a model chooses tool call ids: keys of two runs must not be equal.
    this.#runId = encodeURIComponent(runId);
    this.#options = options;
    this.#journal = journalOf(engine, "", options.now);
    if (engine.waitFor) this.waitFor = (name, signal) => this.#journal.wait(name, signal);
  }

  get isReplaying(): boolean {
    return this.#journal.isReplaying;
  }

  get failure(): RunSteps["failure"] {
    return this.#journal.failure;
  }

  get isStoring(): boolean {
    return this.#storing > 0;
  }

  now(): number {
    return this.#journal.now;
  }

  async begin(prompts: readonly AgentMessage[], run: StepRun): Promise<readonly AgentMessage[]> {
    const scope = run.parent?.scope ?? "";
    const transcript = (): readonly AgentMessage[] => run.context.messages;
    this.#run = run;
    this.#left = new LeftInRun(run);
    // Two agents of one run must not take the same positions, so they share the journal of their scope.
    this.#journal = journalOf(this.#engine, scope, this.#options.now);
    this.#journal.transcript = transcript;
    const now = createBeginRecord(prompts, run);
    const begin = async (): Promise<BeginRecord | AgentMessage[]> => now;
    const { value, isReplay, position } = await this.#journal.run(PROMPTS, begin);
    this.startedAt = this.#journal.now;
    // Earlier versions remembered only the prompts.
    if (Array.isArray(value)) return value;
    if (!isReplay) return value.prompts;
    const refuse = (problem: string) =>
      this.#journal.refuse(
        new StepMismatchError({ position, expected: PROMPTS, remembered: PROMPTS }, transcript().slice(), problem),
      );
    const change = this.#options.detectChanges ? findChange(value, now) : undefined;
    if (change !== undefined) refuse(change);
    const holdsMore = now.base > value.base && holdsRun(value, transcript());
    if (holdsMore || (value.waiting && now.base === value.base)) run.rewind(value.base, value.waiting);
    else if (now.base !== value.base) refuse(describeBase(value.base, now.base));
    return value.prompts;
  }

  async poll(
    queue: PolledQueue,
    take: () => readonly AgentMessage[] | Promise<readonly AgentMessage[]>,
  ): Promise<readonly AgentMessage[]> {
    let own: readonly AgentMessage[] | undefined;
    const offset = this.#received[queue];
    const { taken, received } = await this.step(queue, async () => {
      own = (await take()) ?? [];
      return { taken: own, received: (await this.#options.inbox?.(queue, offset)) ?? [] };
    });
    this.#received[queue] += received.length;
    // Return the original objects, because the agent's queue confirms them by identity.
    return [...(own ?? taken), ...received];
  }

  /** A failure is a response, too: a process that repeats the run does not send the request again. */
  async respond({ addNote, request, close }: ResponseWork): Promise<AssistantMessage> {
    const run = this.#run;
    const begunBy = this.#journal.latestBy;
    // A poll precedes each request directly, so an attempt that polled has sent the request, too.
    const isRequested = begunBy !== this.#journal.attempt;
    const { value, isReplay } = await this.#take("response", async () => {
      this.catchUp();
      let note: AgentMessage | undefined;
      const requestNoted = async (): Promise<AssistantMessage> => {
        note = await addNote();
        return request();
      };
      const message = await this.#store(requestNoted).catch(close);
      return { message, isRepeated: isRequested, ...(note && { note }), ...(run?.stop && { stop: run.stop }) };
    });
    const { message, isRepeated, stop, note } = value;
    if (isReplay) await addNote({ note });
    if (isRepeated) addResponse(this.ledger.lost, message.usage);
    addResponse(this.ledger.completed, message.usage);
    if (isReplay && run) {
      if (stop) run.stopBecause(stop);
      // The response says what requests beside it have used.
      this.#left?.clear();
      run.middleware.onRemembered?.(message, stop !== undefined);
    }
    return message;
  }

  async decide(name: string, call: () => Promise<TurnDecision | undefined>): Promise<TurnDecision | undefined> {
    const run = this.#run;
    const plain = await this.step(name, async () => {
      const decision = await call();
      return decision && run ? toPlainDecision(decision, run) : decision;
    });
    return plain && run ? fromPlainDecision(plain, run) : undefined;
  }

  async step<TValue>(name: string, work: (id: string) => Promise<TValue>): Promise<TValue> {
    // A process that repeats the outer step does not run its work, so an inner step must not be one of the run. What it leaves
    // in the run is stored with the outer one.
    if (this.#open > 0) return work(`${this.#journal.scope}inner ${++this.#inner}`);
    const { value: record } = await this.#takeWithTraces(name, async (id): Promise<HookRecord<TValue>> => {
      try {
        return { returned: await work(id) };
      } catch (error) {
        return { threw: this.#run?.describeError(error) ?? String(error) };
      }
    });
    if ("threw" in record) throw new Error(record.threw);
    return record.returned;
  }

  keyOf(toolCall: AgentToolCall): string {
    return this.#keysOf(toolCall).key;
  }

  async runTools<TValue>(calls: readonly StepToolCall[], work: () => Promise<TValue>): Promise<TValue> {
    await this.#mark(calls);
    return this.#store(work);
  }

  /** Records that the calls are about to run. */
  async #mark(calls: readonly StepToolCall[]): Promise<void> {
    const unsafe = calls.filter(({ tool }) => tool.replay !== "safe").map(({ toolCall }) => toolCall);
    if (unsafe.length === 0) return;
    const name = `begin ${unsafe.map((toolCall) => this.keyOf(toolCall)).join(" ")}`;
    const { by } = await this.#take(name, async () => null);
    if (by !== this.#journal.attempt) for (const toolCall of unsafe) this.#interrupted.add(toolCall);
  }

  /** Listeners concern only this process, so the outcome is stored before they see it. */
  async runTool(
    { tool, toolCall, isHidden }: StepToolCall & { readonly isHidden: boolean },
    perform: (step: AgentToolStep) => Promise<AgentToolCallOutcome>,
  ): Promise<AgentToolCallOutcome> {
    const { key, step } = this.#keysOf(toolCall);
    const isInterrupted = this.#interrupted.has(toolCall);
    const work = async (): Promise<{ outcome: RememberedOutcome; isUnknown: boolean }> => {
      if (isInterrupted) return { outcome: createUnknownOutcome(tool.name), isUnknown: true };
      const { toolCall: _toolCall, ...outcome } = await perform(step);
      return { outcome, isUnknown: false };
    };
    const { value, isReplay } = await this.#takeWithTraces(`tool ${tool.name} ${key}`, work);
    if (value.isUnknown) this.ledger.unknownEffects.push(toolCall.id);
    const outcome = { toolCall, ...value.outcome };
    const isDone = isReplay || isInterrupted;
    if (isDone && !isHidden) this.#run?.middleware.onRememberedCall?.(outcome);
    return outcome;
  }

  catchUp(): void {
    this.#left?.catchUp();
  }

  /** No message may be added meanwhile: only the value of the work is stored. */
  async #store<TValue>(work: () => Promise<TValue>): Promise<TValue> {
    this.#storing++;
    try {
      return await work();
    } finally {
      this.#storing--;
    }
  }

  /** Takes a step in which messages may be added, and requests sent beside the conversation. */
  async #takeWithTraces<TValue extends object>(
    name: string,
    work: (id: string) => Promise<TValue>,
  ): Promise<FinishedStep<TValue>> {
    const left = this.#left;
    const step = await this.#take(name, (id) => (left ? left.record(() => work(id)) : work(id)));
    if (step.isReplay) await left?.recall(step.value);
    return step;
  }

  #take<TValue>(name: string, work: (id: string) => Promise<TValue>): Promise<FinishedStep<TValue>> {
    return this.#journal.run(name, async (id) => {
      this.#open++;
      try {
        return await work(id);
      } finally {
        this.#open--;
      }
    });
  }

  /** Some providers repeat ids in every response, so an id alone does not identify a call. */
  #keysOf(toolCall: AgentToolCall): { key: string; step: AgentToolStep } {
    const known = this.#keys.get(toolCall);
    if (known) return known;
    // A model chooses the id, and the key may become a header. The number in front of the id makes each key unique.
    const id = encodeURIComponent(toolCall.id.replace(LONE_SURROGATES, "_"));
    const key = `${this.#journal.count(id)}:${id}`;
    const scope = `${this.#journal.scope}${key}/`;
    const keys = { key, step: { idempotencyKey: `${this.#runId}:${this.#journal.scope}${key}`, scope } };
    this.#keys.set(toolCall, keys);
    return keys;
  }
}

function createUnknownOutcome(toolName: string): RememberedOutcome {
  return { result: { content: [{ type: "text", text: describeUnknownEffect(toolName) }], details: {} }, isError: true };
}
