/**
 * No message that a run has finished and no message that was accepted is ever missing afterwards, whatever happens in whatever
 * order. A failure names its seed: `playChat("memory", seed)` plays it again.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { playChat } from "./play-chat.internal.js";

/** @param counts how many conversations, by the kind of store */
export function playChats(counts: Readonly<Record<string, number>>, firstSeed: number): void {
  describe("random conversations", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
    afterEach(() => void vi.useRealTimers());

    test.each(Object.entries(counts))(
      "lose nothing with a store of the kind %s (%i)",
      async (kind, count) => {
        let deaths = 0;
        let inCompaction = 0;
        let messages = 0;
        for (let seed = firstSeed; seed < firstSeed + count; seed++) {
          const played = await playChat(kind, seed);
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
