/** Every span ends in every row of the agent's fault matrix, which passes as it does without a trace. */

import { trace } from "pi-agent/otel";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type RecordedSpans, recordSpans } from "../../../ai/test/support/recorded-spans.js";
import { tracing } from "./agent-under-fault.js";

let spans: RecordedSpans;
beforeAll(() => {
  spans = recordSpans();
  tracing.attach = (agent) => {
    agent.middleware = [trace({ api: spans.api }), ...(agent.middleware ?? [])];
  };
});
afterEach(() => expect(spans.open).toEqual([]));
afterAll(() => {
  spans.stop();
  tracing.attach = undefined;
  expect(spans.ended.length).toBeGreaterThan(100);
});

await import("./agent.fault-matrix.test.js");
await import("./agent-limits.fault-matrix.test.js");
