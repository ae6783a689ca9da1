/** How a request goes over the wire, and the row of one that is known only from there, without its conversation. */
import type { Entry } from "../record/entry.js";
import { type Fields, titleOf } from "../record/fields.js";
import { describePrompt, type Prompt } from "../record/prompt-sections.js";
import type { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { describeMessage, describeUsage, outcomeOf, titleOfMessage, usageOf } from "../record/sections.js";
import type { Attempt, Wire } from "../record/wire.js";

// Shows how a request goes over the wire: in the details of its entry, and in a row for each wait between attempts.

export class WireRows {
  readonly wire: Wire;
  readonly #store: RunStore;
  readonly #run: Run;
  /** The index of the request's entry. */
  readonly #index: number;
  /** The indexes of the rows of waits, by the attempts that they follow. */
  readonly #waits = new Map<number, number>();

  constructor(store: RunStore, place: { run: Run; index: number }, wire: Wire) {
    this.#store = store;
    this.#run = place.run;
    this.#index = place.index;
    this.wire = wire;
    place.run.attach(place.index, wire);
  }

  update(): void {
    const { attempts } = this.wire;
    for (const [position, attempt] of attempts.entries()) this.#showWait(position, attempt, attempts[position + 1]);
    // Before the response begins, the body is not counted yet: it is counted soon, or at the end.
    if (attempts.at(-1)?.status !== undefined) this.#store.bodies.keep(this.wire);
    this.#run.update(this.#index, { attempts: attempts.length, received: this.wire.received });
  }

  /**
   * Updates the rows a last time. A wait that is still running was aborted.
   *
   * @param _message the message of the response, which {@link RequestRow} needs
   */
  end(endedAt: number | undefined, _message: Fields): void {
    this.update();
    this.#store.bodies.keep(this.wire);
    for (const index of this.#waits.values()) {
      const entry = this.#run.entries[index];
      if (entry?.outcome === "running")
        this.#run.update(index, { ...durationUntil(entry, endedAt), outcome: "aborted" });
    }
  }

  #showWait(position: number, attempt: Attempt, next: Attempt | undefined): void {
    const { wait } = attempt;
    if (!wait) return;
    const index = this.#waits.get(position) ?? this.#addWait(position, attempt, wait);
    const entry = this.#run.entries[index];
    if (!next || entry?.outcome !== "running") return;
    this.#run.update(index, { ...durationUntil(entry, next.startedAt), outcome: "done" });
  }

  #addWait(position: number, { endedAt: startedAt, failure }: Attempt, wait: NonNullable<Attempt["wait"]>): number {
    const text = `Attempt ${position + 1} failed: ${failure}. Waits ${Math.round(wait.ms)} ms, ${wait.reason}`;
    const index = this.#run.add(
      {
        kind: "wait",
        name: "wait",
        title: titleOf(text),
        outcome: "running",
        turn: this.#run.entries[this.#index]?.turn ?? 0,
        ...(startedAt !== undefined && { startedAt }),
      },
      () => [{ kind: "text", title: "Wait", text }],
    );
    this.#waits.set(position, index);
    return index;
  }
}

function durationUntil({ startedAt }: Entry, endedAt: number | undefined): Partial<Entry> {
  return startedAt === undefined || endedAt === undefined ? {} : { durationMs: Math.max(0, endedAt - startedAt) };
}

/** A row of a run, and the prompt of its request. */
interface Place {
  run: Run;
  index: number;
  prompt: Prompt;
}

/** @param previous the prompt of the request before, if there is one */
export function addRequest(
  run: Run,
  { startedAt, model }: { startedAt: number | undefined; model: string },
  turn: number,
  previous?: Prompt,
): Place {
  const prompt: Prompt = { tools: undefined, system: undefined, messages: [], length: 0 };
  const index = run.add(
    {
      kind: "request",
      name: model,
      title: "",
      outcome: "running",
      turn,
      ...(startedAt !== undefined && { startedAt }),
    },
    () => [],
    () => (prompt.wire?.prompt ? describePrompt(prompt, previous) : []),
  );
  return { run, index, prompt };
}

export class RequestRow extends WireRows {
  readonly #place: Place;

  constructor(store: ConstructorParameters<typeof WireRows>[0], place: Place, wire: Wire) {
    super(store, place, wire);
    this.#place = place;
    place.prompt.wire = wire;
  }

  /** Fills the row from the message of the response, which is known only at the end. */
  override end(endedAt: number | undefined, message: Fields): void {
    super.end(endedAt, message);
    const { run, index } = this.#place;
    const entry = run.entries[index];
    if (!entry) return;
    const first = this.wire.attempts.findLast(({ firstAt }) => firstAt !== undefined)?.firstAt;
    const { startedAt } = entry;
    const usage = usageOf(message);
    const change = {
      title: titleOfMessage(message),
      outcome: outcomeOf(message),
      ...(usage && { usage }),
      ...(startedAt !== undefined && endedAt !== undefined && { durationMs: Math.max(0, endedAt - startedAt) }),
      ...(startedAt !== undefined && first !== undefined && { firstMs: Math.max(0, first - startedAt) }),
    };
    const finished = { ...entry, ...change };
    run.update(index, change, () => [describeUsage(message, finished), ...describeMessage(message)]);
  }
}
