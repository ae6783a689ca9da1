/** Writes the results into docs/performance.md, the page of its tables and its picture, between their markers. */
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InstalledPeer } from "./install-peer.ts";
import { buildParserTables, buildSummary, buildTables, type Column } from "./page.ts";
import type { ClientName } from "./peers.ts";
import { describeSummary, drawPicture } from "./picture.ts";
import { runProcess } from "./run-process.ts";
import { chooseParticipants, createOrder, type ScenarioResult } from "./run-scenario.ts";
import { replaceBetween } from "./table.ts";

const PAGE = fileURLToPath(new URL("../../docs/performance.md", import.meta.url));

export async function writePage(
  results: readonly ScenarioResult[],
  peers: readonly InstalledPeer[],
  rounds: number,
  path: string = PAGE,
): Promise<string> {
  const general = columnsOf(peers.filter(({ peer }) => !peer.parser));
  const parsers = peers.filter(({ peer }) => peer.parser);
  const checks = await checkParsers(results, parsers);
  const summary = buildSummary(results, general);
  await writeParts(path, {
    lines: describeSummary(summary),
    summary,
    parsers: buildParserTables(results, checks, columnsOf(parsers)),
  });
  await writeParts(path.replace(/\.md$/, "-tables.md"), {
    conditions: describeConditions(peers, rounds),
    tables: buildTables(results, general),
  });
  await writeFile(join(dirname(path), "images/performance.svg"), drawPicture(summary));
  return "docs/performance.md";
}

/** Replaces the parts of a page, by the names of their markers. */
async function writeParts(path: string, parts: Readonly<Record<string, string>>): Promise<void> {
  const page = await readFile(path, "utf8");
  const text = Object.entries(parts).reduce(
    (whole, [name, part]) => replaceBetween(whole, `<!-- measured: ${name} -->`, "<!-- end -->", part),
    page,
  );
  await writeFile(path, text);
}

export function columnsOf(peers: readonly InstalledPeer[]): Column[] {
  const heads = peers.map(({ peer, versions }) => {
    const version = peer.versionOf === undefined ? undefined : versions[peer.versionOf];
    return { name: peer.name, head: version === undefined ? peer.label : `${peer.label} ${version}` };
  });
  return [{ name: "floor", head: "floor" }, { name: "ours", head: "ours" }, ...heads];
}

export function describeMachine(): string {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  return `Node ${process.version} on ${process.platform} ${process.arch}, ${cpus().length} x ${processor?.model.trim() ?? "unknown"}, ${gigabytes} GB`;
}

function describeConditions(peers: readonly InstalledPeer[], rounds: number): string {
  const date = new Date().toISOString().slice(0, 10);
  const versions = peers.map(({ peer, versions: all, standIns }) => {
    const list = Object.entries(all).map(([name, version]) => `\`${name}\` ${version}`);
    const missing = standIns.map((name) => `\`${name}\``).join(" and ");
    const lower = missing
      ? `; ${missing} were not published and are replaced by stand-ins that do nothing, so the figures are lower bounds`
      : "";
    return `- ${peer.label}: ${list.join(", ")}${lower}`;
  });
  return [
    `Measured on ${date} with ${describeMachine()}; medians of ${rounds} interleaved runs, 2 for the others.`,
    versions.join("\n"),
  ].join("\n\n");
}

/** Independent of the machine's load; one run is enough. */
async function checkParsers(
  results: readonly ScenarioResult[],
  parsers: readonly InstalledPeer[],
): Promise<Map<ClientName, Record<string, boolean>>> {
  const checks = new Map<ClientName, Record<string, boolean>>();
  const scenario = results.find((result) => result.scenario.only === "parsers")?.scenario;
  if (!scenario) return checks;
  for (const participant of chooseParticipants(scenario, parsers)) {
    const response = await runProcess(createOrder("exactness", participant, scenario.input, ""));
    if ("measured" in response && response.measured.checks) checks.set(participant.name, response.measured.checks);
  }
  return checks;
}
