/** Shows spans as runs and as rows of runs. */

import type { Entry, Outcome, Section } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf, titleOf, toJson } from "../record/fields.js";
import { processState } from "../record/process-state.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { signalOf } from "../record/shown.js";
import type { SignalRun, SignalRuns } from "./signal-runs.js";

/** A place in a run. The index is -1 for the run itself. */
export interface Place {
  run: Run;
  index: number;
}

/** Where a span is shown. */
interface SpanPlace extends Place {
  /** The span is the run, or the only one that holds it open. */
  isRoot?: true;
  /** The run that ends when nothing of it is under way. */
  shared?: SignalRun;
}

/** Numbers the runs. */
const runs = processState("span runs", () => ({ count: 0 }));

export class SpanRuns {
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

  start(span: Fields): void {
    this.#places.set(span, this.#place(span));
  }

  end(span: Fields): void {
    const place = this.#places.get(span);
    if (!place) return;
    const { run, index, isRoot, shared } = place;
    const [outcome, endedAt] = [outcomeOfSpan(span), numberOf(span["endTime"])];
    const kind = run.entries[index]?.kind;
    if (kind) run.update(index, endOfSpan(span, kind));
    // A request gives its run a title, if one was sent.
    if (shared) run.setTitle(titleOf(textOf(span["name"])));
    if (shared) this.#signals.end(shared, outcome, endedAt);
    if (isRoot) run.finish(outcome, endedAt);
  }

  #place(span: Fields): SpanPlace | undefined {
    const { parent } = span;
    const isNested = typeof parent === "object" && parent !== null && this.#places.has(parent);
    if (isNested) {
      const outer = this.#places.get(parent);
      return outer && this.#addRow(outer.run, span);
    }
    if (this.#store.shown.hasSpan(span)) return undefined;
    const operation = operationOf(span);
    if (operation === "invoke_agent") return this.#begin(span, -1);
    const active = this.activePlace;
    // A stream function that publishes spans may be that of an agent that does, too: both spans are one request.
    if (active && operation === "chat" && active.run.entries[active.index]?.kind === "request") return { ...active };
    if (active) return this.#addRow(active.run, span);
    if (operation !== "chat") return this.#begin(span);
    const shared = this.#signals.begin(span, modelOf(span));
    return { ...this.#addRow(shared.run, span), shared };
  }

  /** A run of its own. */
  #begin(span: Fields, index?: -1): SpanPlace {
    const run = new Run({
      id: `span-${++runs.count}`,
      title: titleOf(textOf(span["name"])),
      source: "live",
      model: modelOf(span),
      startedAt: numberOf(span["startTime"]),
    });
    this.#store.add(run);
    const signal = signalOf(span);
    const place = index === undefined ? this.#addRow(run, span) : { run, index };
    return signal ? { ...place, shared: this.#signals.adopt(signal, run), isRoot: true } : { ...place, isRoot: true };
  }

  #addRow(run: Run, span: Fields): SpanPlace {
    const index = run.add(entryOfSpan(span, run.summary.requests), () => describeSpan(fieldsOf(span)));
    return { run, index };
  }
}

// The row of a span, by its attributes in OpenTelemetry's conventions for GenAI.

/** For example `invoke_agent`, `chat` or `execute_tool`. */
function operationOf(span: Fields): string {
  return textOf(fieldsOf(span["attributes"])["gen_ai.operation.name"]);
}

/** The model of a request or an agent. */
function modelOf(span: Fields): string {
  return textOf(fieldsOf(span["attributes"])["gen_ai.request.model"]);
}

/** @param requests how many came before it in its run */
function entryOfSpan(span: Fields, requests: number): Entry {
  const operation = operationOf(span);
  const kind = operation === "chat" ? "request" : operation === "execute_tool" ? "tool" : "note";
  const startedAt = numberOf(span["startTime"]);
  return {
    kind,
    name: textOf(fieldsOf(span["attributes"])["gen_ai.tool.name"]) || modelOf(span),
    title: titleOf(textOf(span["name"])),
    outcome: "running",
    turn: kind === "request" ? requests + 1 : requests,
    ...(startedAt !== undefined && { startedAt }),
  };
}

/** What the end of a span changes in its row. */
function endOfSpan(span: Fields, kind: Entry["kind"]): Partial<Entry> {
  const attributes = fieldsOf(span["attributes"]);
  const [startedAt, endedAt] = [numberOf(span["startTime"]), numberOf(span["endTime"])];
  const first = numberOf(attributes["gen_ai.response.time_to_first_chunk"]);
  return {
    outcome: outcomeOfSpan(span),
    ...(startedAt !== undefined && endedAt !== undefined && { durationMs: endedAt - startedAt }),
    ...(first !== undefined && { firstMs: first * 1000 }),
    ...(kind === "request" && { usage: usageOf(attributes) }),
  };
}

function outcomeOfSpan(span: Fields): Outcome {
  if (!span["failure"]) return "done";
  return fieldsOf(span["attributes"])["error.type"] === "aborted" ? "aborted" : "error";
}

function usageOf(attributes: Fields): NonNullable<Entry["usage"]> {
  const count = (name: string): number => numberOf(attributes[`gen_ai.usage.${name}`]) ?? 0;
  const [cacheRead, cacheWrite] = [count("cache_read.input_tokens"), count("cache_creation.input_tokens")];
  // The conventions count what came from the cache as input.
  const input = Math.max(0, count("input_tokens") - cacheRead - cacheWrite);
  return {
    input,
    output: count("output_tokens"),
    cacheRead,
    cacheWrite,
    cost: numberOf(attributes["pi.usage.cost"]) ?? 0,
  };
}

/** Attributes with content are JSON. */
function describeSpan(span: Fields): Section[] {
  const attributes = Object.entries(fieldsOf(span["attributes"]));
  const isContent = ([, value]: [string, unknown]): boolean => typeof value === "string" && /^[[{]/.test(value);
  const rows = attributes
    .filter((one) => !isContent(one))
    .map(([name, value]): [string, string] => [name, String(value)]);
  const failure = textOf(fieldsOf(span["failure"])["message"]);
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
