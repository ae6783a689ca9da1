/** Records the spans and values that are published on the channels of `node:diagnostics_channel`. */
import * as diagnosticsChannel from "node:diagnostics_channel";
import { type ChannelMetric, type ChannelSpan, createChannelApi, type OtelApi } from "pi-ai/otel";

export interface RecordedSpans {
  api: OtelApi;
  started: ChannelSpan[];
  ended: ChannelSpan[];
  metrics: ChannelMetric[];
  /** The spans that have not ended. */
  readonly open: string[];
  stop(): void;
}

export function recordSpans(): RecordedSpans {
  const started: ChannelSpan[] = [];
  const ended: ChannelSpan[] = [];
  const metrics: ChannelMetric[] = [];
  const lists: [string, unknown[]][] = [
    ["pi.span.start", started],
    ["pi.span.end", ended],
    ["pi.metric", metrics],
  ];
  const listeners = lists.map(([name, list]) => ({ name, listen: (message: unknown) => void list.push(message) }));
  for (const { name, listen } of listeners) diagnosticsChannel.subscribe(name, listen);
  return {
    api: createChannelApi(diagnosticsChannel),
    started,
    ended,
    metrics,
    get open() {
      return started.filter((span) => !ended.includes(span)).map(({ name }) => name);
    },
    stop: () => {
      for (const { name, listen } of listeners) diagnosticsChannel.unsubscribe(name, listen);
    },
  };
}
