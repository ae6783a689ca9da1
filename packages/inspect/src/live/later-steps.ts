/** A run that nothing shows yet: its steps are kept as they come, which is faster than to write its entries. */
import type { LaterRun } from "../record/run-store.js";
import type { Wire } from "../record/wire.js";
import type { AgentRecorder } from "./agent-recorder.js";
import type { RequestStep, Step } from "./steps.js";

/** The first part of a response. What it holds does not matter later. */
const FIRST_PART: Step = { type: "message_update" };

/** The steps of a run, until the run is shown or gives way to newer ones. */
export class LaterSteps implements LaterRun {
  readonly #recorder: AgentRecorder;
  readonly #now: () => number;
  readonly #steps: Step[] = [];
  readonly #times: number[] = [];
  /** The last part of a response that is under way. */
  #latest: Step | undefined;
  isRunning = true;
  /** Does not change after the end. */
  size = 0;
  /** Called when the steps are no longer needed: from then on, steps go to the recorder. */
  onDone: () => void = () => {};

  constructor(recorder: AgentRecorder, now: () => number) {
    this.#recorder = recorder;
    this.#now = now;
  }

  add(step: Step): void {
    this.#latest = undefined;
    if (this.isRunning) this.size++;
    this.#steps.push(step);
    this.#times.push(this.#now());
  }

  /** A part of the response has arrived. Of a response, the first part and the last are kept. */
  grow(step: Step): void {
    if (this.#latest === undefined) this.add(FIRST_PART);
    this.#latest = step;
  }

  show(): void {
    for (const [index, step] of this.#steps.entries()) {
      const time = this.#times[index] ?? 0;
      this.#recorder.see(step, () => time);
    }
    if (this.#latest) this.#recorder.see(this.#latest, this.#now);
    this.onDone();
  }

  get wires(): Wire[] {
    const wires: Wire[] = [];
    // No other step has this type.
    for (const step of this.#steps) if (step.type === "request_start") wires.push((step as RequestStep).wire);
    return wires;
  }

  drop(): void {
    this.#recorder.skip(this.#steps);
    this.onDone();
  }
}
