/** A feature that nothing else names works with all others. */
import { expect, test } from "vitest";
import { budget } from "../../support/suite.js";
import { type Feature, newEvents } from "../feature.js";
import { FEATURES, playFeatures } from "../features.js";
import { findLoss } from "../losses.js";
import { type TurnTime, turnTimes } from "./turn-times.js";

/** Reports each turn once. */
const feature: Feature = {
  name: "turn-times",
  begin: () => {
    const turns: TurnTime[] = [];
    return {
      attach: ({ middleware }) => void middleware.push(turnTimes((turn) => turns.push(turn))),
      check: (seen) => {
        const tokens = newEvents(seen).flatMap((event) =>
          event.type === "turn_end" && event.message.role === "assistant" ? [event.message.usage.totalTokens] : [],
        );
        expect(turns.map((turn) => turn.tokens)).toEqual(tokens);
        expect(turns.every(({ ms }) => ms >= 0)).toBe(true);
      },
    };
  },
};

test.each(["Agent", "agentLoop"] as const)(
  "it means the same beside each feature, in both orders: %s",
  async (host) => {
    for (const other of FEATURES) {
      if (findLoss([other.name], host)) continue;
      const orders = [
        [feature, other],
        [other, feature],
      ];
      for (const pair of orders.slice(0, budget({ quick: 1, all: 2 })))
        expect(await playFeatures(pair, { host }), pair.map(({ name }) => name).join(", ")).toEqual([]);
    }
  },
);
