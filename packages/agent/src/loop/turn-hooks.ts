/** Calls the hooks of the application between two turns. They are steps, which another process does not repeat. */
import type { ShouldStopAfterTurnContext } from "../types/hooks.js";
import type { FinishedTurn, TurnDecision } from "../types/middleware.js";
import { OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";

/** Calls `prepareNextTurn`, then `shouldStopAfterTurn`. Returns whether the run is over. */
export async function callTurnHooks(run: AgentRun, { message, toolResults }: FinishedTurn): Promise<boolean> {
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
