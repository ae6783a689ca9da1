/**
 * No message that a run has finished and no message that was accepted is ever missing afterwards, whatever happens in whatever
 * order. A failure names its seed: `playChat("memory", seed)` plays it again.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DISKS, type Disks } from "./disks.internal.js";
import { playChat } from "./play-chat.internal.js";

/** @param counts how many conversations, by the kind of store */
export function playChats(counts: Readonly<Record<string, number>>, firstSeed: number, disks: Disks = DISKS): void {
  describe("random conversations", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
    afterEach(() => void vi.useRealTimers());

    test.each(partsOf(counts))(
      "lose nothing with a store of the kind %s (%i from %i on)",
      async (kind, count, first) => {
        let deaths = 0;
        let inCompaction = 0;
        let messages = 0;
        for (let seed = firstSeed + first; seed < firstSeed + first + count; seed++) {
          const played = await playChat(kind, seed, disks);
          expect(played.faults, `seed ${seed}`).toEqual([]);
          deaths += played.deaths;
          inCompaction += played.inCompaction;
          messages += played.messages;
        }
        // The conversations are what they should be.
        expect(deaths).toBeGreaterThan(count / 3);
        expect(messages).toBeGreaterThan(count * 5);
        if (count > 100) expect(inCompaction).toBeGreaterThan(0);
      },
      600_000,
    );
  });
}

/** A limit of time is for so many conversations, on a machine under any load. */
const PART = 250;

function partsOf(counts: Readonly<Record<string, number>>): [kind: string, count: number, first: number][] {
  return Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: Math.ceil(count / PART) }, (_, part): [string, number, number] => {
      const first = part * PART;
      return [kind, Math.min(PART, count - first), first];
    }),
  );
}
