/** One measurement in a process of its own: work, side, input and server address as arguments, one line of JSON out. */
import type { Measured, Side, Work } from "./work/measured.ts";

const [work = "", side = "", input = "{}", serverUrl = ""] = process.argv.slice(2);
const { run } = (await import(`./work/${work}.ts`)) as { run: Work }; // each file in work/ exports one
const value = await run(side as Side, JSON.parse(input), serverUrl); // the parent's own words
const measured: Measured = { value, peakMegabytes: process.resourceUsage().maxRSS / 1024 };
process.stdout.write(`${JSON.stringify(measured)}\n`, () => process.exit(0));
