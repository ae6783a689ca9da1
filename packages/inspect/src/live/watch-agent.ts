/** Writes the runs of an agent into a store as they happen, through the agent's public events. */

import { copyScriptedTest } from "../read/copy-scripted-test.js";
import { Conversation } from "../record/conversation.js";
import type { Outcome } from "../record/entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../record/fields.js";
import type { Launcher } from "../record/launcher.js";
import { outcomeOf } from "../record/message-sections.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { instructionsOf } from "./agent-launcher.js";
import type { InspectableAgent } from "./inspectable-agent.js";
import { addRequest, RequestRow } from "./request-row.js";
import { type RequestStage, watchRequests } from "./watch-requests.js";
import { WireRows } from "./wire-rows.js";

/** How an agent is shown. */
export interface WatchOptions {
  /** Its name in the list of runs. Default: the beginning of the prompt. */
  name?: string;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: () => number;
}

/** {@link WatchOptions}, and who sends the requests of forks. */
export interface AgentWatchOptions extends WatchOptions {
  launcher?: Launcher | undefined;
}

/** Numbers the runs of this process. */
let runs = 0;

/** @returns a function that stops watching */
export function watchAgent(agent: InspectableAgent, store: RunStore, options: AgentWatchOptions = {}): () => void {
  const watch = new AgentWatch(agent, store, options);
  const unsubscribe = agent.subscribe((event) => watch.see(event));
  const unwatch = watchRequests((request, stage) => watch.seeRequest(request, stage));
  return () => {
    unsubscribe();
    unwatch();
    watch.end("aborted");
  };
}

class AgentWatch {
  readonly #agent: InspectableAgent;
  readonly #store: RunStore;
  readonly #name: string;
  readonly #now: () => number;
  readonly #launcher: Launcher | undefined;
  readonly #conversation = new Conversation();
  #run: Run | undefined;
  #from = 0;
  readonly #tools = new Map<string, { args: unknown; startedAt: number }>();
  /** The requests of this agent that are under way. */
  readonly #requests = new Map<Fields, WireRows>();

  constructor(agent: InspectableAgent, store: RunStore, { name = "", now = Date.now, launcher }: AgentWatchOptions) {
    this.#launcher = launcher;
    this.#agent = agent;
    this.#store = store;
    this.#name = name;
    this.#now = now;
  }

  see(event: { readonly type: string }): void {
    const fields = fieldsOf(event);
    // First, because every delta comes here.
    if (event.type === "message_update") {
      this.#conversation.growResponse(fieldsOf(fields["message"]), this.#now);
      return;
    }
    const message = fieldsOf(fields["message"]);
    const isResponse = message["role"] === "assistant";
    if (event.type === "agent_start") this.#begin();
    else if (event.type === "agent_end") this.end(this.#outcome(listOf(fields["messages"])));
    else if (event.type === "message_start" && isResponse) this.#conversation.startResponse(message);
    else if (event.type === "message_end") this.#finishMessage(message, isResponse);
    else if (event.type.startsWith("tool_execution_")) this.#seeTool(event.type, fields);
  }

  /** The requests of all agents of the process come here; those of a run carry its signal. */
  seeRequest(request: Fields, stage: RequestStage): void {
    if (stage === "start") {
      const { signal } = request;
      if (!this.#run || signal === undefined || signal !== this.#agent.signal) return;
      this.#store.shown.add(request);
      this.#showRequest(this.#run, request);
      return;
    }
    const rows = this.#requests.get(request);
    if (stage === "update") rows?.update();
    else if (rows) {
      this.#requests.delete(request);
      rows.end(numberOf(request["endTime"]));
    }
  }

  end(outcome: Outcome): void {
    const run = this.#run;
    if (!run) return;
    const { messages } = this.#conversation;
    const [from, to] = [this.#from, messages.length];
    run.copyTest = () => copyScriptedTest(messages.slice(from, to));
    run.finish(outcome, this.#now());
    this.#run = undefined;
    this.#tools.clear();
    this.#requests.clear();
  }

  #begin(): void {
    const { model, messages } = this.#agent.state;
    const known = this.#conversation.messages;
    // The application may have changed the conversation since the last run.
    if (known.length !== messages.length || known.at(-1) !== messages.at(-1)) this.#conversation.replace(messages);
    const id = `${++runs}`;
    const run = new Run({ id, title: this.#name, source: "live", model: model.id, startedAt: this.#now() });
    this.#run = run;
    this.#from = this.#conversation.messages.length;
    this.#conversation.beginRun(run);
    this.#conversation.instruct(instructionsOf(this.#agent));
    run.launcher = this.#launcher;
    this.#store.add(run);
  }

  /** A tool may send requests of its own. They are rows of the turn in which the tool runs. */
  #showRequest(run: Run, request: Fields): void {
    const [startedAt, model] = [numberOf(request["startTime"]), textOf(request["model"])];
    const conversation = this.#conversation;
    if (conversation.runsTools) {
      const place = addRequest(run, request, conversation.turn);
      this.#requests.set(request, new RequestRow(this.#store, place, request));
      return;
    }
    const index = conversation.beginRequest(startedAt, model);
    if (index === undefined) return;
    const rows = new WireRows(this.#store, { run, index }, request);
    conversation.attachWire(rows.wire);
    this.#requests.set(request, rows);
  }

  #finishMessage(message: Fields, isResponse: boolean): void {
    if (isResponse) this.#conversation.endResponse(message, this.#now(), true);
    else this.#conversation.add(message);
  }

  #seeTool(type: string, fields: Fields): void {
    const id = textOf(fields["toolCallId"]);
    if (type === "tool_execution_start") {
      const startedAt = this.#now();
      const { args } = fields;
      this.#tools.set(id, { args, startedAt });
      this.#conversation.startTool(id, textOf(fields["toolName"]), args, startedAt);
    } else if (type === "tool_execution_end") {
      const args = this.#tools.get(id)?.args;
      this.#tools.delete(id);
      const result = fieldsOf(fields["result"]);
      const durationMs = numberOf(fields["durationMs"]);
      this.#conversation.endTool(id, { args, result, isError: fields["isError"] === true, durationMs });
    }
  }

  #outcome(messages: readonly unknown[]): Outcome {
    const last = messages.map(fieldsOf).findLast(({ role }) => role === "assistant");
    return last ? outcomeOf(last) : "done";
  }
}
