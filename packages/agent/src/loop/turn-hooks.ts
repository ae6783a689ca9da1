/** What follows from a turn: the decisions of middleware, then the application's hooks between two turns. */
import type { ShouldStopAfterTurnContext } from "../types/hooks.js";
import type { FinishedTurn, TurnDecision } from "../types/middleware.js";
import { isPending, OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";

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
