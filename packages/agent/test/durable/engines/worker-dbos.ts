/** A worker of DBOS, as a process: `worker-dbos.ts EXECUTOR SOCKET_FOLDER LEDGER [changed]`. */

import pg from "pg";
import { dbosSteps, lockExecutor } from "pi-agent/durable/dbos";
import { loadEngine } from "../../../../../examples/durable/engines/install-engines.js";
import { dbosConfig, QUEUE } from "./dbos-config.js";
import type { Dbos } from "./sdk-types.js";
import { runStormAgent } from "./storm-agent.js";

const [, , executorID = "", folder = "", ledger = "", code] = process.argv;
const lock = new pg.Client({ host: folder, user: "test", database: "postgres" });
await lock.connect();
await lockExecutor(lock, executorID);
const { DBOS } = await loadEngine<Dbos>("@dbos-inc/dbos-sdk");
DBOS.setConfig({ ...dbosConfig(folder), executorID });
const work = () => runStormAgent(dbosSteps(DBOS), ledger, code === "changed" ? code : "same");
DBOS.registerWorkflow(work, { name: "agent", maxRecoveryAttempts: 1_000_000 });
await DBOS.launch();
await DBOS.registerQueue(QUEUE, { concurrency: 50, minPollingIntervalMs: 200 });
process.stdout.write("ready\n");
