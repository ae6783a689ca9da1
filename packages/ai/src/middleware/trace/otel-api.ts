/** The parts of `@opentelemetry/api` 1.x that are used. The application passes the module itself. */

/** The value of an attribute. */
export type OtelValue = string | number | boolean | string[];

/** Attributes by their names. */
export type OtelAttributes = Record<string, OtelValue>;

/** A span that has been started. */
export interface OtelSpan {
  /** Adds attributes. */
  setAttributes(attributes: OtelAttributes): unknown;
  /** Adds an event. */
  addEvent(name: string, attributes?: OtelAttributes): unknown;
  /** Marks the span as failed: code 2 is an error. */
  setStatus(status: { code: 2; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/** How a span begins. */
export interface OtelSpanOptions {
  /** 0 is internal work, 2 a request to a server. */
  kind: 0 | 2;
  /** Its first attributes. */
  attributes: OtelAttributes;
  /** The signal of the agent's run or of the request. OpenTelemetry ignores it; `createChannelApi` publishes it. */
  signal?: AbortSignal | undefined;
}

/** Starts spans. */
export interface OtelTracer {
  /** Starts a span as a child of the span in `context`. */
  startSpan(name: string, options: OtelSpanOptions, context?: OtelContext): OtelSpan;
}

/** Creates instruments. */
export interface OtelMeter {
  /** Creates a histogram. */
  createHistogram(
    name: string,
    options: { unit: string; advice: { explicitBucketBoundaries: number[] } },
  ): OtelHistogram;
}

/** An instrument that records values. */
export interface OtelHistogram {
  /** Records a value. */
  record(value: number, attributes: OtelAttributes): void;
}

/** A context of OpenTelemetry, which holds the active span. Opaque to this package. */
// biome-ignore lint/suspicious/noExplicitAny: an opaque value that goes from one function of OpenTelemetry to another.
export type OtelContext = any;

/** The module `@opentelemetry/api`: `import * as api from "@opentelemetry/api"`. */
export interface OtelApi {
  /** Spans. */
  trace: {
    getTracer(name: string): OtelTracer;
    setSpan(context: OtelContext, span: never): OtelContext;
  };
  /** The context that is active in the current call. */
  context: {
    active(): OtelContext;
    with<TResult>(context: OtelContext, work: () => TResult): TResult;
  };
  /** Metrics. */
  metrics: { getMeter(name: string): OtelMeter };
}
