/** The span of every request ends in every row of the fault matrix, on one api for each way to frame a response. */

import { stream } from "pi-ai";
import { traceStream } from "pi-ai/otel";
import { afterAll, beforeAll, expect } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import { type RecordedSpans, recordSpans } from "../support/recorded-spans.js";
import { allWires } from "./all-wires.js";
import type { FaultSubject } from "./fault-subject.js";
import { runFaultMatrix } from "./run-fault-matrix.js";

const FRAMINGS = /^(openai-completions|bedrock-converse-stream|openai-codex-responses over a WebSocket)$/;

let spans: RecordedSpans;
beforeAll(() => {
  spans = recordSpans();
});
afterAll(async () => {
  spans.stop();
  expect(spans.started.length).toBeGreaterThan(100);
  await eventually(() => expect(spans.open).toEqual([]));
  // Each row with a fault has a failed span.
  expect(spans.ended.filter(({ failure }) => failure).length).toBeGreaterThan(50);
});

/** Traced when it is called, because the recorder exists only then. */
const send: FaultSubject["send"] = (model, context, options) =>
  traceStream(stream, { api: spans.api })(model, context, options);

for (const wire of allWires.filter(({ fixtures }) => FRAMINGS.test(fixtures.name))) runFaultMatrix(wire, send);
