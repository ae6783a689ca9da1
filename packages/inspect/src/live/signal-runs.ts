/** Runs of requests that share a signal, as those of an agent's run and of an application's loop do. */

import type { Outcome } from "../record/entry.js";
import { type Fields, numberOf } from "../record/fields.js";
import { processState } from "../record/process-state.js";
import type { Prompt } from "../record/prompt.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { signalOf } from "../record/shown.js";

export interface SignalRun {
  readonly run: Run;
  /** The prompt of its last request. */
  previous: Prompt | undefined;
  /** How many requests and spans of it are under way. */
  open: number;
}

/** Numbers the runs. */
const runs = processState("request runs", () => ({ count: 0 }));

export class SignalRuns {
  readonly #store: RunStore;
  readonly #bySignal = new WeakMap<object, SignalRun>();

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** A request begins, in the run with its signal or in a new one. {@link end} follows. */
  begin(request: Fields, model: string): SignalRun {
    const key = signalOf(request) ?? request;
    const known = this.#bySignal.get(key);
    if (known && this.#store.get(known.run.summary.id) === known.run) {
      if (known.open++ === 0) known.run.resume();
      return known;
    }
    const run = new Run({
      id: `request-${++runs.count}`,
      title: "",
      source: "live",
      model,
      startedAt: numberOf(request["startTime"]),
    });
    this.#store.add(run);
    return this.adopt(key, run);
  }

  /** Requests with the signal go to a run that began otherwise. {@link end} follows. */
  adopt(signal: object, run: Run): SignalRun {
    const own = { run, previous: undefined, open: 1 };
    this.#bySignal.set(signal, own);
    return own;
  }

  /** A request has ended, or the span of a run. The run has, too, when nothing else of it is under way. */
  end(own: SignalRun, outcome: Outcome, endedAt: number | undefined): void {
    if (--own.open === 0) own.run.finish(outcome, endedAt);
  }
}
