/** Stands in for an engine that remembers steps, and for OpenTelemetry. */

import type { DurableSteps } from "pi-agent/durable";
import type { OtelApi } from "pi-ai/otel";

/** What the engine throws in a process that dies. */
export const DIED = "The process died";

/** An engine in memory. Each process of a run asks for its own view of the same values. */
export class MemoryEngine {
  readonly values: Map<string, string> = new Map();
  /** What people answer to approvals. */
  readonly answers: unknown;

  constructor(answers: unknown = { approved: true }) {
    this.answers = answers;
  }

  /** @param dieAt the number of stored steps at which the process dies. Default: never */
  open(runId: string, dieAt: number = Number.POSITIVE_INFINITY): DurableSteps {
    const { values } = this;
    return {
      runId,
      run: async (name, work) => {
        const key = `${runId} ${name}`;
        const known = values.get(key);
        if (known !== undefined) return JSON.parse(known);
        if (values.size >= dieAt) throw new Error(DIED);
        const value = await work();
        values.set(key, JSON.stringify(value ?? null));
        return value;
      },
      waitFor: async (name) => {
        const key = `${runId} ${name}`;
        const known = values.get(key) ?? JSON.stringify(this.answers);
        values.set(key, known);
        return JSON.parse(known);
      },
    };
  }
}

export interface RecordedSpan {
  readonly name: string;
  readonly parent: RecordedSpan | undefined;
  readonly attributes: Record<string, unknown>;
  isFailed: boolean;
  isEnded: boolean;
}

/** Records spans and metrics as `@opentelemetry/api` takes them. */
export class SpanRecorder {
  readonly spans: RecordedSpan[] = [];
  readonly metrics: { readonly name: string; readonly value: number }[] = [];

  readonly api: OtelApi = {
    trace: {
      getTracer: () => ({
        startSpan: (name, { attributes }, parent) => {
          const span: RecordedSpan = { name, parent, attributes: { ...attributes }, isFailed: false, isEnded: false };
          this.spans.push(span);
          return {
            setAttributes: (more) => Object.assign(span.attributes, more),
            addEvent: () => {},
            setStatus: () => {
              span.isFailed = true;
            },
            end: () => {
              span.isEnded = true;
            },
            span,
          };
        },
      }),
      // A span of this tracer carries its record.
      setSpan: (_context, span: { span: RecordedSpan }) => span.span,
    },
    context: { active: () => undefined, with: (_context, work) => work() },
    metrics: {
      getMeter: () => ({
        createHistogram: (name) => ({ record: (value) => void this.metrics.push({ name, value }) }),
      }),
    },
  };

  named(operation: string): RecordedSpan[] {
    return this.spans.filter(({ name }) => name.startsWith(`${operation} `) || name === operation);
  }

  sum(operation: string, attribute: string): number {
    return this.named(operation).reduce((sum, { attributes }) => sum + Number(attributes[attribute] ?? 0), 0);
  }
}
