/** Events of ConverseStream with random payloads. */
import fc from "fast-check";
import { anyEvent } from "../../conformance/random-events.js";

export const awsEvent: fc.Arbitrary<unknown> = fc.record({
  kind: fc.constant("event"),
  name: fc.constantFrom(
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
  ),
  payload: anyEvent,
});
