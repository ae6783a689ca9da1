/** Begins and ends the middleware of a run. Only runs with middleware load this module. */
import type { AgentMiddleware, RunOutcome } from "../types/middleware.js";
import type { AgentRun } from "./agent-run.js";
import { beginMiddleware } from "./compose-hooks.js";

/** Puts the composed hooks of all middleware into the run. */
export async function beginAll(run: AgentRun): Promise<void> {
  const begun = beginMiddleware(run, await findMiddleware(run));
  run.middleware = { ...begun, end: (outcome) => endHooks(run, outcome) };
  if (begun.failure) throw begun.failure.error;
}

/** What the run inherits is the outermost, and its output the innermost. */
async function findMiddleware({ config, gate, parent }: AgentRun): Promise<AgentMiddleware[]> {
  const own = config.middleware ?? [];
  // The run of the parent put them there.
  const above = (parent?.run.middleware ?? []) as readonly AgentMiddleware[];
  const inherited = above.filter((one) => !own.includes(one));
  const all = [...inherited, ...own];
  if (!config.output) return all;
  const { output } = await gate.wait(import("../output/output.js"));
  return [...all, output(config.output)];
}

/** Calls the last hook of each middleware, in reverse order. The first error is thrown when all were called. */
async function endHooks(run: AgentRun, outcome: RunOutcome): Promise<void> {
  const failures: { error: unknown }[] = [];
  for (const hooks of run.middleware.all.toReversed()) {
    try {
      const ended = hooks.end?.(outcome);
      if (ended) await run.gate.waitForObserver(ended);
    } catch (error) {
      failures.push({ error });
    }
  }
  if (failures[0]) throw failures[0].error;
}
