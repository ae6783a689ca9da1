/** Writes what the libraries publish into a store: requests, and the spans of `createChannelApi` of `pi-ai/otel`. */
import { AsyncLocalStorage } from "node:async_hooks";
import { channel, subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Entry, Outcome, Section } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf, titleOf, toJson } from "../record/fields.js";
import { Run } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";
import { type Place, RequestRuns } from "./request-runs.js";
import { watchRequests } from "./watch-requests.js";

/** Numbers the runs that spans have shown. */
let runs = 0;

/**
 * A span `invoke_agent` is a run. A request or a tool call outside one is a run of its own; requests that share a signal
 * share it. A request inside a span adds to this how it went over the wire.
 *
 * @returns a function that stops watching
 */
export function watchChannels(store: RunStore): () => void {
  const places = new WeakMap<object, Place>();
  const started = (span: unknown): void => {
    if (typeof span === "object" && span !== null) places.set(span, place(store, places, fieldsOf(span)));
  };
  const ended = (span: unknown): void => {
    const found = typeof span === "object" && span !== null ? places.get(span) : undefined;
    if (found) finish(found, fieldsOf(span));
  };
  const active = new AsyncLocalStorage<object>();
  const activeChannel = channel("pi.span.active");
  activeChannel.bindStore(active);
  const requests = new RequestRuns(store, () => {
    const span = active.getStore();
    return span && places.get(span);
  });
  const unwatch = watchRequests((request, stage) => requests.see(request, stage));
  subscribe("pi.span.start", started);
  subscribe("pi.span.end", ended);
  return () => {
    unwatch();
    activeChannel.unbindStore(active);
    unsubscribe("pi.span.start", started);
    unsubscribe("pi.span.end", ended);
  };
}

function place(store: RunStore, places: WeakMap<object, Place>, span: Fields): Place {
  const { parent } = span;
  const outer = typeof parent === "object" && parent !== null ? places.get(parent) : undefined;
  const startedAt = numberOf(span["startTime"]);
  const attributes = fieldsOf(span["attributes"]);
  const model = textOf(attributes["gen_ai.request.model"]);
  const isRun = attributes["gen_ai.operation.name"] === "invoke_agent";
  const run =
    outer?.run ??
    new Run({ id: `span-${++runs}`, title: titleOf(textOf(span["name"])), source: "live", model, startedAt });
  if (!outer) store.add(run);
  if (isRun && !outer) return { run, index: -1 };
  return { run, index: run.add(toEntry(span, attributes, run.summary.requests), () => describe(span)) };
}

function toEntry(span: Fields, attributes: Fields, requests: number): Entry {
  const operation = textOf(attributes["gen_ai.operation.name"]);
  const kind = operation === "chat" ? "request" : operation === "execute_tool" ? "tool" : "note";
  const startedAt = numberOf(span["startTime"]);
  return {
    kind,
    name: textOf(attributes["gen_ai.tool.name"]) || textOf(attributes["gen_ai.request.model"]),
    title: titleOf(textOf(span["name"])),
    outcome: "running",
    turn: kind === "request" ? requests + 1 : requests,
    ...(startedAt !== undefined && { startedAt }),
  };
}

function finish({ run, index }: Place, span: Fields): void {
  const attributes = fieldsOf(span["attributes"]);
  const [startedAt, endedAt] = [numberOf(span["startTime"]), numberOf(span["endTime"])];
  const outcome = outcomeOf(span, attributes);
  const first = numberOf(attributes["gen_ai.response.time_to_first_chunk"]);
  const entry = run.entries[index];
  if (entry)
    run.update(index, {
      outcome,
      ...(startedAt !== undefined && endedAt !== undefined && { durationMs: endedAt - startedAt }),
      ...(first !== undefined && { firstMs: first * 1000 }),
      ...(entry.kind === "request" && { usage: usageOf(attributes) }),
    });
  if (index === -1 || fieldsOf(span["parent"])["name"] === undefined) run.finish(outcome, endedAt);
}

function outcomeOf(span: Fields, attributes: Fields): Outcome {
  if (!span["failure"]) return "done";
  return attributes["error.type"] === "aborted" ? "aborted" : "error";
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
function describe(span: Fields): Section[] {
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
