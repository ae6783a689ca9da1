/** Shows requests that no watched agent has sent: in the span that sent them, or as runs of their own. */
import { type Fields, fieldsOf, listOf, numberOf, textOf, titleOf } from "../record/fields.js";
import { outcomeOf } from "../record/message-sections.js";
import type { Prompt } from "../record/prompt.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { Wire } from "../record/wire.js";
import { addRequest, RequestRow } from "./request-row.js";
import type { RequestStage } from "./watch-requests.js";
import { WireRows } from "./wire-rows.js";

/** A place in a run. The index is -1 for the run itself. */
export interface Place {
  run: Run;
  index: number;
}

/** A run of requests with the same signal, which the runs of agents and loops of applications share. */
interface RequestRun {
  run: Run;
  previous: Prompt | undefined;
}

/** Numbers the runs. */
let runs = 0;

export class RequestRuns {
  readonly #store: RunStore;
  readonly #activeSpan: () => Place | undefined;
  readonly #bySignal = new WeakMap<object, RequestRun>();
  /** The requests that are under way; undefined until there is something to show. */
  readonly #open = new Map<Fields, { span: Place | undefined; rows?: WireRows; own?: Run }>();

  /** @param activeSpan where the span is shown that is active now */
  constructor(store: RunStore, activeSpan: () => Place | undefined) {
    this.#store = store;
    this.#activeSpan = activeSpan;
  }

  see(request: Fields, stage: RequestStage): void {
    // The body, from which a run gets its title, comes with the first change.
    if (stage === "start") this.#open.set(request, { span: this.#activeSpan() });
    const open = this.#open.get(request);
    if (!open || stage === "start") return;
    // Every listener has seen its start by now.
    if (!open.span && this.#isShown(request)) {
      this.#open.delete(request);
      return;
    }
    if (!open.rows) Object.assign(open, this.#show(request, open.span));
    if (stage === "update") open.rows?.update();
    else {
      this.#open.delete(request);
      const endedAt = numberOf(request["endTime"]);
      const message = fieldsOf(request["message"]);
      open.rows?.end(endedAt, message);
      open.own?.finish(outcomeOf(message), endedAt);
    }
  }

  /** A watched agent shows its requests itself, and so does a fork. */
  #isShown(request: Fields): boolean {
    const { signal } = request;
    const { shown } = this.#store;
    return shown.has(request) || (typeof signal === "object" && signal !== null && shown.has(signal));
  }

  #show(request: Fields, span: Place | undefined): { rows: WireRows; own?: Run } {
    const wire = new Wire(request);
    if (span && span.index >= 0) return { rows: new WireRows(this.#store, span, wire) };
    const facts = { startedAt: numberOf(request["startTime"]), model: textOf(request["model"]) };
    if (span) {
      const place = addRequest(span.run, facts, span.run.summary.requests + 1);
      return { rows: new RequestRow(this.#store, place, wire) };
    }
    const own = this.#runOf(request);
    const { run, previous } = own;
    const place = addRequest(run, facts, run.summary.requests + 1, previous);
    own.previous = place.prompt;
    const rows = new RequestRow(this.#store, place, wire);
    run.setTitle(titleOfPrompt(rows.wire.prompt));
    return { rows, own: run };
  }

  #runOf(request: Fields): RequestRun {
    const { signal } = request;
    const key = typeof signal === "object" && signal !== null ? signal : request;
    const known = this.#bySignal.get(key);
    if (known && this.#store.get(known.run.summary.id) === known.run) {
      known.run.resume();
      return known;
    }
    const [startedAt, model] = [numberOf(request["startTime"]), textOf(request["model"])];
    const run = new Run({ id: `request-${++runs}`, title: "", source: "live", model, startedAt });
    const created = { run, previous: undefined };
    this.#bySignal.set(key, created);
    this.#store.add(run);
    return created;
  }
}

/** The last thing that a user said in a prompt of any api. */
function titleOfPrompt(prompt: Prompt | undefined): string {
  const message = prompt?.messages.map(fieldsOf).findLast(({ role }) => role === "user") ?? {};
  const { content, parts } = message;
  if (typeof content === "string") return titleOf(content);
  const texts = [...listOf(content), ...listOf(parts)].map((part) => textOf(fieldsOf(part)["text"]));
  return titleOf(texts.filter(Boolean).join(" "));
}
