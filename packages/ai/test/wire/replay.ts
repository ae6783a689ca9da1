/** Replays one recording in every way of sending, and judges each. */

import type { Context, Model, ProviderStreamOptions } from "pi-ai";
import { sample } from "../../../../test/support/suite.js";
import { type ObservableStream, observe } from "../support/observe.js";
import type { TestServer } from "../support/test-server.js";
import { type Allowed, allowedResponse } from "./allowed.js";
import { contextFor, modelFor, optionsFor } from "./call.js";
import { type Delivery, errorDelivery, streamDeliveries } from "./delivery.js";
import type { Recording } from "./recordings.js";
import { judge, type Violation } from "./rules.js";

export type StreamUnderTest = (model: Model, context: Context, options: ProviderStreamOptions) => ObservableStream;

/** A broken rule, and the way of sending that broke it. */
export interface Finding extends Violation {
  way: string;
}

export interface Replayed {
  /** The ways of sending that were tried. */
  ways: string[];
  findings: Finding[];
}

export async function replay(recording: Recording, stream: StreamUnderTest, server: TestServer): Promise<Replayed> {
  const isStream = recording.kind === "stream";
  // Whole and in random pieces; the full suite sends each recording in every way.
  const deliveries = isStream ? sample(streamDeliveries(recording), 3) : [errorDelivery(recording)];
  const allowed = isStream ? allowedResponse(recording) : undefined;
  const findings: Finding[] = [];
  for (const delivery of deliveries) {
    const violations = await replayOnce({ recording, delivery, allowed, stream, server });
    for (const violation of violations) findings.push({ ...violation, way: delivery.way });
  }
  return { ways: deliveries.map(({ way }) => way), findings };
}

interface Replay {
  recording: Recording;
  delivery: Delivery;
  allowed: Allowed | undefined;
  stream: StreamUnderTest;
  server: TestServer;
}

async function replayOnce({ recording, delivery, allowed, stream, server }: Replay): Promise<Violation[]> {
  const exchange = server.expect(delivery.response);
  const model = modelFor(recording, exchange.url);
  const seen = await observe(() => stream(model, contextFor(recording), optionsFor(recording)), exchange.served);
  return judge({
    seen,
    requests: exchange.requests.length,
    ...(allowed ? { allowed } : {}),
    ...(recording.kind === "error" ? { error: recording.facts } : {}),
  });
}
