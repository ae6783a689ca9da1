/** The engines of a storm: their servers, workers and clients. */
import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import type { ApprovalAnswer } from "pi-agent";
import { loadEngine } from "../../../../../examples/durable/engines/install-engines.js";
import { freePorts, startRestateServer } from "../../../../../examples/durable/engines/start-restate.js";
import { DIES_WITH_PARENT } from "../../../../../test/support/child-flags.js";
import { startPostgres } from "../../../../../test/support/database-servers.js";
import { databaseUrl, QUEUE } from "./dbos-config.js";
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
  const { ingressUrl, adminUrl, stop } = await startRestateServer();
  const [worker] = await freePorts(1);
  const url = `${ingressUrl}/agents`;
  return {
    workers: 1,
    startWorker: (_slot, code = "same") => spawnWorker("worker-restate.ts", String(worker), adminUrl, ledger, code),
    outcome: async (run) => {
      const response = await fetch(`${ingressUrl}/restate/workflow/agents/${run}/output`);
      // 470: the workflow has not ended.
      return response.status === 470 ? undefined : response.text();
    },
    begin: () => post(`${adminUrl}/deployments`, { uri: `http://127.0.0.1:${worker}` }),
    start: (run) => post(`${url}/${run}/run/send`, {}),
    answer: (run, name, answer) => post(`${url}/${run}/answer/send`, { name, answer }),
    stop,
  };
}

async function post(url: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}
