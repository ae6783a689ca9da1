/** A run, as the steps that store it see it. */
import type { StepRun } from "../types/run-steps.js";
import type { AgentRun } from "./agent-run.js";

export function toStepRun(run: AgentRun): StepRun {
  const { options, settings, transcript, ending, sideUsage: side } = run;
  return {
    get context() {
      return transcript.context;
    },
    config: settings.config,
    tools: options.context.tools,
    middleware: run.middleware,
    parent: options.parent,
    get stop() {
      return ending.stop;
    },
    stopBecause: (stop) => ending.stopBecause(stop),
    added: transcript.fromMiddleware,
    side,
    add: (message) => transcript.addFromMiddleware(message),
    rewind: (length, records) => transcript.rewind(length, records),
    describeError: (error) => run.describeError(error),
  };
}
