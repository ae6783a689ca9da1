/** The benchmarks: `npm run bench -- [--rounds N] [--only TEXT]`. Every measurement is a process of its own; runs are interleaved. */
import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { SCENARIOS, type Scenario, type WorkInput } from "./scenarios.ts";
import { growth, median } from "./statistics.ts";
import type { Measured, Side } from "./work/measured.ts";

const run = promisify(execFile);
const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));
const SERVER = fileURLToPath(new URL("./server.js", import.meta.url));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: "string", default: "5" }, only: { type: "string", default: "" } },
  });
  const rounds = Number(values.rounds);
  const chosen = SCENARIOS.filter((scenario) => scenario.name.includes(values.only));
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "?"}, medians of ${rounds} interleaved runs\n\n`,
  );
  row(["work", "floor", "ours", "figure", "goal", "growth"]);
  const server = fork(SERVER, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  try {
    const url = `http://127.0.0.1:${await portOf(server)}`;
    for (const scenario of chosen) await report(scenario, rounds, url);
  } finally {
    server.kill();
  }
}

async function report(scenario: Scenario, rounds: number, url: string): Promise<void> {
  const { floor, ours } = await interleave(scenario, scenario.input, rounds, url);
  const unit = scenario.figure ?? "ratio";
  const figure = unit === "ratio" ? ours / floor : scenario.work === "first-delta" ? ours - floor : ours;
  row([
    scenario.name,
    floor.toFixed(floor < 10 ? 2 : 0),
    ours.toFixed(ours < 10 ? 2 : 0),
    `${figure.toFixed(2)}${unit === "ratio" ? "x" : unit === "milliseconds" ? " ms" : " KB"}`,
    `${figure <= scenario.goal ? "ok" : "MISSED"} <= ${scenario.goal}`,
    await growthOf(scenario, ours, url),
  ]);
}

async function growthOf(scenario: Scenario, ours: number, url: string): Promise<string> {
  if (!scenario.grows || !scenario.input.size) return "";
  const { size, exponent } = scenario.grows;
  const body = scenario.input.body && { ...scenario.input.body, size };
  const larger: WorkInput = { ...scenario.input, size, ...(body ? { body } : {}) };
  const cost = median([
    await measure(scenario, "ours", larger, url),
    await measure(scenario, "ours", larger, url),
    await measure(scenario, "ours", larger, url),
  ]);
  const reached = growth({ size: scenario.input.size, cost: ours }, { size, cost });
  return `${reached <= exponent ? "ok" : "MISSED"} ${reached.toFixed(2)} <= ${exponent}`;
}

async function interleave(
  scenario: Scenario,
  input: WorkInput,
  rounds: number,
  url: string,
): Promise<Record<Side, number>> {
  const costs: Record<Side, number[]> = { floor: [], ours: [] };
  for (let round = 0; round < rounds; round++) {
    for (const side of ["floor", "ours"] as const) costs[side].push(await measure(scenario, side, input, url));
  }
  return { floor: median(costs.floor), ours: median(costs.ours) };
}

async function measure(scenario: Scenario, side: Side, input: WorkInput, url: string): Promise<number> {
  const { stdout } = await run(process.execPath, [
    "--no-warnings",
    "--expose-gc",
    WORKER,
    scenario.work,
    side,
    JSON.stringify(input),
    url,
  ]);
  return (JSON.parse(stdout) as Measured).value; // the worker's one line
}

async function portOf(server: ChildProcess): Promise<string> {
  if (!server.stdout) throw new Error("the server has no output");
  const [line] = await once(server.stdout, "data");
  return String(line).trim();
}

function row(cells: string[]): void {
  const widths = [50, 9, 9, 11, 15, 16];
  process.stdout.write(
    `${cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join(" ")
      .trimEnd()}\n`,
  );
}

await main();
