/** Calls middleware, the application's hooks and the queues around each turn. */
import type { ShouldStopAfterTurnContext } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { FinishedTurn, TurnDecision } from "../types/middleware.js";
import type { PolledQueue } from "../types/run-steps.js";
import { isPending, isPromiseLike, OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { pickCallSettings } from "./settings/index.js";

// --- Before the first turn.

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

// --- After a turn.

const NO_DECISION: TurnDecision = {};

/** Asks all middleware, then the hooks of the application, what follows from a turn. Returns a promise only if one does. */
export function decide(run: AgentRun, turn: FinishedTurn): TurnDecision | Promise<TurnDecision> {
  const { prepareNextTurn, shouldStopAfterTurn } = run.config;
  const decided = run.middleware.afterTurn?.(turn) || NO_DECISION;
  const isOver = !(isPending(decided) || decided.update || prepareNextTurn || shouldStopAfterTurn);
  return isOver ? decided : applyDecision(run, turn, decided);
}

async function applyDecision(
  run: AgentRun,
  turn: FinishedTurn,
  decided: TurnDecision | ReturnType<NonNullable<AgentRun["middleware"]["afterTurn"]>>,
): Promise<TurnDecision> {
  const decision = (await decided) || NO_DECISION;
  if (decision.update) run.update(decision.update);
  const end = await callTurnHooks(run, turn);
  return end ? { ...decision, end } : decision;
}

/** Calls `prepareNextTurn`, then `shouldStopAfterTurn`, as steps of their own. Returns whether the run is over. */
async function callTurnHooks(run: AgentRun, { message, toolResults }: FinishedTurn): Promise<boolean> {
  const { prepareNextTurn, shouldStopAfterTurn } = run.config;
  const context = (): ShouldStopAfterTurnContext => ({
    message,
    toolResults: toolResults.slice(),
    context: run.context,
    newMessages: run.newMessages,
  });
  if (prepareNextTurn) {
    const decision = await callHook(run, "prepareNextTurn", async () => {
      const update = await prepareNextTurn(context(), run.gate.signal);
      return update ? { update } : undefined;
    });
    if (decision?.update) run.update(decision.update);
  }
  if (!shouldStopAfterTurn) return false;
  const decision = await callHook(run, "shouldStopAfterTurn", async () => ({
    end: Boolean(await shouldStopAfterTurn(context())),
  }));
  return decision?.end ?? false;
}

/** Returns undefined after an abort, because the run ends anyway. */
function callHook(
  { gate, steps }: AgentRun,
  name: string,
  call: () => Promise<TurnDecision | undefined>,
): Promise<TurnDecision | undefined> {
  return steps.decide(name, async () => {
    try {
      gate.check();
      return await gate.wait(call());
    } catch (error) {
      if (error instanceof OperationAborted) return undefined;
      throw error;
    }
  });
}

// --- Between two turns.

const NO_MESSAGES: Messages = [];
type Messages = readonly AgentMessage[];

/** Takes messages from a queue. Returns a promise only if there is something to wait for. */
export function poll({ config, gate, steps }: AgentRun, queue: PolledQueue): Messages | Promise<Messages> {
  const ask = queue === "steering" ? config.getSteeringMessages : config.getFollowUpMessages;
  return steps.poll(queue, () => {
    if (!ask || gate.aborted) return NO_MESSAGES;
    const asked = ask();
    if (!isPromiseLike(asked)) return asked ?? NO_MESSAGES;
    return Promise.resolve(gate.wait(asked)).then(
      (messages) => messages ?? NO_MESSAGES,
      (error) => (error instanceof OperationAborted ? NO_MESSAGES : Promise.reject(error)),
    );
  });
}
