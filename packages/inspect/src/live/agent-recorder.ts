/** Writes the steps of an agent into runs. Steps of a run that no page shows yet are kept, because that is faster. */
import { copyScriptedTest } from "../read/copy-scripted-test.js";
import { Conversation, type Instructions } from "../record/conversation.js";
import type { Outcome } from "../record/entry.js";
import type { Launcher } from "../record/launcher.js";
import { Run } from "../record/run.js";
import type { LaterRun, RunStore } from "../record/run-store.js";
import type { Wire } from "../record/wire.js";
import type { AgentStep, MessageStep, RequestEvent, ToolEndStep, ToolStartStep } from "./live-event.js";
import { addRequest, RequestRow, WireRows } from "./request-row.js";

/** A run begins. */
export interface BeginStep {
  readonly type: "run_begin";
  readonly id: string;
  /** The title of the run. Empty: the beginning of the prompt. */
  readonly name: string;
  readonly model: string;
  readonly instructions: Instructions;
  /** The whole conversation, if the application has changed it since the last run. */
  readonly replaced: readonly unknown[] | undefined;
  /** Sends the requests of forks. */
  readonly launcher: Launcher | undefined;
}

/** A request of the run begins, changes or ends. */
export interface RequestStep extends Pick<RequestEvent, "type" | "model" | "startedAt" | "endedAt" | "message"> {
  readonly wire: Wire;
}

/** A step of a live run, from which its entries are written. */
export type Step = BeginStep | RequestStep | AgentStep | { readonly type: "stop" };

export class AgentRecorder {
  readonly #store: RunStore;
  readonly #conversation = new Conversation();
  #run: Run | undefined;
  readonly #tools = new Map<string, { args: unknown; startedAt: number }>();
  /** The rows of the requests that are running. */
  readonly #requests = new Map<Wire, WireRows>();

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Continues the conversation with the steps of a run that is dropped without being written. */
  skip(steps: readonly Step[]): void {
    skipRun(this.#conversation, steps);
  }

  /** @param now when the step happened */
  see(step: Step, now: () => number): void {
    switch (step.type) {
      // First, because every delta comes here.
      case "message_update":
        this.#conversation.growResponse(step.message, now);
        break;
      case "run_begin":
        this.#begin(step, now);
        break;
      case "agent_end":
        this.#end(step.outcome, now);
        break;
      case "stop":
        this.#end("aborted", now);
        break;
      case "request_start":
      case "request_update":
      case "request_end":
        this.#seeRequest(step);
        break;
      case "message_start":
        this.#conversation.startResponse(step.message);
        break;
      case "message_end":
        this.#finishMessage(step, now);
        break;
      case "tool_execution_start":
        this.#startTool(step, now);
        break;
      case "tool_execution_end":
        this.#endTool(step);
        break;
    }
  }

  #begin({ id, name, model, instructions, replaced, launcher }: BeginStep, now: () => number): void {
    const conversation = this.#conversation;
    if (replaced) conversation.replace(replaced);
    const run = new Run({ id, title: name, source: "live", model, startedAt: now() });
    this.#run = run;
    conversation.beginRun(run);
    conversation.instruct(instructions);
    run.launcher = launcher;
    this.#store.add(run);
  }

  #end(outcome: Outcome, now: () => number): void {
    const run = this.#run;
    this.#run = undefined;
    this.#tools.clear();
    this.#requests.clear();
    if (!run) return;
    const { ownMessages } = this.#conversation;
    run.copyTest = () => copyScriptedTest(ownMessages());
    run.finish(outcome, now());
  }

  #seeRequest(step: RequestStep): void {
    const { type, wire, endedAt, message } = step;
    if (type === "request_start") {
      this.#showRequest(step);
      return;
    }
    const rows = this.#requests.get(wire);
    if (type === "request_update") rows?.update();
    else if (rows) {
      this.#requests.delete(wire);
      rows.end(endedAt, message);
    }
  }

  /** Adds the row of a request. A request that a tool sends becomes a row of the turn in which the tool runs. */
  #showRequest({ wire, startedAt, model }: RequestStep): void {
    const [run, conversation] = [this.#run, this.#conversation];
    if (conversation.runsTools) {
      if (!run) return;
      const place = addRequest(run, { startedAt, model }, conversation.turn);
      this.#requests.set(wire, new RequestRow(this.#store, place, wire));
      return;
    }
    const index = conversation.beginRequest(startedAt, model);
    conversation.attachWire(wire);
    if (run && index !== undefined) this.#requests.set(wire, new WireRows(this.#store, { run, index }, wire));
  }

  #finishMessage({ isResponse, message }: MessageStep, now: () => number): void {
    if (isResponse) this.#conversation.endResponse(message, now(), true);
    else this.#conversation.add(message);
  }

  #startTool({ id, tool, args }: ToolStartStep, now: () => number): void {
    const startedAt = now();
    this.#tools.set(id, { args, startedAt });
    this.#conversation.startTool(id, tool, args, startedAt);
  }

  #endTool({ id, result, isError, durationMs }: ToolEndStep): void {
    const args = this.#tools.get(id)?.args;
    this.#tools.delete(id);
    this.#conversation.endTool(id, { args, result, isError, durationMs });
  }
}

// Keeps from a dropped run what the next run of the agent needs: its messages, and the prompt of its last request.

/** Faster than writing the run. In a busy program, newer runs displace many runs before a page shows them. */
function skipRun(conversation: Conversation, steps: readonly Step[]): void {
  const skipped = new SkippedRun(conversation);
  for (const step of steps) skipped.see(step);
  skipped.end();
}

class SkippedRun {
  readonly #conversation: Conversation;
  #tools = 0;
  /** Whether the last request has no complete response yet. */
  #isOpen = false;
  #request: { length: number; wire: Wire | undefined } | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  see(step: Step): void {
    switch (step.type) {
      case "run_begin":
        this.#begin(step);
        break;
      case "request_start":
        // A request that a tool sends is not part of the conversation.
        if (this.#tools === 0) this.#send(step.wire);
        break;
      case "message_start":
        // A stream function that does not use `pi-ai` publishes no request.
        if (!this.#isOpen) this.#send(undefined);
        break;
      case "message_end":
        this.#add(step);
        break;
      case "tool_execution_start":
        this.#tools++;
        break;
      case "tool_execution_end":
        this.#tools--;
        break;
    }
  }

  end(): void {
    if (!this.#request) return;
    const { length, wire } = this.#request;
    this.#conversation.skip(this.#conversation.messages.length, length);
    if (wire) this.#conversation.attachWire(wire);
  }

  #begin({ replaced, instructions }: BeginStep): void {
    if (replaced) this.#conversation.replace(replaced);
    this.#conversation.instruct(instructions);
  }

  #send(wire: Wire | undefined): void {
    this.#isOpen = true;
    this.#request = { length: this.#conversation.messages.length, wire };
  }

  #add({ isResponse, message }: MessageStep): void {
    this.#conversation.append([message]);
    if (isResponse) this.#isOpen = false;
  }
}

/** Stands for the first part of a response, of which only the time is needed later. */
const FIRST_PART: Step = { type: "message_update", isResponse: true, message: {} };

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
