/** Evaluates the ledger. */
import { readFileSync } from "node:fs";
import type { LedgerLine } from "./booking.ts";

export interface Tally {
  finished: number;
  /** Tools that ran, and tools with an effect that ran more than once. */
  tools: number;
  toolsTwice: number;
  /** Requests, and responses that were requested again although they had been complete. */
  requests: number;
  paidTwice: number;
  /** Results that tell the model that a tool may have run. */
  unknown: number;
  /** Responses that were cut off and requested again. */
  lost: number;
  /** The state of each run, in the order of their numbers: `.` waits, `o` runs, `x` is finished. */
  runs: string;
}

export function readTally(ledger: string, runs: number): Tally {
  const text = readFileSync(ledger, "utf8");
  // A line may be half written.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return tally(
    lines.filter((line) => line !== "").map((line): LedgerLine => JSON.parse(line)),
    runs,
  );
}

function tally(lines: readonly LedgerLine[], runs: number): Tally {
  const states = new Array<string>(runs).fill(".");
  const complete = new Set<string>();
  const tools = new Map<string, number>();
  const finished = new Map<string, Extract<LedgerLine, { kind: "finished" }>>();
  let requests = 0;
  let paidTwice = 0;
  for (const line of lines) {
    const place = Number(line.run.split("-").at(-1));
    if (states[place] === ".") states[place] = "o";
    if (line.kind === "tool") tools.set(line.key, (tools.get(line.key) ?? 0) + 1);
    if (line.kind === "complete") complete.add(`${line.run} ${line.response}`);
    if (line.kind === "request") {
      requests++;
      if (complete.has(`${line.run} ${line.response}`)) paidTwice++;
    }
    if (line.kind === "finished") {
      states[place] = "x";
      finished.set(line.run, line);
    }
  }
  const ends = [...finished.values()];
  return {
    finished: finished.size,
    tools: tools.size,
    toolsTwice: [...tools].filter(([key, count]) => count > 1 && !key.startsWith("search")).length,
    requests,
    paidTwice,
    unknown: ends.reduce((sum, end) => sum + end.unknown, 0),
    lost: ends.reduce((sum, end) => sum + end.lost, 0),
    runs: states.join(""),
  };
}
