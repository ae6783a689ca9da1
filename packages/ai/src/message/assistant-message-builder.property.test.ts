import fc from "fast-check";
import type { AssistantMessage, AssistantMessageEvent, StopReason } from "pi-ai";
import type { BlockStart } from "pi-ai/adapter";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { describe, expect, it } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { checkEvents } from "../../test/support/check-events.js";
import { builderModel as model } from "../../test/support/play-builder.js";

fc.configureGlobal({ seed: 20261121, numRuns: budget({ quick: 100, all: 300 }) });

type Operation = (builder: AssistantMessageBuilder) => void;

const key = fc.constantFrom("text", "thinking", 0, 1, "call");
const text = fc.constantFrom("", "a", "bc", '{"x":', "1}", "\ud83c", "\udf0d", "[", "null");
const maybe = fc.option(text, { nil: undefined });
const start: fc.Arbitrary<BlockStart> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), textSignature: maybe }),
  fc.record({ type: fc.constant("thinking" as const), thinkingSignature: maybe, redacted: fc.boolean() }),
  fc.record({
    type: fc.constant("toolCall" as const),
    id: maybe,
    name: maybe,
    arguments: fc.constantFrom(undefined, null, {}, { x: 1 }, [1], 7, "text", '{"y":2}'),
  }),
);
const reason = fc.constantFrom<StopReason>("stop", "length", "toolUse", "error", "aborted");
const count = fc.option(fc.nat(), { nil: undefined });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(key, start).map(
    ([at, block]): Operation =>
      (builder) =>
        builder.open(at, block),
  ),
  fc.tuple(key, start).map(
    ([at, block]): Operation =>
      (builder) =>
        builder.ensure(at, block),
  ),
  fc.tuple(key, text).map(
    ([at, delta]): Operation =>
      (builder) =>
        builder.append(at, delta),
  ),
  fc.tuple(key, text).map(
    ([at, delta]): Operation =>
      (builder) =>
        builder.append(at, delta),
  ),
  fc.tuple(key, maybe).map(
    ([at, final]): Operation =>
      (builder) =>
        builder.close(at, final),
  ),
  fc.tuple(key, maybe, maybe).map(
    ([at, id, signature]): Operation =>
      (builder) =>
        builder.patch(at, { id, name: id, thinkingSignature: signature, thoughtSignature: signature }),
  ),
  fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }).map(
    (counts): Operation =>
      (builder) =>
        builder.usage(counts),
  ),
  maybe.map(
    (responseId): Operation =>
      (builder) =>
        builder.response({ responseId, responseModel: responseId }),
  ),
  fc.constant<Operation>((builder) => builder.note("refusal")),
  reason.map(
    (why): Operation =>
      (builder) =>
        builder.stop(why, "why"),
  ),
);

const sequence = fc.array(operation, { maxLength: 40, size: "max" });

interface Play {
  events: AssistantMessageEvent[];
  /** Each event as it was when it was emitted, without the arguments of open tool calls. */
  looks: string[];
}

function play(operations: readonly Operation[], end: "finish" | "fail"): Play {
  const events: AssistantMessageEvent[] = [];
  const looks: string[] = [];
  const builder = new AssistantMessageBuilder({
    model,
    timestamp: 0,
    emit: (event) => {
      events.push(event);
      looks.push(look(event));
    },
  });
  for (const operate of operations) operate(builder);
  if (end === "finish") builder.finish();
  else builder.fail({ reason: "error", errorMessage: "broken", error: { kind: "network" } });
  return { events, looks };
}

/** An event as text, without the arguments of streaming tool calls, which are live. */
function look(event: AssistantMessageEvent): string {
  return JSON.stringify(event, function (this: object, name, value) {
    if (name !== "arguments") return value;
    return Object.getOwnPropertyDescriptor(this, "arguments")?.get ? undefined : value;
  });
}

describe("AssistantMessageBuilder, for any sequence of operations", () => {
  it.each(["finish", "fail"] as const)("emits a valid sequence of events that never change: %s", (end) => {
    fc.assert(
      fc.property(sequence, (operations) => {
        const { events, looks } = play(operations, end);
        checkEvents(events);
        expect(events.map(look)).toEqual(looks);
      }),
    );
  });

  it("never changes what it has emitted: everything may be frozen at once", () => {
    fc.assert(
      fc.property(sequence, (operations) => {
        const builder = new AssistantMessageBuilder({ model, timestamp: 0, emit: (event) => freeze(event) });
        for (const operate of operations) operate(builder);
        builder.finish();
      }),
    );
  });

  it("keeps token counts disjoint and their total exact", () => {
    fc.assert(
      fc.property(sequence, (operations) => {
        const { usage } = finalOf(play(operations, "fail").events);
        expect(usage.totalTokens).toBe(usage.input + usage.output + usage.cacheRead + usage.cacheWrite);
        expect(usage.cost.total).toBeCloseTo(
          (usage.input + 2 * usage.output + 3 * usage.cacheRead + 4 * usage.cacheWrite) / 1e6,
          6,
        );
      }),
    );
  });
});

function finalOf(events: readonly AssistantMessageEvent[]): AssistantMessage {
  const last = events.at(-1);
  if (last?.type === "done") return last.message;
  if (last?.type === "error") return last.error;
  throw new Error("No terminal event");
}

function freeze(value: object): void {
  Object.freeze(value);
  for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(value)))
    if (typeof inner === "object" && inner !== null && !Object.isFrozen(inner)) freeze(inner);
}
