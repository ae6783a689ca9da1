/** Prints what many agents at once in one process need, beside other libraries, and writes it into docs/production.md. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installPeer } from "./install-peer.ts";
import { type ClientName, PEERS } from "./peers.ts";
import { runProcess } from "./run-process.ts";
import type { Measured } from "./works/measured.ts";
import { describeMachine } from "./write-page.ts";

const SERVER = fileURLToPath(new URL("./server.js", import.meta.url));
const PAGE = fileURLToPath(new URL("../../docs/production.md", import.meta.url));
const SIZES = [40, 1000];
/** The limit of one measurement: the slowest library needs a third of it on a busy machine. */
const PATIENCE_SECONDS = 120;
const OTHERS: readonly ClientName[] = ["pi", "pi-0", "ai-sdk"];
const USAGE = `npm run task bench:agents -- [options]

  --rounds N   the number of interleaved rounds, 3 by default
  --write      writes the table into docs/production.md`;

interface Side {
  client: ClientName;
  label: string;
  loader?: string;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { help: { type: "boolean" }, write: { type: "boolean" }, rounds: { type: "string", default: "3" } },
  });
  if (values.help) return say(USAGE);
  const sides = await listSides();
  const server = fork(SERVER, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  try {
    const [line] = server.stdout ? await once(server.stdout, "data") : [];
    const serverUrl = `http://127.0.0.1:${String(line).trim()}`;
    const rounds = Number(values.rounds);
    const table = await measure(sides, { serverUrl, rounds });
    const text = `${describeMachine()}; medians of ${rounds} interleaved runs.\n\n${table}`;
    say(text);
    if (values.write) await writeTable(text);
  } finally {
    server.kill();
  }
}

async function listSides(): Promise<Side[]> {
  const sides: Side[] = [{ client: "ours", label: "ours" }];
  for (const peer of PEERS.filter(({ name }) => OTHERS.includes(name))) {
    const installed = await installPeer(peer, false);
    if ("reason" in installed) say(`left out: ${peer.label}, which cannot be installed: ${installed.reason}`);
    else
      sides.push({
        client: peer.name,
        label: `${peer.label} ${installed.versions[peer.versionOf ?? ""] ?? ""}`.trim(),
        loader: installed.loader,
      });
  }
  return sides;
}

async function measure(sides: readonly Side[], run: { serverUrl: string; rounds: number }): Promise<string> {
  const rows: string[] = [];
  for (const size of SIZES) {
    const figures = new Map<Side, Measured[]>(sides.map((side) => [side, []]));
    for (let round = 0; round < run.rounds; round++) {
      for (const side of sides) figures.get(side)?.push(await measureOnce(side, size, run.serverUrl));
    }
    const row = (name: string, pick: (measured: Measured) => number): string =>
      `| ${size.toLocaleString("en")} agents, ${name} | ${sides.map((side) => format(median((figures.get(side) ?? []).map(pick)))).join(" | ")} |`;
    rows.push(
      row("elapsed, ms", ({ elapsed = Number.NaN }) => elapsed),
      row("processor, ms", ({ value }) => value),
      row("peak memory of the process, MB", ({ peakMegabytes }) => peakMegabytes),
      row("more memory for each agent, KB", ({ kilobytesEach = Number.NaN }) => kilobytesEach),
    );
  }
  const head = sides.map(({ label }) => label).join(" | ");
  return [`| | ${head} |`, `| --- |${" --- |".repeat(sides.length)}`, ...rows].join("\n");
}

async function measureOnce({ client, loader, label }: Side, size: number, serverUrl: string): Promise<Measured> {
  const order = {
    work: "agents",
    side: client,
    client,
    input: { size },
    serverUrl,
    ...(loader ? { loader } : {}),
  } as const;
  const result = await runProcess(order, PATIENCE_SECONDS);
  if ("reason" in result) throw new Error(`${label}, ${size} agents: ${result.reason}`);
  return result.measured;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function format(value: number): string {
  return value < 100 ? value.toPrecision(2) : Math.round(value).toLocaleString("en");
}

async function writeTable(text: string): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  const marks = /(<!-- measured: npm run task bench:agents -->\n\n).*?(\n\n<!-- end -->)/s;
  await writeFile(
    PAGE,
    page.replace(marks, (_, start: string, end: string) => `${start}${text}${end}`),
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main();
