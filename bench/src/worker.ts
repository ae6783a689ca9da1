/** One measurement in a process of its own: work, side, input and server address as arguments, one line of JSON out. */
import type { Scenario } from "./scenarios.ts";
import type { Measured, Side, Work } from "./work/measured.ts";

const WORKS: Record<Scenario["work"], () => Promise<{ run: Work }>> = {
  stream: () => import("./work/stream.ts"),
  concurrent: () => import("./work/concurrent.ts"),
  "event-stream": () => import("./work/event-stream.ts"),
  agent: () => import("./work/agent.ts"),
  "first-delta": () => import("./work/first-delta.ts"),
  import: () => import("./work/import.ts"),
  retained: () => import("./work/retained.ts"),
};

// The parent's own words.
const [work, side, input = "{}", serverUrl = ""] = process.argv.slice(2) as [Scenario["work"], Side, string, string];
const { run } = await WORKS[work]();
const value = await run(side, JSON.parse(input), serverUrl);
const measured: Measured = { value, peakMegabytes: process.resourceUsage().maxRSS / 1024 };
process.stdout.write(`${JSON.stringify(measured)}\n`, () => process.exit(0));
