/** Many agents at once in one process, each with requests over HTTP. */
import { type BodyRequest, bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import { cpuTime, type Work } from "./measured.ts";

/** Tool calls of each agent; a text follows them. */
const TURNS = 4;
const ARGUMENTS_SIZE = 200;
const TEXT_DELTAS = 20;
/** Warm-up: this many agents in sequence, then this share of all agents at once. */
const WARM_UP = 60;
const PART = 1 / 4;

export const run: Work = async ({ client, input: { size = 0 }, serverUrl }) => {
  const runHttpAgent = offered(client.runHttpAgent);
  const base: Omit<BodyRequest, "kind" | "size"> = { protocol: "anthropic-messages", piece: 16 };
  const toolUrl = serverUrl + bodyPath({ ...base, kind: "arguments", size: ARGUMENTS_SIZE });
  const textUrl = serverUrl + bodyPath({ ...base, kind: "text", size: TEXT_DELTAS });
  const once = (): Promise<void> => runHttpAgent({ turns: TURNS, toolUrl, textUrl });
  const all = (count: number): Promise<unknown> => Promise.all(Array.from({ length: count }, once));
  for (let index = 0; index < WARM_UP; index++) await once();
  const part = Math.round(size * PART);
  await all(part);
  const before = process.resourceUsage().maxRSS;
  const started = performance.now();
  const value = await cpuTime(() => all(size));
  const elapsed = performance.now() - started;
  return { value, elapsed, kilobytesEach: (process.resourceUsage().maxRSS - before) / (size - part) };
};
