/**
 * Three workers behind a load balancer, Restate behind them, and many runs at once, while workers are killed at random.
 * A page shows the runs, the kills and the ledger.
 *
 *   npm run durable                    200 runs; the page stays until you end the program
 *   npm run durable -- --once 40       40 runs; prints the result and ends
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { printHelpIfAsked } from "../../../scripts/help.ts";
import { installEngines } from "../engines/install-engines.ts";
import { freePorts, startRestateServer } from "../engines/start-restate.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { readTally, type Tally } from "./tally.ts";

printHelpIfAsked(import.meta.filename);

const WORKERS = 3;
/** How often a worker is killed, in milliseconds. */
const KILL_EVERY = 700;
const ROOT = join(import.meta.dirname, "../../..");
const words = process.argv.slice(2);
const isOnce = words.includes("--once");
const runs = Number(words.find((word) => /^\d+$/.test(word)) ?? 200);

const problem = await installEngines();
if (problem) throw new Error(problem);
const folder = mkdtempSync(join(tmpdir(), "durable-"));
const ledger = join(folder, "ledger.jsonl");
writeFileSync(ledger, "");
const restate = await startRestateServer();
const ports = await freePorts(WORKERS);
const children = new Map<number, ChildProcess>();
const balancer = await startLoadBalancer(ports);
let kills = 0;
let isOver = false;

for (const port of ports) startWorker(port);
await register();
await Promise.all(Array.from({ length: runs }, (_, run) => post(`${restate.ingressUrl}/bookings/run-${run}/run/send`)));
const page = createServer((request, response) => {
  if (request.url === "/") response.setHeader("content-type", "text/html; charset=utf-8").end(readPage());
  else if (request.url === "/state")
    response.setHeader("content-type", "application/json").end(JSON.stringify(state()));
  else response.writeHead(404).end();
}).listen(Number(process.env["PORT"] ?? 0), "127.0.0.1");
await once(page, "listening");
// A server that listens on a port has an address of this shape.
console.log(`${runs} runs at http://127.0.0.1:${(page.address() as AddressInfo).port}`);
await killUntilFinished();
console.log(summary());
if (isOnce) await stop();
process.once("SIGINT", stop);

/** Starts a worker, and starts it again each time it dies. */
function startWorker(port: number): void {
  const preloads = ["scripts/resolve-sources.ts", "test/support/dies-with-parent.js"].flatMap((file) => [
    "--import",
    join(ROOT, file),
  ]);
  const flags = ["--no-warnings", ...preloads, join(import.meta.dirname, "worker.ts"), String(port), ledger];
  const child = spawn(process.execPath, flags, { stdio: "ignore" });
  children.set(port, child);
  child.once("exit", () => {
    if (!isOver) startWorker(port);
  });
}

/** Tells Restate where the workers are, as soon as one of them is up. */
async function register(): Promise<void> {
  for (;;) {
    const body = { uri: `http://127.0.0.1:${balancer.port}`, force: true };
    const isDone = await post(`${restate.adminUrl}/deployments`, body).catch(() => false);
    if (isDone) return;
    await wait(200);
  }
}

async function killUntilFinished(): Promise<void> {
  while (readTally(ledger, runs).finished < runs) {
    await wait(KILL_EVERY * (0.5 + Math.random()));
    const child = children.get(ports[Math.floor(Math.random() * ports.length)] ?? 0);
    if (child?.kill("SIGKILL")) kills++;
  }
}

function state(): Tally & { kills: number; total: number } {
  return { ...readTally(ledger, runs), kills, total: runs };
}

function summary(): string {
  const { finished, toolsTwice, paidTwice, tools, requests, unknown, lost } = state();
  return [
    `${finished} of ${runs} runs finished through ${kills} kills`,
    `${tools} tools ran, ${toolsTwice} of them twice; ${unknown} results say that the tool may have run`,
    `${requests} requests; ${lost} responses were cut off and requested again, ${paidTwice} complete ones paid twice`,
  ].join("\n");
}

function readPage(): string {
  return readFileSync(join(import.meta.dirname, "page.html"), "utf8");
}

async function post(url: string, body: unknown = {}): Promise<boolean> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  await response.text();
  return response.ok;
}

async function stop(): Promise<void> {
  isOver = true;
  page.close();
  balancer.server.close();
  for (const child of children.values()) child.kill("SIGKILL");
  await restate.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}
