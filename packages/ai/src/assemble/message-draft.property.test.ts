import fc from "fast-check";
import { expect, it, test } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { plainModel } from "../../test/support/plain-adapter.js";
import type { AssistantBlock, AssistantMessage } from "../types/message.js";
import { createAssistantMessage, emptyUsage } from "./empty-message.js";
import { blockAt, copyMessage } from "./long-message.js";
import { MessageDraft } from "./message-draft.js";

fc.configureGlobal({ seed: 20261122, numRuns: budget({ quick: 20, all: 60 }) });

/** A snapshot, and the message that it must show: its content was copied when the snapshot was made. */
interface Shown {
  snapshot: AssistantMessage;
  expected: AssistantMessage;
}

type Step =
  | { kind: "add" }
  | { kind: "change"; place: number }
  | { kind: "fact"; value: string }
  | { kind: "usage"; output: number }
  /** Reads a snapshot that was made earlier. */
  | { kind: "read"; place: number };

const place = fc.double({ min: 0, max: 0.999, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ kind: "add" }) },
  { weight: 3, arbitrary: place.map((at): Step => ({ kind: "change", place: at })) },
  { weight: 1, arbitrary: fc.string({ maxLength: 2 }).map((value): Step => ({ kind: "fact", value })) },
  { weight: 1, arbitrary: fc.nat().map((output): Step => ({ kind: "usage", output })) },
  { weight: 2, arbitrary: place.map((at): Step => ({ kind: "read", place: at })) },
);

const text = (value: string): AssistantBlock => ({ type: "text", text: value });

function play(start: number, steps: readonly Step[]): { draft: MessageDraft; shown: Shown[] } {
  const draft = new MessageDraft(createAssistantMessage(plainModel, 0));
  let expected = createAssistantMessage(plainModel, 0);
  const put = (index: number, block: AssistantBlock): void => {
    draft.put(index, block);
    const content = expected.content.slice();
    content[index] = block;
    expected = { ...expected, content };
  };
  for (let index = 0; index < start; index++) put(index, text(`start ${index}`));
  const shown: Shown[] = [{ snapshot: draft.snapshot, expected }];
  for (const [number, next] of steps.entries()) {
    if (next.kind === "read") {
      const earlier = shown[Math.floor(next.place * shown.length)];
      expect(earlier?.snapshot.content).toEqual(earlier?.expected.content);
      continue;
    }
    if (next.kind === "add") put(expected.content.length, text(`added ${number}`));
    else if (next.kind === "change" && expected.content.length > 0)
      put(Math.floor(next.place * expected.content.length), text(`changed ${number}`));
    else if (next.kind === "fact") {
      draft.setFacts({ responseId: next.value });
      expected = { ...expected, responseId: next.value };
    } else if (next.kind === "usage") {
      const usage = { ...emptyUsage(), output: next.output };
      draft.setUsage(usage);
      expected = { ...expected, usage };
    }
    shown.push({ snapshot: draft.snapshot, expected });
  }
  return { draft, shown };
}

// Around the number of blocks from which the content is built lazily, and around the number that needs another level.
const start = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 240, max: 260 }), fc.constant(1015));

it("shows in every snapshot, whenever it is read, what a copy made at once would show", () => {
  fc.assert(
    fc.property(start, fc.array(step, { maxLength: 60, size: "max" }), (length, steps) => {
      const { draft, shown } = play(length, steps);
      for (const { snapshot, expected } of shown.toReversed()) {
        const last = expected.content.length - 1;
        expect(blockAt(snapshot, last)).toBe(expected.content[last]);
        expect(blockAt(snapshot, last + 1)).toBeUndefined();
        expect(JSON.stringify(copyMessage(snapshot))).toBe(JSON.stringify(expected));
        expect(Array.isArray(snapshot.content)).toBe(true);
        expect(structuredClone(snapshot)).toEqual(expected);
      }
      expect(draft.length).toBe(draft.snapshot.content.length);
    }),
  );
});

test("a long message can be spread, listed and frozen, and ends as plain data", () => {
  const { draft } = play(300, [{ kind: "change", place: 0.5 }]);
  const snapshot = Object.freeze(draft.snapshot);
  expect(Object.keys(snapshot)).toEqual(Object.keys(createAssistantMessage(plainModel, 0)));
  expect({ ...snapshot }.content).toHaveLength(300);
  expect(snapshot.content).toBe(snapshot.content);
  const final = draft.complete({ stopReason: "length" });
  expect(Object.getOwnPropertyDescriptor(final, "content")).toMatchObject({ value: snapshot.content, writable: true });
  expect(final.stopReason).toBe("length");
});
