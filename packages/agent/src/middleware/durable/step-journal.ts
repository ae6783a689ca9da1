/** Numbers the steps of a run, and compares each with the step stored at its position. */
import { processState } from "pi-ai/call";
import { toPlainValue } from "../../plain-value.js";
import type { AgentMessage } from "../../types/message.js";
import { type DurableSteps, StepMismatchError } from "./durable-steps.js";

/** The record of a step that an engine stores. */
interface StepRecord<TValue> {
  /** The name of the step. Compared here, because engines compare positions or names, but not both. */
  step: string;
  /** The attempt that did it. */
  by: string;
  /** When it was done, Unix time in milliseconds. */
  at: number;
  value: TValue;
}

/** A step that is done. */
export interface FinishedStep<TValue> {
  value: TValue;
  /** From 1. */
  position: number;
  /** The attempt that did it. */
  by: string;
  /** Whether another process, or an earlier attempt, did it. */
  isReplay: boolean;
}

/** The journals of an engine. If it fails for one, each run on it stops: no step may store what followed from the failure. */
interface EngineJournals {
  readonly scopes: Map<string, StepJournal>;
  /** The first error of the engine. */
  failure: { readonly error: unknown } | undefined;
}

/** A journal belongs to the engine's run, not to an agent: two agents of one run must not take the same positions. */
const journals = /* @__PURE__ */ processState("journals", () => new WeakMap<DurableSteps, EngineJournals>());

/** The journal of a run, or of a run that a tool call began: `scope` is empty or precedes the names of its steps. */
export function journalOf(engine: DurableSteps, scope: string, clock: () => number): StepJournal {
  const all = journals.get(engine) ?? { scopes: new Map<string, StepJournal>(), failure: undefined };
  journals.set(engine, all);
  const journal = all.scopes.get(scope) ?? new StepJournal(engine, scope, { clock, engineState: all });
  all.scopes.set(scope, journal);
  return journal;
}

/** The steps of one scope of an engine. Agents of the same run share it, so that no two steps have one position. */
export class StepJournal {
  /** Identifies this attempt: an engine may start a second one in the same process while the first is still at work. */
  readonly attempt: string = crypto.randomUUID();
  /** The attempt that did the latest step. */
  latestBy: string = this.attempt;
  readonly scope: string;
  readonly #steps: DurableSteps;
  readonly #clock: () => number;
  readonly #engineState: Pick<EngineJournals, "failure">;
  readonly #occurrences = new Map<string, number>();
  #transcript: () => readonly AgentMessage[] = () => [];
  #position = 0;
  #now = 0;
  #hasWorked = false;
  #hasWaited = false;
  /** How far the clocks of earlier processes were ahead of this one's. */
  #ahead = 0;

  constructor(
    steps: DurableSteps,
    scope: string,
    { clock, engineState }: { clock: () => number; engineState: Pick<EngineJournals, "failure"> },
  ) {
    this.#steps = steps;
    this.scope = scope;
    this.#clock = clock;
    this.#engineState = engineState;
  }

  /** The first error of the engine. */
  get failure(): EngineJournals["failure"] {
    return this.#engineState.failure;
  }

  /** The time of the latest step. */
  get now(): number {
    return this.#now || this.#clock();
  }

  /** The time of a new step. It goes on from the latest one, even if the clock of this process is behind it. */
  #time(): number {
    const time = this.#clock() + this.#ahead;
    const behind = Math.max(0, this.#now - time);
    this.#ahead += behind;
    return time + behind;
  }

  /** Whether all steps so far were remembered. False after a wait: its value may be new. */
  get isReplaying(): boolean {
    return this.#position > 0 && !this.#hasWorked && !this.#hasWaited;
  }

  set transcript(read: () => readonly AgentMessage[]) {
    this.#transcript = read;
  }

  /** How often the id has occurred, this time included. */
  count(id: string): number {
    const count = (this.#occurrences.get(id) ?? 0) + 1;
    this.#occurrences.set(id, count);
    return count;
  }

  /** Calls `work`, which must not reject, unless its value is remembered. */
  async run<TValue>(step: string, work: (id: string) => Promise<TValue>): Promise<FinishedStep<TValue>> {
    this.#assertSound();
    const position = ++this.#position;
    this.#hasWaited = false;
    let isReplay = true;
    const record = await this.#guard(() =>
      this.#steps.run(`${this.scope}step ${position}`, async (): Promise<StepRecord<TValue>> => {
        isReplay = false;
        this.#hasWorked = true;
        const value = toPlainJson(await work(`${this.scope}${position}`));
        // A step inside of this one may have failed.
        this.#assertSound();
        return { step, by: this.attempt, at: this.#time(), value };
      }),
    );
    this.#compare(position, step, record);
    this.#now = Math.max(this.#now, record.at);
    this.latestBy = record.by;
    return { value: record.value, position, by: record.by, isReplay };
  }

  /** Waits for a value from another process. */
  async wait(name: string, signal: AbortSignal | undefined): Promise<unknown> {
    this.#assertSound();
    const value = await this.#guard(async () => this.#steps.waitFor?.(name, signal), signal);
    this.#hasWaited = true;
    return value;
  }

  /** Ends the run: other code began it. */
  refuse(error: StepMismatchError): never {
    this.#engineState.failure ??= { error };
    throw error;
  }

  /** After a failure of the engine the run may belong to another process. */
  #assertSound(): void {
    if (this.failure) throw this.failure.error;
  }

  async #guard<TValue>(call: () => Promise<TValue>, signal?: AbortSignal): Promise<TValue> {
    let value: TValue;
    try {
      value = await call();
    } catch (error) {
      // An aborted wait is not a failure of the engine.
      if (signal?.aborted) throw error;
      this.#engineState.failure ??= { error };
      throw this.#engineState.failure.error;
    }
    // Another step may have failed meanwhile.
    this.#assertSound();
    return value;
  }

  #compare(position: number, expected: string, record: unknown): void {
    const remembered = readStep(record);
    if (remembered === expected) return;
    this.refuse(new StepMismatchError({ position, expected, remembered }, this.#transcript().slice()));
  }
}

function readStep(record: unknown): string | undefined {
  if (typeof record !== "object" || record === null) return undefined;
  const { step, by, at }: { step?: unknown; by?: unknown; at?: unknown } = record;
  return typeof step === "string" && typeof by === "string" && typeof at === "number" ? step : undefined;
}

/**
 * Returns the value after a round trip through JSON, so that the process that ran a step and one that repeats it see the
 * same value. Replaces values that JSON cannot represent with a text.
 */
function toPlainJson<TValue>(value: TValue): TValue {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    json = JSON.stringify(toPlainValue(value));
  }
  // The steps of a run are plain data. The documentation says that anything else is lost.
  return json === undefined ? (undefined as TValue) : JSON.parse(json);
}
