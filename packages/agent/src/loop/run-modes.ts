/**
 * Runs the loop and either propagates errors or guarantees a terminal `agent_end`. The first run loads this file with all that
 * only runs need: see `load-runs.ts`.
 */
import type { AgentMessage } from "../types/message.js";
import { AgentRun } from "./agent-run.js";
import { closeResponse } from "./assistant-turn.js";
import { runTurns } from "./turn-cycle.js";

export { AgentRun };

/** Runs the loop. Errors propagate to the caller, and nothing is emitted afterwards. */
export async function runToFailure(run: AgentRun, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  try {
    await runTurns(run, prompts);
  } finally {
    run.close();
    await end(run);
  }
  return run.newMessages;
}

async function end(run: AgentRun): Promise<void> {
  const { newMessages: messages, stop, steps } = run;
  await run.middleware.end?.({ messages, stop, failure: steps.failure?.error });
}

/**
 * Runs the loop. If it throws, the run ends with an error message that keeps the streamed content. An error of a durable
 * run's engine propagates instead, because the run may belong to another process now.
 */
export async function runToEnd(run: AgentRun, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  try {
    await runTurns(run, prompts);
  } catch (error) {
    const failure = run.steps.failure;
    if (failure) throw failure.error;
    const message = await closeResponse(run, error);
    await run.emit({ type: "turn_end", message, toolResults: [] });
    await run.emit({ type: "agent_end", messages: run.newMessages });
  } finally {
    run.close();
    await end(run);
  }
  return run.newMessages;
}
