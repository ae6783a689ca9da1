/**
 * How long each reader holds the event loop for 20,000 elements of a kind, which are about 2 MB: `npm run task longest-block`. Words
 * after `--` choose readers. More than 300 ms stand with a mark.
 */
import { delivery, relayRows, shownRows, wholeRows } from "./api-rows.js";
import { fileRows, mcpRows, pageRows, SESSION_READERS } from "./page-rows.js";
import type { GrowthRow } from "./row.js";

const COUNT = 20_000;
const BAR_MS = 300;

// As from a socket: each piece is an event of its own.
Object.assign(delivery, { piece: 65_536, wait: () => new Promise((resolve) => setImmediate(resolve)) });

/** Milliseconds between two turns of the event loop, at most. */
async function longestBlock(run: () => unknown): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const tick = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await run();
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  return longest;
}

const words = process.argv.slice(2);
const isAsked = ({ reader }: GrowthRow): boolean => words.length === 0 || words.some((word) => reader.includes(word));
const rows = [
  ...pageRows(),
  ...mcpRows(),
  ...fileRows(SESSION_READERS),
  ...wholeRows(),
  ...relayRows(),
  ...shownRows(),
];
const measured: { reader: string; what: string; ms: number }[] = [];
for (const row of rows.filter(isAsked)) {
  await (await row.prepare(2))();
  measured.push({ reader: row.reader, what: row.what, ms: await longestBlock(await row.prepare(COUNT)) });
}
const lines = measured
  .sort((one, other) => other.ms - one.ms)
  .map(({ reader, what, ms }) => `${ms > BAR_MS ? "!" : " "} ${ms.toFixed(0).padStart(7)} ms  ${reader}: ${what}\n`);
process.stdout.write(lines.join(""));
