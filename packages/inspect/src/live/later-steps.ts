/** A run that no page shows yet: its steps are kept, because that is faster than writing its entries. */
import type { LaterRun } from "../record/run-store.js";
import type { Wire } from "../record/wire.js";
import type { AgentRecorder } from "./agent-recorder.js";
import type { Step } from "./steps.js";

/** Stands for the first part of a response, of which only the time is needed later. */
const FIRST_PART: Step = { type: "message_update", message: {} };

/** Keeps the steps of a run until the run is written, or displaced by newer ones. */
export class LaterSteps implements LaterRun {
  readonly #recorder: AgentRecorder;
  readonly #now: () => number;
  readonly #steps: Step[] = [];
  readonly #times: number[] = [];
  /** The last part so far of a response that is being received. */
  #latest: Step | undefined;
  isRunning = true;
  /** The number of steps. It does not change after the end of the run, so that the store can subtract it again. */
  size = 0;
  /** Called when the run was written or dropped. From then on, its steps must go to the recorder. */
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

  /** Adds a part of a response. Only the first and the last part of a response are kept. */
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
    for (const step of this.#steps) if (step.type === "request_start") wires.push(step.wire);
    return wires;
  }

  drop(): void {
    this.#recorder.skip(this.#steps);
    this.onDone();
  }
}
