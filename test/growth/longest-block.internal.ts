/**
 * How long each reader holds the event loop for 2 MB of one kind of element: `npm run task longest-block`. Words after `--` choose
 * readers. More than 300 ms stand with a mark. They are of the thread's own time: other processes do not change them.
 */
import { apiRows, delivery, relayClientRows, relayRows, shownRows } from "./api-rows.js";
import { argumentRows } from "./argument-rows.js";
import { FILE_READERS, fileRows, mcpRows, pageRows } from "./page-rows.internal.js";
import { requestRows } from "./request-rows.js";
import type { GrowthRow } from "./row.js";

const BYTES = 2_000_000;
const BAR_MS = 300;

// As from a socket: each piece is an event of its own.
Object.assign(delivery, { piece: 65_536, wait: () => new Promise((resolve) => setImmediate(resolve)) });

/** Milliseconds that this thread has worked. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of work between two turns of the event loop, at most. */
async function longestBlock(run: () => unknown): Promise<number> {
  let longest = 0;
  let last = workedMs();
  let isOver = false;
  const tick = (): void => {
    const now = workedMs();
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
const isAsked = ({ reader, what }: GrowthRow): boolean =>
  words.length === 0 || words.some((word) => `${reader}: ${what}`.includes(word));
const rows = [
  ...pageRows(),
  ...mcpRows(),
  ...fileRows(FILE_READERS),
  ...requestRows(),
  ...apiRows(),
  ...relayRows(),
  ...(await relayClientRows()),
  ...shownRows(),
  ...argumentRows(),
];
const measured: { reader: string; what: string; ms: number }[] = [];
for (const row of rows.filter(isAsked)) {
  await (await row.prepare(2))();
  measured.push({
    reader: row.reader,
    what: row.what,
    ms: await longestBlock(await row.prepare(Math.ceil(BYTES / (row.bytes || 100)))),
  });
}
const lines = measured
  .sort((one, other) => other.ms - one.ms)
  .map(({ reader, what, ms }) => `${ms > BAR_MS ? "!" : " "} ${ms.toFixed(0).padStart(7)} ms  ${reader}: ${what}\n`);
process.stdout.write(lines.join(""));
