/** Writes the requests and spans that programs publish on diagnostics channels into a store. */
import { AsyncLocalStorage } from "node:async_hooks";
import { channel, subscribe, unsubscribe } from "node:diagnostics_channel";
import { fieldsOf } from "../record/fields.js";
import type { RunStore } from "../record/run-store.js";
import { RequestRuns } from "./request-runs.js";
import { SignalRuns } from "./signal-runs.js";
import { SpanRuns } from "./span-runs.js";
import { watchRequests } from "./watch-requests.js";

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
  const unwatch = watchRequests((request, stage) => requests.see(request, stage));
  const started = (span: unknown): void => spans.start(fieldsOf(span));
  const ended = (span: unknown): void => spans.end(fieldsOf(span));
  subscribe("pi.span.start", started);
  subscribe("pi.span.end", ended);
  return () => {
    unwatch();
    activeChannel.unbindStore(active);
    unsubscribe("pi.span.start", started);
    unsubscribe("pi.span.end", ended);
  };
}
