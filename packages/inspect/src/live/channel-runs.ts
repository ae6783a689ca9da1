/** Shows as runs what programs publish on diagnostics channels and no watched agent has shown. */
import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import type { Entry, Outcome, Section } from "../record/entry.js";
import { textOf, titleOf, toJson } from "../record/fields.js";
import { processState } from "../record/process-state.js";
import { type Prompt, titleOfPrompt } from "../record/prompt-sections.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { outcomeOf } from "../record/sections.js";
import { Wire } from "../record/wire.js";
import { type Carrier, type RequestEvent, type SpanEvent, watchRequests, watchSpans } from "./live-event.js";
import { addRequest, RequestRow, WireRows } from "./request-row.js";

/**
 * A span `invoke_agent` is a run. A request outside one belongs to the run of the requests that share its signal, and a tool
 * call outside one is a run of its own. A request inside a span `chat` adds to this how it went over the wire. What a watched
 * agent or a fork shows is left out.
 *
 * @returns a function that stops watching
 */
export function watchChannels(store: RunStore): () => void {
  const active = new AsyncLocalStorage<object>();
  const activeChannel = channel("pi.span.active");
  activeChannel.bindStore(active);
  const signals = new SignalRuns(store);
  const spans = new SpanRuns(store, signals, () => active.getStore());
  const requests = new RequestRuns(store, signals, () => spans.activePlace);
  const ends = [watchRequests((event) => requests.see(event)), watchSpans((event) => spans.see(event))];
  return () => {
    for (const end of ends) end();
    activeChannel.unbindStore(active);
  };
}

/** Numbers the runs. */
const runs = processState("channel runs", () => ({ requests: 0, spans: 0 }));

/** A place in a run. The index is -1 for the run itself. */
interface Place {
  run: Run;
  index: number;
}

// Runs of requests that share a signal, as those of an agent's run and of an application's loop do.

interface SignalRun {
  readonly run: Run;
  /** The prompt of its last request. */
  previous: Prompt | undefined;
  /** How many requests and spans of it are under way. */
  open: number;
}

class SignalRuns {
  readonly #store: RunStore;
  readonly #bySignal = new WeakMap<object, SignalRun>();

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** A request begins, in the run with its signal or in a new one. {@link end} follows. */
  begin({ key, signal = key, model, startedAt }: Carrier): SignalRun {
    const known = this.#bySignal.get(signal);
    if (known && this.#store.get(known.run.summary.id) === known.run) {
      if (known.open++ === 0) known.run.resume();
      return known;
    }
    const run = new Run({ id: `request-${++runs.requests}`, title: "", source: "live", model, startedAt });
    this.#store.add(run);
    return this.adopt(signal, run);
  }

  /** Requests with the signal go to a run that began otherwise. {@link end} follows. */
  adopt(signal: object, run: Run): SignalRun {
    const own = { run, previous: undefined, open: 1 };
    this.#bySignal.set(signal, own);
    return own;
  }

  /** A request has ended, or the span of a run. The run has, too, when nothing else of it is under way. */
  end(own: SignalRun, outcome: Outcome, endedAt: number | undefined): void {
    if (--own.open === 0) own.run.finish(outcome, endedAt);
  }
}

// Requests that no watched agent has sent: in the span that sent them, or as runs of their own.

class RequestRuns {
  readonly #store: RunStore;
  readonly #signals: SignalRuns;
  readonly #activePlace: () => Place | undefined;
  /** The requests that are under way; without rows until there is something to show. */
  readonly #open = new Map<object, { span: Place | undefined; rows?: WireRows; own?: SignalRun }>();

  /** @param activePlace where the span is shown that is active now */
  constructor(store: RunStore, signals: SignalRuns, activePlace: () => Place | undefined) {
    this.#store = store;
    this.#signals = signals;
    this.#activePlace = activePlace;
  }

  see(event: RequestEvent): void {
    const { type, key, signal, endedAt, message } = event;
    // The body, from which a run gets its title, comes with the first change.
    if (type === "request_start") this.#open.set(key, { span: this.#activePlace() });
    const open = this.#open.get(key);
    if (!open || type === "request_start") return;
    // Every listener has seen its start by now.
    if (this.#store.shown.hasRequest(key, signal)) {
      this.#open.delete(key);
      return;
    }
    if (!open.rows) Object.assign(open, this.#show(event, open.span));
    if (type === "request_update") open.rows?.update();
    else {
      this.#open.delete(key);
      open.rows?.end(endedAt, message);
      if (open.own) this.#signals.end(open.own, outcomeOf(message), endedAt);
    }
  }

  #show(request: RequestEvent, span: Place | undefined): { rows: WireRows; own?: SignalRun } {
    const wire = new Wire(request);
    const entry = span?.run.entries[span.index];
    if (span && entry?.kind === "request") {
      const rows = new WireRows(this.#store, span, wire);
      span.run.setTitle(titleOfPrompt(wire.prompt));
      return { rows };
    }
    // The span of a tool or of the application.
    if (span && entry) return { rows: new RequestRow(this.#store, addRequest(span.run, request, entry.turn), wire) };
    const own = this.#signals.begin(request);
    const { run, previous } = own;
    const place = addRequest(run, request, run.summary.requests + 1, previous);
    own.previous = place.prompt;
    const rows = new RequestRow(this.#store, place, wire);
    run.setTitle(titleOfPrompt(wire.prompt));
    return { rows, own };
  }
}

// Spans, as runs and as rows of runs.

/** Where a span is shown. */
interface SpanPlace extends Place {
  /** The span is the run, or the only one that holds it open. */
  isRoot?: true;
  /** The run that ends when nothing of it is under way. */
  shared?: SignalRun;
}

class SpanRuns {
  readonly #store: RunStore;
  readonly #signals: SignalRuns;
  readonly #active: () => object | undefined;
  /** Undefined for a span that a run shows already. */
  readonly #places = new WeakMap<object, SpanPlace | undefined>();

  /** @param active the span whose code runs now */
  constructor(store: RunStore, signals: SignalRuns, active: () => object | undefined) {
    this.#store = store;
    this.#signals = signals;
    this.#active = active;
  }

  /** The place of the span whose code runs now. */
  get activePlace(): Place | undefined {
    const span = this.#active();
    return span && this.#places.get(span);
  }

  see(event: SpanEvent): void {
    if (event.type === "span_start") this.#places.set(event.key, this.#place(event));
    else this.#end(event);
  }

  #end(span: SpanEvent): void {
    const place = this.#places.get(span.key);
    if (!place) return;
    const { run, index, isRoot, shared } = place;
    const { outcome, endedAt } = span;
    const kind = run.entries[index]?.kind;
    if (kind) run.update(index, endOfSpan(span, kind));
    // A request gives its run a title, if one was sent.
    if (shared) run.setTitle(titleOf(span.name));
    if (shared) this.#signals.end(shared, outcome, endedAt);
    if (isRoot) run.finish(outcome, endedAt);
  }

  #place(span: SpanEvent): SpanPlace | undefined {
    const { parent, operation } = span;
    if (parent && this.#places.has(parent)) {
      const outer = this.#places.get(parent);
      return outer && this.#addRow(outer.run, span);
    }
    if (this.#store.shown.hasSpan(span.signal)) return undefined;
    if (operation === "invoke_agent") return this.#begin(span, -1);
    const active = this.activePlace;
    // A stream function that publishes spans may be that of an agent that does, too: both spans are one request.
    if (active && operation === "chat" && active.run.entries[active.index]?.kind === "request") return { ...active };
    if (active) return this.#addRow(active.run, span);
    if (operation !== "chat") return this.#begin(span);
    const shared = this.#signals.begin(span);
    return { ...this.#addRow(shared.run, span), shared };
  }

  /** A run of its own. */
  #begin(span: SpanEvent, index?: -1): SpanPlace {
    const { name, model, startedAt, signal } = span;
    const run = new Run({ id: `span-${++runs.spans}`, title: titleOf(name), source: "live", model, startedAt });
    this.#store.add(run);
    const place = index === undefined ? this.#addRow(run, span) : { run, index };
    return signal ? { ...place, shared: this.#signals.adopt(signal, run), isRoot: true } : { ...place, isRoot: true };
  }

  #addRow(run: Run, span: SpanEvent): SpanPlace {
    const { details } = span;
    const index = run.add(entryOfSpan(span, run.summary.requests), () => describeSpan(details()));
    return { run, index };
  }
}

/** @param requests how many came before it in its run */
function entryOfSpan({ operation, tool, model, name, startedAt }: SpanEvent, requests: number): Entry {
  const kind = operation === "chat" ? "request" : operation === "execute_tool" ? "tool" : "note";
  return {
    kind,
    name: tool || model,
    title: titleOf(name),
    outcome: "running",
    turn: kind === "request" ? requests + 1 : requests,
    ...(startedAt !== undefined && { startedAt }),
  };
}

/** What the end of a span changes in its row. */
function endOfSpan({ outcome, startedAt, endedAt, firstMs, usage }: SpanEvent, kind: Entry["kind"]): Partial<Entry> {
  return {
    outcome,
    ...(startedAt !== undefined && endedAt !== undefined && { durationMs: endedAt - startedAt }),
    ...(firstMs !== undefined && { firstMs }),
    ...(kind === "request" && { usage }),
  };
}

/** Attributes with content are JSON. */
function describeSpan({ attributes, failure }: ReturnType<SpanEvent["details"]>): Section[] {
  const isContent = ([, value]: [string, unknown]): boolean => typeof value === "string" && /^[[{]/.test(value);
  const rows = attributes
    .filter((one) => !isContent(one))
    .map(([name, value]): [string, string] => [name, String(value)]);
  return [
    { kind: "table", title: "Attributes", rows: failure ? [...rows, ["failure", failure]] : rows },
    ...attributes
      .filter(isContent)
      .map(([name, value]): Section => ({ kind: "text", title: name, text: format(value) })),
  ];
}

function format(value: unknown): string {
  try {
    return toJson(JSON.parse(textOf(value)), 2);
  } catch {
    return textOf(value);
  }
}
