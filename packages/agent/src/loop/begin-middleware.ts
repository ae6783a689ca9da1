/** Begins the middleware of a run. A run without middleware loads nothing for it. */

import type { AgentRun } from "./agent-run.js";
import { pickCallSettings } from "./settings/index.js";

type Failure = { readonly error: unknown };

/**
 * Returns what a middleware threw: the run fails after its beginning was emitted. Returns a promise only if there is
 * middleware, because a run begins before `prompt` returns.
 */
export function beginMiddleware(run: AgentRun): Promise<Failure | undefined> | undefined {
  const { config, parent } = run;
  return config.middleware?.length || config.output || parent?.run.middleware.length ? begin(run) : undefined;
}

async function begin(run: AgentRun): Promise<Failure | undefined> {
  try {
    const hooks = await run.gate.wait(import("./compose-hooks.js"));
    await hooks.beginAll(run, beginMiddleware);
    run.callSettings = pickCallSettings(run.config);
    return undefined;
  } catch (error) {
    return { error };
  }
}
