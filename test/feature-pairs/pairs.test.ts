/** Every two features, in both orders, on an agent and on the loop: each one means what it means alone. */
import { afterAll, describe, expect, test } from "vitest";
import { isFullSuite } from "../support/suite.js";
import { type Feature, isRefused } from "./feature.js";
import { FEATURES, playFeatures } from "./features.js";
import { findLoss, LOSSES, type Loss, REFUSAL } from "./losses.js";
import type { HostName } from "./scene.js";

const HOSTS: readonly HostName[] = ["Agent", "agentLoop"];
const counts = { pairs: 0, scenes: 0, losses: 0, refused: 0 };
const found = new Set<Loss>();

afterAll(() => {
  const { pairs, scenes, losses, refused } = counts;
  const shown = `${FEATURES.length} features, ${pairs} pairs, ${scenes} scenes`;
  process.stdout.write(`${shown}; with a known loss: ${losses}; refused because of their order: ${refused}\n`);
});

describe.each(HOSTS)("%s", (host) => {
  test("each feature alone means what its row says", async () => {
    for (const feature of FEATURES) {
      const misses = await playFeatures([feature], { host });
      if (!findLoss([feature.name], host)) expect(misses, feature.name).toEqual([]);
    }
  });

  test.each(FEATURES.map((feature, place) => ({ name: feature.name, feature, place })))(
    "$name means the same with each later feature of the table, whichever comes first",
    async ({ feature, place }) => {
      for (const [distance, other] of FEATURES.slice(place + 1).entries()) {
        counts.pairs++;
        const orders = [
          [feature, other],
          [other, feature],
        ];
        for (const order of isFullSuite ? orders : orders.slice((place + distance) % 2).slice(0, 1))
          await expectBoth(order, host);
      }
    },
  );
});

async function expectBoth(features: readonly Feature[], host: HostName): Promise<void> {
  counts.scenes++;
  const misses = await playFeatures(features, { host });
  const names = features.map(({ name }) => name);
  if (isRefused(features)) {
    counts.refused++;
    return expect(misses.join("\n")).toMatch(/The middleware "\w+" must come before "\w+" in the list/);
  }
  const loss = findLoss(names, host);
  if (!loss) return expect(misses, names.join(", ")).toEqual([]);
  counts.losses++;
  if (misses.length > 0) found.add(loss);
}

test("each known loss is still one", () => {
  const gone = LOSSES.filter((loss) => !found.has(loss) && loss.other !== REFUSAL);
  if (isFullSuite) expect(gone).toEqual([]);
});
