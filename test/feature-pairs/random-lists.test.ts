/** Random lists of features, with overflows, refusals, aborts, deaths of processes and children: what holds for every list. */
import { limits } from "pi-agent/limits";
import { expect, test } from "vitest";
import { createSeededRandom } from "../support/seeded-random.js";
import { budget } from "../support/suite.js";
import { type Feature, isRefused } from "./feature.js";
import { FEATURES, type Play, playFeatures } from "./features.js";
import { findLoss, REFUSAL } from "./losses.js";

interface List {
  readonly features: readonly Feature[];
  readonly play: Play;
}

/** Refuses requests after a number of them. What was sent is what counts for all others. */
const refusing = (requests: number, lastResponse: boolean): Feature => ({
  name: REFUSAL,
  begin: () => ({
    attach: ({ middleware }) => void middleware.push(limits({ budget: { turns: requests }, lastResponse })),
    // The budget is that of each run, of which there are two.
    check: ({ server }) => expect(server.counted.length).toBeLessThanOrEqual(2 * requests),
  }),
});

function createList(seed: number): List {
  const random = createSeededRandom(seed);
  const pick = (length: number) => Math.floor(random() * length);
  const length = 3 + pick(4);
  const features: Feature[] = [];
  while (features.length < length) {
    const feature = FEATURES[pick(FEATURES.length)];
    if (feature && !features.includes(feature)) features.push(feature);
  }
  const host = random() < 0.5 ? "Agent" : "agentLoop";
  const parallel = random() < 0.5;
  // A call in which the process dies runs again, with all that is around it: see the test below.
  const dieAt = 1 + pick(features.some(({ name }) => name === "agentTool with steps") ? 3 : 12);
  const isDurable = features.some(({ needs }) => needs?.replay);
  const kind = pick(4);
  if (kind === 1) {
    const requests = 1 + pick(4);
    features.splice(pick(features.length), 0, refusing(requests, random() < 0.5));
    return { features, play: { host, parallel, dieAt, cut: { requests } } };
  }
  // A process that repeats a run is not aborted at the same place.
  if (kind === 2 && !isDurable) return { features, play: { host, parallel, cut: { abortAtTool: 1 + pick(2) } } };
  // The events of the loop are read later than they are emitted, so the place is certain for an agent only.
  if (kind === 3 && !isDurable && host === "Agent")
    return { features, play: { host, parallel, cut: { abortAtUpdate: 1 + pick(12) } } };
  return { features, play: { host, parallel, dieAt } };
}

/** Removes what is not needed for the list to fail. */
async function shrink({ features, play }: List): Promise<{ names: string[]; play: Play; misses: string[] }> {
  for (const [index] of features.entries()) {
    const fewer = features.toSpliced(index, 1);
    if (fewer.length > 0 && (await playFeatures(fewer, play)).length > 0) return shrink({ features: fewer, play });
  }
  return { names: features.map(({ name }) => name), play, misses: await playFeatures(features, play) };
}

test("each request is counted and traced once, each message stored and shown once, and the usage adds up", async () => {
  const failures: unknown[] = [];
  for (let seed = 1; seed <= budget({ quick: 60, all: 500 }); seed++) {
    const list = createList(seed);
    const names = list.features.map(({ name }) => name);
    if (findLoss(names, list.play.host) || isRefused(list.features)) continue;
    if ((await playFeatures(list.features, list.play)).length > 0) failures.push({ seed, ...(await shrink(list)) });
  }
  expect(failures).toEqual([]);
});

test("the agent of a call continues where a process died inside of it", async () => {
  const features = FEATURES.filter(({ name }) => ["agentTool with steps", "durable"].includes(name));
  const failures: unknown[] = [];
  for (const parallel of [false, true])
    for (let dieAt = 1; dieAt <= 16; dieAt++) {
      const misses = await playFeatures(features, { host: "Agent", parallel, dieAt });
      if (misses.length > 0) failures.push({ parallel, dieAt, misses });
    }
  expect(failures).toEqual([]);
});

test("a budget counts what was sent before it refused a request in every process, wherever the first one dies", async () => {
  const named = (name: string) => FEATURES.filter((feature) => feature.name === name);
  const failures: unknown[] = [];
  for (const requests of [1, 2, 3, 4])
    for (let dieAt = 1; dieAt <= budget({ quick: 6, all: 16 }); dieAt++) {
      const features = [...named("limits"), ...named("compact"), refusing(requests, false), ...named("durable")];
      const misses = await playFeatures(features, { host: "Agent", parallel: true, dieAt, cut: { requests } });
      if (misses.length > 0) failures.push({ requests, dieAt, misses });
    }
  expect(failures).toEqual([]);
});
