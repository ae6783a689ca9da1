/** Records runs as middleware of `pi-agent`, and their requests through channels. */

import { fieldsOf } from "../record/fields.js";
import type { Launcher } from "../record/launcher.js";
import { processState } from "../record/process-state.js";
import type { RunStore } from "../record/run-store.js";
import { Wire } from "../record/wire.js";
import { AgentRecorder, type BeginStep, LaterSteps, type Step } from "./agent-recorder.js";
import { type RequestEvent, readStep, watchRequests } from "./live-event.js";
import { instructionsOf, type RecordedRun } from "./run-launcher.js";

/** How runs are shown. */
export interface RecordOptions {
  /** Their name in the list of runs. Default: the beginning of the prompt. */
  name?: string | undefined;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: (() => number) | undefined;
}

/** {@link RecordOptions}, and the launchers that send the requests of forks. */
interface RecorderOptions extends RecordOptions {
  launch?: ((run: RecordedRun) => Launcher | undefined) | undefined;
}

/** A member of the `middleware` of an agent, or of the functions of the loop. */
export interface RunRecorder {
  readonly name: "inspect";
  /** Agents that tools run are recorded, too. */
  readonly inherit: true;
  /** Forks are not recorded as runs of the agent. */
  readonly inForks: false;
  /** Begins to record a run. */
  begin(run: RecordedRun): {
    /** Receives each event but deltas. */
    onEvent?(event: { readonly type: string }): void;
    /** The run has ended. */
    end?(): void;
  };
}

/** A run with more steps is written at once, so that the limits of the store apply to it. */
const MAX_STEPS = 2000;

/** Numbers the runs of this process. */
const runs = processState("agent runs", () => ({ count: 0 }));

/** The runs that a store shows. One that several recorders see is recorded by the first. */
const recorded = processState("recorded runs", () => new WeakMap<RunStore, WeakSet<object>>());

/** @returns a recorder, which records until `stop` is called */
export function recordRuns(store: RunStore, options: RecorderOptions = {}): RunRecorder & { stop(): void } {
  const known = recorded.get(store) ?? new WeakSet();
  recorded.set(store, known);
  const running = new Set<RunWatch>();
  /** Knows the conversation of the last run, with which the next one may go on. */
  let idle: RunWatch | undefined;
  let isStopped = false;
  const ends = [
    watchRequests((event) => {
      for (const watch of running) watch.seeRequest(event);
    }),
    store.shown.watch((signal) => [...running].some((watch) => watch.shows(signal))),
  ];
  return {
    name: "inspect",
    inherit: true,
    inForks: false,
    begin: (run) => {
      if (isStopped || known.has(run.root)) return {};
      known.add(run.root);
      const watch = idle ?? new RunWatch(store, options);
      idle = undefined;
      running.add(watch);
      watch.follow(run);
      return {
        onEvent: (event) => watch.see(event),
        end: () => {
          watch.stop();
          running.delete(watch);
          idle ??= watch;
        },
      };
    },
    stop: () => {
      isStopped = true;
      for (const end of ends.splice(0)) end();
      for (const watch of running) watch.stop();
      running.clear();
    },
  };
}

/** Decides which events and requests are steps of a run. The steps are kept until a page needs the run. */
class RunWatch {
  readonly #store: RunStore;
  readonly #name: string;
  readonly #now: () => number;
  readonly #recorder: AgentRecorder;
  readonly #launch: RecorderOptions["launch"];
  #run: RecordedRun | undefined;
  #isRunning = false;
  /** Keeps the steps of the run. Undefined if they go to the recorder at once. */
  #later: LaterSteps | undefined;
  /** The conversation so far: its length and its last message. */
  #length = 0;
  #last: unknown;
  /** The running requests of the run. */
  readonly #requests = new Map<object, Wire>();

  constructor(store: RunStore, { name = "", now = Date.now, launch }: RecorderOptions) {
    this.#store = store;
    this.#name = name;
    this.#now = now;
    this.#launch = launch;
    this.#recorder = new AgentRecorder(store);
  }

  /** The run begins with its first event. */
  follow(run: RecordedRun): void {
    this.#run = run;
    run.onDelta((event) => {
      if (this.#run === run && event.type === "message_update") this.see(event);
    });
  }

  see(event: { readonly type: string }): void {
    if (event.type === "agent_start") this.#begin();
    const step = this.#isRunning ? readStep(event) : undefined;
    if (!step) return;
    switch (step.type) {
      // First, because every delta comes here.
      case "message_update":
        if (this.#later) this.#later.grow(step);
        else this.#recorder.see(step, this.#now);
        break;
      case "message_start":
        if (step.isResponse) this.#pass(step);
        break;
      case "message_end":
        this.#length++;
        this.#last = step.message;
        this.#pass(step);
        break;
      case "agent_end":
        this.#end(step);
        break;
      default:
        this.#pass(step);
    }
  }

  /** Whether a signal is that of the run in progress, which may have begun without an event so far. */
  shows(signal: object): boolean {
    return signal === this.#run?.signal;
  }

  /** Called for all requests of the process. Those of this run carry its signal. */
  seeRequest(event: RequestEvent): void {
    const { type, key, signal } = event;
    if (type === "request_start") {
      if (!this.#isRunning || signal === undefined || signal !== this.#run?.signal) return;
      this.#store.shown.add(key);
      const wire = new Wire(event);
      this.#requests.set(key, wire);
      this.#pass(stepOf(event, wire));
      return;
    }
    // For kept steps, the end of a request is enough, unless it is retried: waits are rows, whose order must be kept.
    if (type === "request_update" && this.#later && !event.isRetried) return;
    const wire = this.#requests.get(key);
    if (!wire) return;
    if (type === "request_update") {
      if (this.#later) this.#store.showAll();
      this.#recorder.see(stepOf(event, wire), this.#now);
    } else {
      this.#requests.delete(key);
      this.#pass(stepOf(event, wire));
      if (this.#later) this.#store.bodies.keep(wire);
    }
  }

  /** Ends the record of a run that ended without an event, or whose recording has stopped. */
  stop(): void {
    if (this.#isRunning) this.#end({ type: "stop" });
    this.#run = undefined;
  }

  #pass(step: Step): void {
    const later = this.#later;
    if (!later) {
      this.#recorder.see(step, this.#now);
      return;
    }
    later.add(step);
    if (later.size > MAX_STEPS) this.#store.showAll();
  }

  #begin(): void {
    const run = this.#run;
    if (!run) return;
    const { messages } = run.context;
    // The application may have changed the conversation since the last run, or have answered a call within it.
    const hasWaited = messages.some((message) => "pause" in fieldsOf(message));
    const isReplaced = hasWaited || this.#length !== messages.length || this.#last !== messages.at(-1);
    const begin: BeginStep = {
      type: "run_begin",
      id: `${++runs.count}`,
      name: run.parentCall?.name ?? this.#name,
      model: run.model.id,
      instructions: instructionsOf(run),
      replaced: isReplaced ? [...messages] : undefined,
      launcher: this.#launch?.(run),
    };
    if (isReplaced) {
      this.#length = messages.length;
      this.#last = messages.at(-1);
    }
    this.#isRunning = true;
    this.#endLater(this.#later);
    const later = new LaterSteps(this.#recorder, this.#now);
    later.onDone = () => {
      if (this.#later === later) this.#later = undefined;
    };
    this.#later = later;
    later.add(begin);
    this.#store.addLater(later);
  }

  #end(step: Step): void {
    this.#isRunning = false;
    this.#requests.clear();
    const later = this.#later;
    this.#pass(step);
    if (later === this.#later) this.#endLater(later);
  }

  #endLater(later: LaterSteps | undefined): void {
    if (!later?.isRunning) return;
    later.isRunning = false;
    this.#store.endLater(later);
  }
}

/** Keeps of a request only what its rows show: the rest of it may be large. */
function stepOf({ type, model, startedAt, endedAt, message }: RequestEvent, wire: Wire): Step {
  return { type, model, startedAt, endedAt, message, wire };
}
