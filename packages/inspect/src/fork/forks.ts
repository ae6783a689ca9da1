/** Starts the forks of a page, runs them turn by turn, and passes the user's decisions to them. */
import { copyScriptedTest } from "../read/copy-scripted-test.js";
import { Conversation } from "../record/conversation.js";
import { redactCredentials } from "../record/credentials.js";
import type { Outcome } from "../record/entry.js";
import { describeThrown, type Fields, fieldsOf, listOf, textOf, titleOf } from "../record/fields.js";
import type { Launcher } from "../record/launcher.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { blocksOf, outcomeOf } from "../record/sections.js";
import {
  applyInputs,
  callsWithoutResult,
  draftFork,
  type ForkChanges,
  findForkPoint,
  InvalidCommand,
  readChanges,
  restore,
  textOfMessage,
} from "./fork-draft.js";

/** The most forks at the same time. Each costs money, and no user needs more. */
const MAX_RUNNING = 20;

export class Forks {
  readonly #store: RunStore;
  readonly #now: () => number;
  readonly #running = new Map<string, Rerun>();
  #count = 0;

  constructor(store: RunStore, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Starts a fork of a run at an entry.
   *
   * @param body the draft with the user's changes, as the page sent it
   * @throws InvalidCommand if the run cannot be forked at the entry, the changes are not valid, or too many forks run
   */
  start(parent: Run, entry: number, body: unknown): Run {
    if (this.#running.size >= MAX_RUNNING)
      throw new InvalidCommand(`At most ${MAX_RUNNING} forks can run at the same time`);
    const draft = draftFork(parent, entry);
    const point = findForkPoint(parent, entry);
    const { origin, launcher } = parent;
    if (!draft || !point || !origin || !launcher) throw new InvalidCommand("The run cannot be forked here");
    const changes = readChanges(body, draft);
    const messages = applyInputs(origin.messages.slice(0, point.length), changes);
    const { run, conversation } = this.#begin(parent, entry, point.inputs);
    const { system, tools, model, thinking } = changes;
    const isSame = draft.model.id === model.id && draft.model.provider === model.provider;
    const { model: originalModel } = origin;
    conversation.instruct({ system, tools, thinking, model: isSame ? (originalModel ?? model) : model });
    run.launcher = launcher;
    run.copyTest = () => copyScriptedTest(conversation.messages.slice(run.positionOf(0)));
    for (const message of messages.slice(point.inputs)) conversation.add(message);
    const recorded = new RecordedResults(origin.messages.slice(point.inputs));
    const rerun = new Rerun({ run, conversation, launcher, originalModel, changes, recorded, now: this.#now });
    this.#store.shown.add(rerun.signal);
    this.#running.set(run.summary.id, rerun);
    void rerun.start().finally(() => this.#running.delete(run.summary.id));
    return run;
  }

  /** @throws InvalidCommand if the fork is not running, or the call does not wait */
  resolve(id: string, call: string, resolution: Resolution): void {
    this.#find(id).resolve(call, resolution);
  }

  /** @throws InvalidCommand if the fork is not running */
  abort(id: string): void {
    this.#find(id).abort();
  }

  /** Stops all forks. */
  close(): void {
    for (const rerun of this.#running.values()) rerun.abort();
  }

  #find(id: string): Rerun {
    const rerun = this.#running.get(id);
    if (!rerun) throw new InvalidCommand("This run is not a running fork");
    return rerun;
  }

  /**
   * Creates the run of a fork. It begins with the entries that it shares with the original, up to the last response.
   */
  #begin(parent: Run, entry: number, inputs: number): { run: Run; conversation: Conversation } {
    const { title, model } = parent.summary;
    const conversation = new Conversation();
    conversation.replace(parent.origin?.messages.slice(0, inputs) ?? []);
    const shared = parent.entries.filter(
      ({ kind }, index) => kind === "request" && (parent.positionOf(index) ?? inputs) < inputs,
    );
    const turn = shared.at(-1)?.turn ?? 0;
    const run = new Run({
      id: `fork-${++this.#count}`,
      title: titleOf(`Fork ${this.#count}: ${title.replace(/^Fork \d+: /, "")}`),
      source: "fork",
      model,
      startedAt: this.#now(),
      parent: { run: parent.summary.id, entry, turn: turn + 1 },
    });
    run.inherit(parent, inputs);
    this.#store.add(run);
    conversation.beginRun(run, turn);
    return { run, conversation };
  }
}

/** Ends a fork whose model calls the same tools again and again, because each request costs money. */
const MAX_REQUESTS = 50;

/** The user's decision for a tool call that waits: a result, or to run the tool. */
export type Resolution = { text: string; isError: boolean } | "run";

export interface RerunOptions {
  run: Run;
  /** Contains the messages of the first request. */
  conversation: Conversation;
  launcher: Launcher;
  originalModel: unknown;
  changes: ForkChanges;
  recorded: RecordedResults;
  now: () => number;
}

interface WaitingCall {
  canRun: boolean;
  resolve: (resolution: Resolution) => void;
}

class Rerun {
  readonly #options: RerunOptions;
  readonly #controller = new AbortController();
  readonly #waiting = new Map<string, WaitingCall>();

  constructor(options: RerunOptions) {
    this.#options = options;
  }

  /** The signal that the requests of the fork carry. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs the fork to its end. Never rejects: an error becomes the outcome of the run. */
  async start(): Promise<void> {
    const { run, conversation, now } = this.#options;
    let outcome: Outcome;
    try {
      outcome = await this.#work();
    } catch (error) {
      outcome = this.#controller.signal.aborted ? "aborted" : "error";
      if (outcome === "error") conversation.note(describeThrown(error));
    }
    this.#waiting.clear();
    await this.#options.launcher.end?.(this.#controller.signal).catch(() => {});
    run.finish(outcome, now());
  }

  abort(): void {
    this.#controller.abort(new Error("The fork was stopped"));
  }

  /** @throws InvalidCommand if the call does not wait, or its tool cannot be run */
  resolve(call: string, resolution: Resolution): void {
    const waiting = this.#waiting.get(call);
    if (!waiting) throw new InvalidCommand("This tool call does not wait for a result");
    if (resolution === "run" && !waiting.canRun) throw new InvalidCommand("The program cannot run this tool");
    this.#waiting.delete(call);
    waiting.resolve(resolution);
  }

  async #work(): Promise<Outcome> {
    const { conversation } = this.#options;
    const last = conversation.messages.findLast((message) => fieldsOf(message)["role"] === "assistant");
    let response = fieldsOf(last);
    for (let requests = 0; ; requests++) {
      const calls = callsWithoutResult(conversation.messages);
      // `Promise.all` keeps the results in the order of the calls, whichever ends first.
      conversation.append(await Promise.all(calls.map((call) => this.#callTool(call, response))));
      // The first request is always sent, later ones only if the last response called tools or was paused.
      if (requests > 0 && calls.length === 0 && response["stopReason"] !== "pause") return outcomeOf(response);
      if (requests === MAX_REQUESTS) throw new Error(`The fork was stopped after ${MAX_REQUESTS} requests`);
      response = await this.#request();
      if (outcomeOf(response) !== "done") return outcomeOf(response);
    }
  }

  async #request(): Promise<Fields> {
    const { conversation, launcher, changes, originalModel, now } = this.#options;
    const { signal } = this.#controller;
    const { model, system, tools, thinking } = changes;
    const messages = conversation.messages.slice();
    conversation.startResponse({ role: "assistant", model: model.id, content: [], timestamp: now() });
    const onPartial = (message: Fields): void => {
      if (!signal.aborted) conversation.growResponse(message, now);
    };
    const request = { model, originalModel, system, tools, messages, thinking };
    const sent = launcher.send(request, { signal, onPartial });
    const response = await orAborted(sent, signal);
    conversation.endResponse(response, now(), true);
    return response;
  }

  async #callTool(call: Fields, response: Fields): Promise<Fields> {
    const { run, conversation, now } = this.#options;
    const { name, arguments: args } = call;
    const [id, startedAt] = [textOf(call["id"]), now()];
    const index = conversation.startTool(id, textOf(name), args, startedAt) ?? -1;
    const [given, resultFrom] = await this.#resultOf(call, response, index);
    const isError = given["isError"] === true;
    const timestamp = now();
    const durationMs = Math.max(0, timestamp - startedAt);
    run.update(index, { resultFrom });
    conversation.endTool(id, { args, result: given, isError, durationMs });
    const content = listOf(given["content"]);
    return { role: "toolResult", toolCallId: id, toolName: textOf(name), content, isError, timestamp, durationMs };
  }

  async #resultOf(
    call: Fields,
    response: Fields,
    index: number,
  ): Promise<[result: Fields, from: "recording" | "page" | "tool"]> {
    const { recorded, changes } = this.#options;
    // An agent does not run a tool whose arguments are incomplete: the model gets the error as the result.
    if (typeof call["argumentsError"] === "string") return [toResult(call["argumentsError"], true), "recording"];
    const known = recorded.take(call);
    if (known && !changes.step) return [known, "recording"];
    const resolution = await this.#askUser(call, index, known);
    if (resolution !== "run") return resultOf(resolution, known);
    return [await this.#runTool(call, response), "tool"];
  }

  async #runTool(call: Fields, response: Fields): Promise<Fields> {
    const { launcher, changes, conversation } = this.#options;
    const { signal } = this.#controller;
    const messages = conversation.messages.slice();
    const ran = launcher
      .runTool({ call, response, system: changes.system, messages, signal })
      // The model gets the error of a tool as its result.
      .catch((error: unknown) => toResult(describeThrown(error), true));
    return orAborted(ran, signal);
  }

  #askUser(call: Fields, index: number, known: Fields | undefined): Promise<Resolution> {
    const { run, launcher } = this.#options;
    const { signal } = this.#controller;
    const id = textOf(call["id"]);
    const canRun = launcher.canRun(textOf(call["name"]));
    const { promise, resolve } = Promise.withResolvers<Resolution>();
    this.#waiting.set(id, { canRun, resolve });
    run.update(index, {
      awaits: { call: id, canRun, ...(known && { recorded: redactCredentials(textOfMessage(known)) }) },
    });
    const decided = promise.then((resolution) => {
      run.update(index, { awaits: undefined });
      return resolution;
    });
    return orAborted(decided, signal);
  }
}

/** Uses the whole recorded result, including blocks such as images, if the user did not change its text. */
function resultOf(
  { text, isError }: Exclude<Resolution, "run">,
  known: Fields | undefined,
): [result: Fields, from: "recording" | "page"] {
  const isSame = known && restore(text, textOfMessage(known)) === textOfMessage(known);
  if (isSame && (known["isError"] === true) === isError) return [known, "recording"];
  return [toResult(text, isError), "page"];
}

function toResult(text: string, isError: boolean): Fields {
  return { content: [{ type: "text", text }], isError };
}

/** Rejects as soon as the fork is stopped, even if the promise never settles. */
function orAborted<TValue>(promise: Promise<TValue>, signal: AbortSignal): Promise<TValue> {
  const { promise: result, resolve, reject } = Promise.withResolvers<TValue>();
  const stop = (): void => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  return result;
}

/** Finds the recorded results of the original run for tool calls that a fork repeats. */
class RecordedResults {
  readonly #results = new Map<string, Fields[]>();

  /** @param messages those of the original run from the fork on */
  constructor(messages: readonly unknown[]) {
    const calls = new Map<unknown, string>();
    for (const message of messages) {
      const fields = fieldsOf(message);
      if (fields["role"] === "assistant")
        for (const block of blocksOf(fields)) if (block["type"] === "toolCall") calls.set(block["id"], keyOf(block));
      const key = fields["role"] === "toolResult" ? calls.get(fields["toolCallId"]) : undefined;
      if (key === undefined) continue;
      const results = this.#results.get(key) ?? [];
      results.push(fields);
      this.#results.set(key, results);
    }
  }

  /**
   * Takes the next result of a call with the same tool and arguments. Each result is used once, in the recorded order,
   * because a tool may return something else for each call.
   */
  take(call: Fields): Fields | undefined {
    return this.#results.get(keyOf(call))?.shift();
  }
}

/** A key that is equal for calls of the same tool with the same arguments, in whatever order their fields are. */
function keyOf(call: Fields): string {
  return JSON.stringify([textOf(call["name"]), sorted(call["arguments"], 0)]);
}

function sorted(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > 100) return value;
  if (Array.isArray(value)) return value.map((element) => sorted(element, depth + 1));
  const fields = fieldsOf(value);
  const names = Object.keys(fields).sort();
  // A list of pairs, because an object would lose a field named `__proto__`. `fields` tells it from an array.
  return { fields: names.map((name) => [name, sorted(fields[name], depth + 1)]) };
}
