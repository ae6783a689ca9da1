/** Starts the forks of a page, and passes the user's decisions to them. */
import { copyScriptedTest } from "../read/copy-scripted-test.js";
import { Conversation } from "../record/conversation.js";
import { titleOf } from "../record/fields.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { draftFork, findForkPoint } from "./fork-draft.js";
import { applyInputs, InvalidCommand, readChanges } from "./read-changes.js";
import { RecordedResults, Rerun, type Resolution } from "./rerun.js";

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
