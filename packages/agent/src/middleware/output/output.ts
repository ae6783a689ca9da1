/** The typed output of a run, as middleware. */
import type { AgentMiddleware } from "../../types/middleware.js";
import type { AgentOutput } from "../../types/output.js";
import { RunOutput } from "./run-output.js";

/**
 * Makes each run end with an object that fits a schema, emitted as the event `output`. It belongs at the end of the list,
 * so that it extends the request that is sent. `initialState.output` of an agent and `output` of the loop put it there.
 */
export function output(request: AgentOutput): AgentMiddleware {
  return {
    name: "output",
    isRepeatable: true,
    begin: (run) => {
      const own = new RunOutput(run, request);
      return {
        prepareRequest: (asked) => own.extend(asked),
        wrapModelCall: (asked, send) => send(own.adapt(asked)),
        tools: (message) => own.tools(message),
        afterTurn: async ({ message, toolResults }) => {
          const step = await own.read(message, toolResults);
          if (step.type === "none") return undefined;
          if (step.type === "repair") return { messages: [step.message], demand: true };
          await run.emit({ type: "output", output: step.object });
          // The output ends the run, even if the response called other tools, too.
          return { done: true };
        },
      };
    },
  };
}
