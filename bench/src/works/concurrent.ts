/** Many streams at once in one process. */
import { bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import { cpuTime, type Work } from "./measured.ts";

/** Warm-up: this many streams in sequence, then this share of all streams at once. */
const WARM_UP = 300;
const PART = 1 / 4;

export const run: Work = async ({ client, input: { body, size = 0 }, serverUrl }) => {
  const stream = offered(client.stream);
  const { protocol, kind } = offered(body);
  const url = serverUrl + bodyPath(offered(body));
  const once = (): Promise<unknown> => stream({ url, protocol, kind }, () => {});
  const all = (count: number): Promise<unknown> => Promise.all(Array.from({ length: count }, once));
  for (let index = 0; index < WARM_UP; index++) await once();
  const part = Math.round(size * PART);
  await all(part);
  const before = process.resourceUsage().maxRSS;
  const value = await cpuTime(() => all(size));
  return { value, kilobytesEach: (process.resourceUsage().maxRSS - before) / (size - part) };
};
