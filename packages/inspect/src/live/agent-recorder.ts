/** Writes the steps of an agent into runs. A step may be written when it happens, or later. */
import { copyScriptedTest } from "../read/copy-scripted-test.js";
import { Conversation } from "../record/conversation.js";
import type { Outcome } from "../record/entry.js";
import { type Fields, fieldsOf } from "../record/fields.js";
import { outcomeOf } from "../record/message-sections.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import type { Wire } from "../record/wire.js";
import { addRequest, RequestRow, WireRows } from "./request-row.js";
import type { BeginStep, RequestStep, Step, ToolEndStep, ToolStartStep } from "./steps.js";

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
        this.#end(outcomeOfRun(step.messages), now);
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
        this.#finishMessage(step.message, now);
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

  #finishMessage(message: Fields, now: () => number): void {
    if (message["role"] === "assistant") this.#conversation.endResponse(message, now(), true);
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

function outcomeOfRun(messages: readonly unknown[]): Outcome {
  const last = messages.map(fieldsOf).findLast(({ role }) => role === "assistant");
  return last ? outcomeOf(last) : "done";
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
        this.#add(step.message);
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

  #add(message: Fields): void {
    this.#conversation.append([message]);
    if (message["role"] === "assistant") this.#isOpen = false;
  }
}
