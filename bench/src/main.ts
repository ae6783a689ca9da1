/** The benchmarks. Every measurement runs in a separate process; runs are interleaved. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { describeResult, HEAD } from "./console-report.ts";
import { type InstalledPeer, installPeer } from "./install-peer.ts";
import { PEERS } from "./peers.ts";
import { runScenario, type ScenarioResult } from "./run-scenario.ts";
import { SCENARIOS } from "./scenarios.ts";
import { columnsOf, describeMachine, writePage } from "./write-page.ts";

const SERVER = fileURLToPath(new URL("./server.js", import.meta.url));

const USAGE = `npm run bench -- [options]

  --quick      one round, without growth
  --peers      also measures the other libraries, and writes docs/performance.md and its tables
  --fresh      installs the newest versions of the other libraries
  --rounds N   the number of interleaved rounds
  --only TEXT  only rows whose name holds this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      fresh: { type: "boolean", default: false },
      rounds: { type: "string" },
      only: { type: "string", default: "" },
    },
  });
  if (values.help) return say(USAGE);
  const rounds = Number(values.rounds ?? defaultRounds(values));
  const peers = values.peers ? await installPeers(values.fresh) : [];
  const chosen = SCENARIOS.filter((scenario) => scenario.name.includes(values.only));
  say(`${describeMachine()}; medians of ${rounds} interleaved runs\n`);
  const server = fork(SERVER, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  try {
    const serverUrl = `http://127.0.0.1:${await portOf(server)}`;
    const options = { rounds, growth: !values.quick, serverUrl, peers };
    const results: ScenarioResult[] = [];
    const columns = columnsOf(peers).slice(2); // the floor and ours share the line
    say(HEAD);
    for (const scenario of chosen) {
      const result = await runScenario(scenario, options);
      results.push(result);
      say(describeResult(result, columns));
    }
    if (values.peers && values.only === "") say(`\nwrote ${await writePage(results, peers, rounds)}`);
  } finally {
    server.kill();
  }
}

/** The number of rounds that fit in two minutes, or in eight minutes with the peers. */
function defaultRounds({ quick, peers }: { quick: boolean; peers: boolean }): number {
  if (quick) return 1;
  return peers ? 5 : 2;
}

async function installPeers(fresh: boolean): Promise<InstalledPeer[]> {
  const installed: InstalledPeer[] = [];
  for (const peer of PEERS) {
    const result = await installPeer(peer, fresh);
    if ("reason" in result) say(`left out: ${peer.label}, which cannot be installed: ${result.reason}`);
    else installed.push(result);
  }
  for (const { versions } of installed)
    say(
      Object.entries(versions)
        .map((pair) => pair.join(" "))
        .join(", "),
    );
  return installed;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function portOf(server: ChildProcess): Promise<string> {
  if (!server.stdout) throw new Error("the server has no output");
  const [line] = await once(server.stdout, "data");
  return String(line).trim();
}

await main();
