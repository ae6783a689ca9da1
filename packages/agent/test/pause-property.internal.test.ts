/** Over all orders of answers, restarts, deaths and parallel calls: approved calls run once, others never. */
import type { Message } from "pi-ai";
import { expect, test } from "vitest";
import { budget } from "../../../test/support/suite.js";
import { buildBody } from "../../ai/test/handoff/check-handoff.internal.js";
import { PARTIES } from "../../ai/test/handoff/parties.js";
import { findFaults } from "../../ai/test/validators/validators.js";
import { playConversation } from "./pause-script.js";

const CONVERSATIONS = budget({ quick: 60, all: 5000 });
const FIRST_SEED = 51_000_000;

test(
  `${CONVERSATIONS} conversations with pauses`,
  async () => {
    let deaths = 0;
    let payments = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CONVERSATIONS; seed++) {
      const faults: string[] = [];
      const party = PARTIES[seed % PARTIES.length];
      const onRequest = (messages: Message[]): void => {
        if (party) faults.push(...findFaults(party.api, buildBody(party, party.model, messages, WAY), party.model));
      };
      const played = await playConversation(seed, onRequest);
      const place = `seed ${seed}`;
      expect([...faults, ...played.faults], place).toEqual([]);
      expect(played.messages.at(-1), place).toMatchObject({ role: "assistant", stopReason: "stop" });
      for (const [n, count] of played.ran) {
        expect(played.answered.get(n), `${place}: call ${n}`).toBe(true);
        expect(count, `${place}: call ${n}`).toBe(1);
      }
      if (played.deaths === 0)
        for (const [n, approved] of played.answered)
          expect(played.ran.get(n) ?? 0, `${place}: call ${n}`).toBe(approved ? 1 : 0);
      deaths += played.deaths;
      payments += played.ran.size;
    }
    // The script plays what it should.
    expect(deaths).toBeGreaterThan(CONVERSATIONS / 10);
    expect(payments).toBeGreaterThan(CONVERSATIONS / 2);
  },
  CONVERSATIONS * 1000,
);

const WAY = { tools: [], options: {} };
