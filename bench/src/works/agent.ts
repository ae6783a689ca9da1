/** The agent loop on a model in memory: a number of turns with tools, then a text. */
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

const PARALLEL = 16;
const SHORT_RUN = 10;

export const run: Work = async ({ side, client, input: { size = 0, variant } }) => {
  const [, listeners] = /^(\d+) listeners?$/.exec(variant ?? "") ?? [];
  if (listeners) {
    const runAgent = offered(client.runAgent);
    return measureCost(() => runAgent(size, Number(listeners)));
  }
  const runLoop = offered(client.runLoop);
  if (variant !== "flat") return measureCost(() => runLoop(size, variant === "parallel" ? PARALLEL : 1));
  // The same number of turns in runs of another length: the cost of a turn must not depend on the turns before it.
  const length = side === "floor" ? SHORT_RUN : size;
  return measureCost(async () => {
    for (let done = 0; done < size; done += length) await runLoop(length, 1);
  });
};
