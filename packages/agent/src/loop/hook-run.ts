/** Connects a run to its hooks. Runs without middleware load nothing for it. */
import { pickCallSettings } from "../settings/settings.js";
import type { HookRun } from "../types/hooks.js";
import type { AgentRun } from "./agent-run.js";

/**
 * Returns what a middleware threw: the run fails after its beginning was emitted. Returns a promise only if there is
 * middleware, because a run begins before `prompt` returns.
 */
export function beginHooks(run: AgentRun): Promise<Failure | undefined> | undefined {
  const { config, parent } = run;
  if (config.middleware?.length || config.output || parent?.run.middleware.length) return beginAll(run);
  addHookRun(run);
  return undefined;
}

type Failure = { readonly error: unknown };

async function beginAll(run: AgentRun): Promise<Failure | undefined> {
  try {
    const begin = await run.gate.wait(import("./begin-hooks.js"));
    await begin.beginAll(run);
    run.callSettings = pickCallSettings(run.config);
    addHookRun(run);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function addHookRun(run: AgentRun): void {
  if (run.config.transformContext || run.config.wrapModelCall) run.hookRun = createHookRun(run);
}

/** What hooks can ask of their run is rarely needed, so the first question loads the code. */
function createHookRun(run: AgentRun): HookRun {
  const load = () => import("./side-request.js");
  return {
    get model() {
      return run.config.model;
    },
    get messages() {
      return run.context.messages;
    },
    isSide: false,
    now: () => run.now(),
    prepare: async () => (await load()).prepareAgain(run),
    toLlm: async (messages) => (await load()).convertBeside(run, messages),
    request: async (request) => (await load()).sendBeside(run, request, run.config.wrapModelCall),
  };
}
