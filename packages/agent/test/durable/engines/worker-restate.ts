/** A worker of Restate, as a process: `worker-restate.ts PORT LEDGER`. */
import { restateOptions, restateSteps } from "pi-agent/durable/restate";
import { loadEngine } from "./install-engines.js";
import type { Restate } from "./sdk-types.js";
import { runStormAgent } from "./storm-agent.js";

const [, , port, ledger = ""] = process.argv;
const restate = await loadEngine<Restate>("@restatedev/restate-sdk");
const agents = restate.workflow({
  name: "agents",
  options: restateOptions,
  handlers: {
    run: (context) => runStormAgent(restateSteps(restate, context), ledger),
    answer: (context, { name, answer }) => context.promise(name).resolve(answer),
  },
});
await restate.serve({ port: Number(port), services: [agents] });
process.stdout.write("ready\n");
