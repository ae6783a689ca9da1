/** A worker of Restate, as a process: `worker-restate.ts PORT ADMIN_URL LEDGER [changed]`. */
import { StepMismatchError } from "pi-agent/durable";
import { killRun, restateOptions, restateSteps } from "pi-agent/durable/restate";
import { loadEngine } from "../../../../../examples/durable/engines/install-engines.js";
import type { Restate } from "./sdk-types.js";
import { runStormAgent } from "./storm-agent.js";

const [, , port, admin = "", ledger = "", code] = process.argv;
const restate = await loadEngine<Restate>("@restatedev/restate-sdk");
const agents = restate.workflow({
  name: "agents",
  options: restateOptions,
  handlers: {
    run: async (context) => {
      try {
        return await runStormAgent(restateSteps(restate, context), ledger, code === "changed" ? code : "same");
      } catch (error) {
        if (error instanceof StepMismatchError) await killRun(admin, context);
        throw error;
      }
    },
    answer: (context, { name, answer }) => context.promise(name).resolve(answer),
  },
});
await restate.serve({ port: Number(port), services: [agents] });
process.stdout.write("ready\n");
