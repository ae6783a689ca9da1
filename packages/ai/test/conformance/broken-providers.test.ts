/** Tests the suite itself: a provider with a single fault does not pass. */

import { type AssistantMessageEvent, stream } from "pi-ai";
import { describe, expect, it } from "vitest";
import { faux } from "../faux/faux-target.js";
import type { StreamUnderTest } from "../wire/replay.js";
import { lifetimeCases } from "./lifetime-cases.js";
import { responseCases } from "./response-cases.js";
import { type OpenStream, Subject } from "./subject.js";

type Change = (event: AssistantMessageEvent) => AssistantMessageEvent[];

/** The faux provider with its events changed on the way. */
function changing(createChange: () => Change): StreamUnderTest {
  return (model, context, options) => {
    const inner = stream(model, context, options);
    const change = createChange();
    return {
      result: () => inner.result(),
      async *[Symbol.asyncIterator]() {
        for await (const event of inner) yield* change(event);
      },
    };
  };
}

function mutatingPartial(): Change {
  let first: AssistantMessageEvent | undefined;
  return (event) => {
    first ??= event;
    if (first.type === "start" && event.type === "text_delta") Object.assign(first.partial, { stopReason: "length" });
    return [event];
  };
}

const FAULTS: readonly [fault: string, found: string, provider: StreamUnderTest][] = [
  ["drops the ends of text", "gives text", changing(() => (event) => (event.type === "text_end" ? [] : [event]))],
  ["starts twice", "gives text", changing(() => (event) => (event.type === "start" ? [event, event] : [event]))],
  ["repeats deltas", "gives text", changing(() => (event) => (event.type === "text_delta" ? [event, event] : [event]))],
  ["changes what it showed", "never changes what an event showed: text", changing(mutatingPartial)],
  [
    "ignores the signal",
    "aborts at each event",
    (model, context, { signal: _, ...options }) => stream(model, context, options),
  ],
  [
    "ignores a signal that is aborted already",
    "sends nothing if the signal is already aborted",
    (model, context, { signal: _, ...options }) => stream(model, context, options),
  ],
  [
    "leaves its listener",
    "leaves no listener on the caller's signal after a successful response",
    (model, context, options) => {
      options.signal?.addEventListener("abort", () => {});
      return stream(model, context, options);
    },
  ],
  [
    "forgets its result",
    "returns the same message to a caller that only awaits the result",
    (model, context, options): OpenStream => {
      const inner = stream(model, context, options);
      return {
        [Symbol.asyncIterator]: () => inner[Symbol.asyncIterator](),
        result: () => Promise.reject(new Error("?")),
      };
    },
  ],
];

describe("a provider that", () => {
  it.each(FAULTS)("fails if it %s", async (_fault, found, provider) => {
    const one = [...responseCases, ...lifetimeCases].find((candidate) => candidate.name === found);
    if (!one) throw new Error(`There is no case "${found}"`);
    await one.run(new Subject(faux, stream));
    await expect(one.run(new Subject(faux, provider))).rejects.toThrow();
  });
});
