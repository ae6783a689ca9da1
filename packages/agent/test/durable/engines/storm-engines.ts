/** The engines of a storm: their servers, workers and clients. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DIES_WITH_PARENT } from "../../../../../test/support/child-flags.js";
import { startPostgres } from "../../../../../test/support/database-servers.js";
import { eventually } from "../../../../../test/support/patience.js";
import type { ApprovalAnswer } from "../../../src/index.js";
import { databaseUrl, QUEUE } from "./dbos-config.js";
import { loadEngine, restateServer } from "./install-engines.js";
import type { Dbos } from "./sdk-types.js";

export interface StormEngine {
  /** How many workers live at once. */
  workers: number;
  /** Starts a worker; it prints `ready`. */
  startWorker(slot: number, code?: "same" | "changed"): ChildProcess;
  /** How the run has ended, in the words of the engine; undefined while it has not. */
  outcome(run: string): Promise<string | undefined>;
  /** Called when the first workers are ready. */
  begin(): Promise<void>;
  start(run: string): Promise<void>;
  answer(run: string, name: string, answer: ApprovalAnswer): Promise<void>;
  stop(): Promise<void>;
}

const SOURCES = resolve(import.meta.dirname, "../../../../../scripts/resolve-sources.ts");

function spawnWorker(file: string, ...words: string[]): ChildProcess {
  const flags = [...DIES_WITH_PARENT, "--import", SOURCES, join(import.meta.dirname, file), ...words];
  return spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "ignore"] });
}

export async function startDbos(ledger: string): Promise<StormEngine> {
  const postgres = await startPostgres();
  const { DBOSClient } = await loadEngine<Dbos>("@dbos-inc/dbos-sdk");
  let client: Awaited<ReturnType<typeof DBOSClient.create>> | undefined;
  return {
    workers: 2,
    startWorker: (slot, code = "same") =>
      spawnWorker("worker-dbos.ts", `worker-${slot}`, postgres.folder, ledger, code),
    outcome: async (run) => {
      const status = await client?.retrieveWorkflow(run).getStatus();
      return status?.status === "ERROR" || status?.status === "SUCCESS"
        ? String(status.error ?? status.status)
        : undefined;
    },
    begin: async () => {
      client = await DBOSClient.create({ systemDatabaseUrl: databaseUrl(postgres.folder) });
    },
    start: async (run) => {
      await client?.enqueue({ workflowName: "agent", queueName: QUEUE, workflowID: run });
    },
    answer: async (run, name, answer) => client?.send(run, answer, name),
    stop: async () => {
      await client?.destroy();
      await postgres.stop();
    },
  };
}

export async function startRestate(ledger: string): Promise<StormEngine> {
  const [ingress, admin, node, worker] = await freePorts(4);
  const folder = mkdtempSync(join(tmpdir(), "restate-"));
  const server = spawnServer(folder, {
    RESTATE_BASE_DIR: folder,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_LOG_FILTER: "error",
  });
  const url = `http://127.0.0.1:${ingress}/agents`;
  const adminUrl = `http://127.0.0.1:${admin}`;
  await eventually(async () => {
    const [one, other] = await Promise.all([
      fetch(`${adminUrl}/health`),
      fetch(`http://127.0.0.1:${ingress}/restate/health`),
    ]);
    if (!(one.ok && other.ok)) throw new Error("Restate has not started");
  });
  return {
    workers: 1,
    startWorker: (_slot, code = "same") => spawnWorker("worker-restate.ts", String(worker), adminUrl, ledger, code),
    outcome: async (run) => {
      const response = await fetch(`http://127.0.0.1:${ingress}/restate/workflow/agents/${run}/output`);
      // 470: the workflow has not ended.
      return response.status === 470 ? undefined : response.text();
    },
    begin: () => post(`${adminUrl}/deployments`, { uri: `http://127.0.0.1:${worker}` }),
    start: (run) => post(`${url}/${run}/run/send`, {}),
    answer: (run, name, answer) => post(`${url}/${run}/answer/send`, { name, answer }),
    stop: async () => {
      server.kill("SIGTERM");
      await once(server, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the server when the test dies, which it does not do by itself. */
const KEEPER = `
  const server = require("node:child_process").spawn(process.argv[1], [], { stdio: "ignore" });
  server.once("exit", () => process.exit());
  process.once("exit", () => server.kill("SIGKILL"));
  process.on("SIGTERM", () => process.exit());
`;

function spawnServer(folder: string, environment: Record<string, string>): ChildProcess {
  const flags = [...DIES_WITH_PARENT, "-e", KEEPER, "--", restateServer()];
  const env = { PATH: "/usr/bin:/bin", HOME: folder, ...environment };
  return spawn(process.execPath, flags, { cwd: folder, env, stdio: "ignore" });
}

async function post(url: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address ? address.port : 0;
  });
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, "close")));
  return ports;
}
