/** Watches an agent through its public events, and its requests through channels. */

import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../record/fields.js";
import type { Launcher } from "../record/launcher.js";
import { processState } from "../record/process-state.js";
import type { RunStore } from "../record/run-store.js";
import { Wire } from "../record/wire.js";
import { type InspectableAgent, instructionsOf } from "./agent-launcher.js";
import { AgentRecorder } from "./agent-recorder.js";
import { LaterSteps } from "./later-steps.js";
import type { BeginStep, RequestStep, Step } from "./steps.js";
import { type RequestStage, watchRequests } from "./watch-requests.js";

/** How the runs of an agent are shown. */
export interface WatchOptions {
  /** Its name in the list of runs. Default: the beginning of the prompt. */
  name?: string;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: () => number;
}

/** {@link WatchOptions}, and the launcher that sends the requests of forks. */
export interface AgentWatchOptions extends WatchOptions {
  launcher?: Launcher | undefined;
}

/** A run with more steps is written at once, so that the limits of the store apply to it. */
const MAX_STEPS = 2000;

/** Numbers the runs of this process. */
const runs = processState("agent runs", () => ({ count: 0 }));

/** The agents that a store shows, each with the number of its users. */
const watched = processState(
  "watched agents",
  () => new WeakMap<RunStore, Map<InspectableAgent, { users: number; stop: () => void }>>(),
);

/**
 * An agent that is watched already is not watched again: the options are those of the first time.
 *
 * @returns a function that stops watching, once all users have called theirs
 */
export function watchAgent(agent: InspectableAgent, store: RunStore, options: AgentWatchOptions = {}): () => void {
  const agents = watched.get(store) ?? new Map();
  watched.set(store, agents);
  const own = agents.get(agent) ?? { users: 0, stop: beginWatch(agent, store, options) };
  agents.set(agent, own);
  own.users++;
  let isStopped = false;
  return () => {
    if (isStopped) return;
    isStopped = true;
    if (--own.users > 0) return;
    agents.delete(agent);
    own.stop();
  };
}

function beginWatch(agent: InspectableAgent, store: RunStore, options: AgentWatchOptions): () => void {
  const watch = new AgentWatch(agent, store, options);
  const ends = [
    agent.subscribe((event) => watch.see(event)),
    watchRequests((request, stage) => watch.seeRequest(request, stage)),
    store.shown.watch((signal) => watch.shows(signal)),
  ];
  return () => {
    for (const end of ends) end();
    watch.stop();
  };
}

/** Decides which events and requests are steps of a run. The steps are kept until a page needs the run. */
class AgentWatch {
  readonly #agent: InspectableAgent;
  readonly #store: RunStore;
  readonly #now: () => number;
  readonly #recorder: AgentRecorder;
  /** The signal of a run that was under way before, which is not shown. */
  readonly #unseen: AbortSignal | undefined;
  #isRunning = false;
  /** Keeps the steps of the run. Undefined if they go to the recorder at once. */
  #later: LaterSteps | undefined;
  /** The conversation so far: its length and its last message. */
  #length = 0;
  #last: unknown;
  /** The running requests of this agent. */
  readonly #requests = new Map<Fields, Wire>();

  constructor(agent: InspectableAgent, store: RunStore, { name = "", now = Date.now, launcher }: AgentWatchOptions) {
    this.#agent = agent;
    this.#store = store;
    this.#now = now;
    this.#unseen = agent.signal;
    this.#recorder = new AgentRecorder(store, name, launcher);
  }

  see(event: { readonly type: string }): void {
    switch (event.type) {
      // First, because every delta comes here.
      case "message_update":
        if (this.#later) this.#later.grow(event);
        else this.#recorder.see(event, this.#now);
        break;
      case "agent_start":
        this.#begin();
        break;
      case "message_start":
        if (fieldsOf(fieldsOf(event)["message"])["role"] === "assistant") this.#pass(event);
        break;
      case "message_end":
        this.#length++;
        this.#last = fieldsOf(event)["message"];
        this.#pass(event);
        break;
      case "tool_execution_start":
      case "tool_execution_end":
        this.#pass(event);
        break;
      case "agent_end":
        this.#end(event);
        break;
    }
  }

  /** Whether a signal is that of the run in progress, which may have begun without an event so far. */
  shows(signal: object): boolean {
    return signal === this.#agent.signal && signal !== this.#unseen;
  }

  /** Called for the requests of all agents of the process. Those of this agent's run carry its signal. */
  seeRequest(request: Fields, stage: RequestStage): void {
    if (stage === "start") {
      const { signal } = request;
      if (!this.#isRunning || signal === undefined || signal !== this.#agent.signal) return;
      this.#store.shown.add(request);
      const wire = new Wire(request);
      this.#requests.set(request, wire);
      this.#pass(stepOf("request_start", request, wire));
      return;
    }
    // For kept steps, the end of a request is enough, unless it is retried: waits are rows, whose order must be kept.
    if (stage === "update" && this.#later && !isRetried(request)) return;
    const wire = this.#requests.get(request);
    if (!wire) return;
    if (stage === "update") {
      if (this.#later) this.#store.showAll();
      this.#recorder.see(stepOf("request_update", request, wire), this.#now);
    } else {
      this.#requests.delete(request);
      this.#pass(stepOf("request_end", request, wire));
      if (this.#later) this.#store.bodies.keep(wire);
    }
  }

  stop(): void {
    if (this.#isRunning) this.#end({ type: "stop" });
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
    const { model, messages } = this.#agent.state;
    // The application may have changed the conversation since the last run.
    const isReplaced = this.#length !== messages.length || this.#last !== messages.at(-1);
    const begin: BeginStep = {
      type: "run_begin",
      id: `${++runs.count}`,
      model: model.id,
      instructions: instructionsOf(this.#agent),
      replaced: isReplaced ? [...messages] : undefined,
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

/** Whether a request was sent more than once, or waits to be. */
function isRetried({ attempts }: Fields): boolean {
  const [first, second] = listOf(attempts);
  return second !== undefined || fieldsOf(first)["wait"] !== undefined;
}

function stepOf(type: RequestStep["type"], request: Fields, wire: Wire): RequestStep {
  return {
    type,
    wire,
    model: textOf(request["model"]),
    startedAt: numberOf(request["startTime"]),
    endedAt: numberOf(request["endTime"]),
    message: fieldsOf(request["message"]),
  };
}
