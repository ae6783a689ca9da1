/** An engine in memory that identifies steps by position and name, like DBOS. Tests choose where its processes die. */
import type { DurableSteps } from "pi-agent/durable";

/** When a process dies at a step: before its work, when its work is done, or when its value is remembered. */
export const MOMENTS = ["before", "inside", "after"] as const;

export interface Death {
  /** The number of the step in its process, from 0. */
  step: number;
  moment: (typeof MOMENTS)[number];
}

/** The data that outlives every process. */
export class MemoryEngine {
  readonly remembered: { name: string; json: string | undefined }[] = [];
  readonly signals: Map<string, unknown> = new Map();

  /** A process that works on the run. A later one continues from its stored steps. */
  start(death?: Death): MemoryProcess {
    return new MemoryProcess(this, death);
  }
}

export class MemoryProcess implements DurableSteps {
  readonly runId = "run 1";
  /** Resolves when the process dies. */
  readonly died: Promise<"died">;
  isAlive: boolean = true;
  /** How many steps it has begun. */
  count: number = 0;
  /** The names of signals that it waits for. */
  readonly waits: string[] = [];
  readonly #engine: MemoryEngine;
  readonly #death: Death | undefined;
  readonly #die: (value: "died") => void;

  constructor(engine: MemoryEngine, death: Death | undefined) {
    this.#engine = engine;
    this.#death = death;
    const { promise, resolve } = Promise.withResolvers<"died">();
    this.died = promise;
    this.#die = resolve;
  }

  async run<TValue>(name: string, work: () => Promise<TValue>): Promise<TValue> {
    const position = this.count++;
    const { remembered } = this.#engine;
    await this.#pass(position, "before");
    const known = remembered[position];
    if (known && known.name !== name) throw new Error(`${known.name} was recorded where ${name} was expected`);
    if (!known) {
      const json = JSON.stringify(await work());
      await this.#pass(position, "inside");
      remembered[position] = { name, json };
    }
    await this.#pass(position, "after");
    const { json } = remembered[position] ?? {};
    // The engine stores the result of the step.
    return (json === undefined ? undefined : JSON.parse(json)) as TValue;
  }

  async waitFor<TValue>(name: string): Promise<TValue> {
    this.waits.push(name);
    await this.pause();
    // The test has put it there.
    return this.#engine.signals.get(name) as TValue;
  }

  /** A wait during which a process may die: nothing after it happens in a dead one. */
  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.isAlive) await new Promise(() => {});
  }

  async #pass(position: number, moment: Death["moment"]): Promise<void> {
    if (this.#death?.step === position && this.#death.moment === moment) {
      this.isAlive = false;
      this.#die("died");
    }
    if (!this.isAlive) await new Promise(() => {});
  }
}
