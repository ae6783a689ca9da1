/** Spans and metrics of GenAI operations, by OpenTelemetry's semantic conventions for GenAI. */

import { checkOptionNames, type OptionNames } from "../../utils/nearest-names.js";
import type { OtelApi, OtelAttributes, OtelContext, OtelMeter, OtelSpan, OtelTracer, OtelValue } from "./otel-api.js";

const NEEDS_API =
  'trace needs OpenTelemetry: trace({ api }), with import * as api from "@opentelemetry/api", or createChannelApi() of pi-ai/otel';

/** The options of {@link createTelemetry}, `traceStream`, and `trace` of `pi-agent/otel`. */
export interface TelemetryOptions {
  /** `import * as api from "@opentelemetry/api"`, or the result of `createChannelApi`. */
  api: OtelApi;
  /** Default: the API's tracer `pi-ai`. */
  tracer?: OtelTracer | undefined;
  /** Default: the API's meter `pi-ai`. */
  meter?: OtelMeter | undefined;
  /** Whether spans contain prompts, responses, and the arguments and results of tools. Default false. */
  content?: boolean | undefined;
  /** Changes a text before it is recorded, such as an attribute with content or `error.message`. Undefined drops it. */
  redact?: ((text: string, attribute: string) => string | undefined) | undefined;
}

/** The failure of an operation. */
export interface OperationFailure {
  /** The value of `error.type`: the kind of the error, or its name. */
  type: string;
  /** The text of the error. */
  message?: string | undefined;
}

/** An operation in progress, with its span. */
export interface Operation {
  /** The span. */
  span: OtelSpan;
  /** The context in which the span is active. */
  context: OtelContext;
  /** Runs code with the span as the active one, so that spans that the code starts become its children. */
  run<TResult>(work: () => TResult): TResult;
  /** Adds attributes; those without a value are left out. */
  set(attributes: Record<string, OtelValue | undefined>): void;
  /** Adds an attribute with content as JSON, if content is recorded. */
  setContent(attribute: string, value: () => unknown): void;
  /**
   * Ends the span and records its duration. Only the first call counts.
   *
   * @param attributes more attributes of the duration
   */
  end(failure?: OperationFailure, attributes?: OtelAttributes): void;
}

/** The name and attributes of an operation. */
export interface OperationStart {
  /** `chat`, `execute_tool`, `invoke_agent` or another value of `gen_ai.operation.name`. */
  operation: string;
  /** The rest of the span's name: a model, a tool or an agent. */
  subject: string;
  /** The histogram of durations, in seconds. */
  metric: string;
  /** Attributes of the span and of its metrics. */
  attributes: OtelAttributes;
  /** Attributes of the span only. */
  details?: Record<string, OtelValue | undefined>;
  /** The context of the parent span. Default: the active context. */
  parent?: OtelContext;
  /** The signal of the agent's run or of the request, for `createChannelApi`. */
  signal?: AbortSignal | undefined;
}

/** Starts operations and records metrics. */
export interface Telemetry {
  /** The API that receives them. */
  readonly api: OtelApi;
  /** Starts an operation and its span. */
  start(start: OperationStart): Operation;
  /** Records a value: seconds (`s`) or tokens (`{token}`). */
  record(metric: string, unit: "s" | "{token}", value: number, attributes: OtelAttributes): void;
}

/**
 * The boundaries of the conventions: 10 ms to 82 s, 0.1 to 410 s for the runs of an agent, and 1 to 67 million tokens
 * (open-telemetry/semantic-conventions-genai, gen-ai-metrics.md, 2026-11-23).
 */
function boundariesOf(metric: string, unit: "s" | "{token}"): number[] {
  if (unit === "{token}") return Array.from({ length: 14 }, (_, index) => 4 ** index);
  const isRun = metric === "gen_ai.invoke_agent.duration";
  return Array.from({ length: isRun ? 13 : 14 }, (_, index) => 2 ** index / (isRun ? 10 : 100));
}

const NAMES: OptionNames<TelemetryOptions & { name: string }> = {
  name: true,
  api: true,
  tracer: true,
  meter: true,
  content: true,
  redact: true,
};

/**
 * Creates spans and metrics as `traceStream` and `trace` do, for operations of the application.
 *
 * @throws TypeError without the API
 */
export function createTelemetry(given: TelemetryOptions): Telemetry {
  // Plain JavaScript may pass nothing.
  if (!given?.api?.trace || !given.api.metrics) throw new TypeError(NEEDS_API);
  checkOptionNames("trace", given, NAMES);
  const { api, content, redact, ...options } = given;
  const tracer = options.tracer ?? api.trace.getTracer("pi-ai");
  const meter = options.meter ?? api.metrics.getMeter("pi-ai");
  const histograms = new Map<string, ReturnType<OtelMeter["createHistogram"]>>();
  /** Omits a value that cannot be serialized or redacted, because tracing must not break the traced operation. */
  const clean = (attribute: string, read: () => string | undefined): string | undefined => {
    try {
      const text = read();
      return text && redact ? redact(text, attribute) : text;
    } catch {
      return undefined;
    }
  };

  const record: Telemetry["record"] = (metric, unit, value, attributes) => {
    let histogram = histograms.get(metric);
    if (!histogram) {
      const advice = { explicitBucketBoundaries: boundariesOf(metric, unit) };
      histogram = meter.createHistogram(metric, { unit, advice });
      histograms.set(metric, histogram);
    }
    histogram.record(value, attributes);
  };

  const start: Telemetry["start"] = ({ operation, subject, metric, attributes, details = {}, parent, signal }) => {
    const common = { "gen_ai.operation.name": operation, ...attributes };
    const outer = parent ?? api.context.active();
    const span = tracer.startSpan(
      `${operation} ${subject}`.trim(),
      {
        kind: operation === "chat" ? 2 : 0,
        attributes: { ...common, ...defined(details) },
        ...(signal && { signal }),
      },
      outer,
    );
    // The context came from the same API.
    const context = api.trace.setSpan(outer, span as never);
    const began = performance.now();
    let ended = false;
    const end: Operation["end"] = (failure, measured = {}) => {
      if (ended) return;
      ended = true;
      const error: OtelAttributes = failure ? { "error.type": failure.type } : {};
      if (failure) {
        const message = clean("error.message", () => failure.message);
        span.setAttributes(error);
        span.setStatus({ code: 2, ...(message && { message }) });
      }
      record(metric, "s", (performance.now() - began) / 1000, { ...common, ...measured, ...error });
      span.end();
    };
    return {
      span,
      context,
      run: (work) => api.context.with(context, work),
      set: (added) => void span.setAttributes(defined(added)),
      setContent: (attribute, value) => {
        const text = content ? clean(attribute, () => JSON.stringify(value())) : undefined;
        if (text) span.setAttributes({ [attribute]: text });
      },
      end,
    };
  };
  return { api, start, record };
}

function defined(attributes: Record<string, OtelValue | undefined>): OtelAttributes {
  const entries = Object.entries(attributes).filter((entry): entry is [string, OtelValue] => entry[1] !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? shortName(value) : value]),
  );
}

/** The longest name or id in a span, in characters. Servers and models choose some of them. */
const MAX_NAME = 1000;

/** A name or an id without what is too long for a span. */
export function shortName(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name;
}
