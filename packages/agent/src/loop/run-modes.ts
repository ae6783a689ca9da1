/** Runs the loop and either propagates errors or guarantees a terminal `agent_end`. */
import type { AgentMessage } from "../types/message.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse } from "./closing-message.js";
import { runTurns } from "./turn-cycle.js";

/** Runs the loop. Errors propagate to the caller, and nothing is emitted afterwards. */
export async function runToFailure(run: AgentRun, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  try {
    await runTurns(run, prompts);
    return run.newMessages;
  } finally {
    run.close();
  }
}

/**
 * Runs the loop. After an error it ends with an error message that keeps the streamed content, except after an error of
 * the engine of a durable run: the run may belong to another process now, so that error propagates.
 */
export async function runToEnd(run: AgentRun, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  try {
    await runTurns(run, prompts);
  } catch (error) {
    const failure = run.config.runSteps?.failure;
    if (failure) throw failure.error;
    const message = await closeResponse(run, error);
    await run.emit({ type: "turn_end", message, toolResults: [] });
    await run.emit({ type: "agent_end", messages: run.newMessages });
  } finally {
    run.close();
  }
  return run.newMessages;
}
