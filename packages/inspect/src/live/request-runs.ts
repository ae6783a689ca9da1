/** Shows requests that no watched agent has sent: in the span that sent them, or as runs of their own. */
import { type Fields, fieldsOf, listOf, numberOf, textOf, titleOf } from "../record/fields.js";
import { outcomeOf } from "../record/message-sections.js";
import type { Prompt } from "../record/prompt.js";
import type { RunStore } from "../record/run-store.js";
import { Wire } from "../record/wire.js";
import { addRequest, RequestRow, WireRows } from "./request-row.js";
import type { SignalRun, SignalRuns } from "./signal-runs.js";
import type { Place } from "./span-runs.js";
import type { RequestStage } from "./watch-requests.js";

export class RequestRuns {
  readonly #store: RunStore;
  readonly #signals: SignalRuns;
  readonly #activePlace: () => Place | undefined;
  /** The requests that are under way; without rows until there is something to show. */
  readonly #open = new Map<Fields, { span: Place | undefined; rows?: WireRows; own?: SignalRun }>();

  /** @param activePlace where the span is shown that is active now */
  constructor(store: RunStore, signals: SignalRuns, activePlace: () => Place | undefined) {
    this.#store = store;
    this.#signals = signals;
    this.#activePlace = activePlace;
  }

  see(request: Fields, stage: RequestStage): void {
    // The body, from which a run gets its title, comes with the first change.
    if (stage === "start") this.#open.set(request, { span: this.#activePlace() });
    const open = this.#open.get(request);
    if (!open || stage === "start") return;
    // Every listener has seen its start by now.
    if (this.#store.shown.hasRequest(request)) {
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
      if (open.own) this.#signals.end(open.own, outcomeOf(message), endedAt);
    }
  }

  #show(request: Fields, span: Place | undefined): { rows: WireRows; own?: SignalRun } {
    const wire = new Wire(request);
    const entry = span?.run.entries[span.index];
    const facts = { startedAt: numberOf(request["startTime"]), model: textOf(request["model"]) };
    if (span && entry?.kind === "request") {
      const rows = new WireRows(this.#store, span, wire);
      span.run.setTitle(titleOfPrompt(wire.prompt));
      return { rows };
    }
    // The span of a tool or of the application.
    if (span && entry) return { rows: new RequestRow(this.#store, addRequest(span.run, facts, entry.turn), wire) };
    const own = this.#signals.begin(request, facts.model);
    const { run, previous } = own;
    const place = addRequest(run, facts, run.summary.requests + 1, previous);
    own.previous = place.prompt;
    const rows = new RequestRow(this.#store, place, wire);
    run.setTitle(titleOfPrompt(wire.prompt));
    return { rows, own };
  }
}

/** The text of the last user message in a prompt of any api. */
function titleOfPrompt(prompt: Prompt | undefined): string {
  const message = prompt?.messages.map(fieldsOf).findLast(({ role }) => role === "user") ?? {};
  const { content, parts } = message;
  if (typeof content === "string") return titleOf(content);
  const texts = [...listOf(content), ...listOf(parts)].map((part) => textOf(fieldsOf(part)["text"]));
  return titleOf(texts.filter(Boolean).join(" "));
}
