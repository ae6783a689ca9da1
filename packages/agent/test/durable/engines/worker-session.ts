/** A run whose steps are in a file, as a process: `worker-session.ts FILE LEDGER`. */
import { sessionSteps } from "pi-agent/durable/session";
import { runStormAgent } from "./storm-agent.js";

const [, , file = "", ledger = ""] = process.argv;
const steps = await sessionSteps(file, { runId: "run-0" });
await runStormAgent(steps, ledger);
await steps.close();
