/** The spans and metrics of `trace` on channels of `node:diagnostics_channel`, for applications without OpenTelemetry. */
import { processState } from "../../utils/process-state.js";
import { startClock } from "../../utils/start-clock.js";
import type { OtelApi, OtelAttributes, OtelSpan, OtelSpanOptions } from "./otel-api.js";

/** The parts of `node:diagnostics_channel` that are used. */
export interface DiagnosticsChannels {
  /** Returns a channel by its name. */
  channel(name: string): {
    publish(message: unknown): void;
    runStores<TResult>(message: never, work: () => TResult): TResult;
  };
}

/** A span, as it is published on `pi.span.start` and `pi.span.end`. */
export interface ChannelSpan {
  /** For example `chat claude-sonnet-5-5`. */
  name: string;
  /** The parent span. */
  parent?: ChannelSpan;
  /** The signal of the agent's run or of the request. Not enumerable, so that copies of a span do not hold it. */
  readonly signal?: AbortSignal;
  /** Its attributes, by OpenTelemetry's conventions for GenAI. */
  attributes: OtelAttributes;
  /** Its events. */
  events: { name: string; attributes: OtelAttributes }[];
  /** Present if it failed. */
  failure?: { message?: string };
  /** Unix time in milliseconds. */
  startTime: number;
  /** Unix time in milliseconds; absent until the span ends. */
  endTime?: number;
}

/** A value, as it is published on `pi.metric`. */
export interface ChannelMetric {
  /** For example `gen_ai.client.token.usage`. */
  name: string;
  /** The value, in the unit of the conventions: seconds or tokens. */
  value: number;
  /** Its attributes. */
  attributes: OtelAttributes;
}

/** By the function that finds the channels: requests that one API records are recognized by it. */
const apis = /* @__PURE__ */ processState("channel apis", () => new WeakMap<object, OtelApi>());

/**
 * Creates an API that publishes spans on the channels `pi.span.start` and `pi.span.end`, and values on `pi.metric`. Code
 * inside a span runs in the stores that are bound to `pi.span.active`. Returns the same object for the same channels.
 *
 * @example
 * import * as diagnosticsChannel from "node:diagnostics_channel";
 * const stream = traceStream(streamSimple, { api: createChannelApi(diagnosticsChannel) });
 * diagnosticsChannel.subscribe("pi.span.end", (span) => console.log(span));
 */
export function createChannelApi({ channel }: DiagnosticsChannels): OtelApi {
  const known = apis.get(channel) ?? createApi(channel);
  apis.set(channel, known);
  return known;
}

function createApi(channel: DiagnosticsChannels["channel"]): OtelApi {
  const [started, ended, active, metric] = ["span.start", "span.end", "span.active", "metric"].map((name) =>
    channel(`pi.${name}`),
  );
  const startSpan = (name: string, { attributes, signal }: OtelSpanOptions, parent?: ChannelSpan): OtelSpan => {
    const now = startClock();
    const record: ChannelSpan = { name, attributes: { ...attributes }, events: [], startTime: now() };
    if (parent) record.parent = parent;
    if (signal) Object.defineProperty(record, "signal", { value: signal });
    started?.publish(record);
    const span = {
      record,
      setAttributes: (added: OtelAttributes) => Object.assign(record.attributes, added),
      addEvent: (event: string, eventAttributes: OtelAttributes = {}) =>
        record.events.push({ name: event, attributes: eventAttributes }),
      setStatus: ({ message }: { message?: string }) => {
        record.failure = message === undefined ? {} : { message };
      },
      end: () => {
        record.endTime = now();
        ended?.publish(record);
      },
    };
    return span;
  };
  const createHistogram = (name: string) => ({
    record: (value: number, attributes: OtelAttributes) => metric?.publish({ name, value, attributes }),
  });
  return {
    trace: {
      getTracer: () => ({ startSpan }),
      // Only spans of this API are passed in.
      setSpan: (_context, span) => (span as { record: ChannelSpan }).record,
    },
    context: {
      active: () => undefined,
      // The type of a channel's message is unknown.
      with: (context, work) => (active ? active.runStores(context as never, work) : work()),
    },
    metrics: { getMeter: () => ({ createHistogram }) },
  };
}
