/** Records a binary event stream unchanged, and replays it through the real SDK without a network. */

import { complete } from "pi-ai";
import { record, replay } from "pi-ai/testing";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { CONTEXT } from "../conformance/subject.js";
import { FaultServer } from "../fault-server/fault-server.js";
import { bedrockWire } from "../protocols/bedrock-converse-stream/fault-wire.js";
import { CALL_ENVIRONMENT } from "../support/credentials.js";
import { expectNoSecret, FaultSubject } from "./fault-subject.js";
import { callPart, responseOf, textPart } from "./fault-wire-format.js";

beforeAll(() => {
  for (const [name, value] of Object.entries(CALL_ENVIRONMENT)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
});

it("records and replays the binary event stream of Bedrock", async () => {
  const server = await FaultServer.start();
  const subject = new FaultSubject(bedrockWire, () => server);
  const parts = [textPart("Grüße, ", "wörld 🌍"), callPart("read", '{"path":', '"a.txt"}')];
  const body = subject.body(responseOf(bedrockWire, parts));
  // In pieces that split frames and characters.
  const pieces = Array.from({ length: Math.ceil(body.length / 37) }, (_, at) => body.subarray(at * 37, at * 37 + 37));
  const call = subject.call(subject.sayFrames(pieces));
  const lines: string[] = [];
  const options = { ...call.options, fetch: record({ onLine: (line) => lines.push(line) }) };
  const recorded = await complete(call.model, CONTEXT, options);
  expect(recorded.stopReason).toBe("toolUse");
  expectNoSecret(lines.join("\n"));

  await server.stop();
  const fetch = replay(lines.join("\n"));
  const played = await complete(call.model, CONTEXT, { ...call.options, fetch });
  expect({ ...played, timestamp: 0 }).toEqual({ ...recorded, timestamp: 0 });
  fetch.assertDone();
});
