import fc from "fast-check";
import { expect, it, test } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { plainModel } from "../../test/support/plain-adapter.js";
import type { AssistantBlock, AssistantMessage } from "../types/message.js";
import { createAssistantMessage, emptyUsage } from "./empty-message.js";
import { CHANGES_PER_COPY, MessageDraft, MOST_COPIED_BLOCKS } from "./message-draft.js";

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

const start = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 240, max: 1015 }));

it("shows in every snapshot, whenever it is read, what a copy made at once would show", () => {
  fc.assert(
    fc.property(start, fc.array(step, { maxLength: 60, size: "max" }), (length, steps) => {
      const { draft, shown } = play(length, steps);
      for (const { snapshot, expected } of shown.toReversed()) {
        expect(JSON.stringify(snapshot)).toBe(JSON.stringify(expected));
      }
      expect(draft.length).toBe(draft.snapshot.content.length);
    }),
  );
});

test("up to the limit each change copies the list of blocks; beyond it the snapshots of a step share one", () => {
  const draft = new MessageDraft(createAssistantMessage(plainModel, 0));
  const add = (): AssistantBlock[] => {
    draft.put(draft.length, text("x"));
    return draft.snapshot.content;
  };
  let copies = 0;
  let content = draft.snapshot.content;
  const addMany = (count: number): number => {
    copies = 0;
    for (let index = 0; index < count; index++) {
      const next = add();
      if (next !== content) copies++;
      content = next;
    }
    return copies;
  };
  expect(addMany(MOST_COPIED_BLOCKS)).toBe(MOST_COPIED_BLOCKS);
  expect(addMany(MOST_COPIED_BLOCKS)).toBe(MOST_COPIED_BLOCKS / CHANGES_PER_COPY);
  expect(draft.complete({ stopReason: "stop" }).content).toHaveLength(2 * MOST_COPIED_BLOCKS);
});
