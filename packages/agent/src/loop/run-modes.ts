/** Running to an end that is always told. */
import type { AgentMessage } from "../types/message.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse } from "./closing-message.js";
import { runTurns } from "./turn-cycle.js";

/** Runs, and lets what was thrown reach the caller; nothing is emitted afterwards. */
export async function runToFailure(run: AgentRun, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  try {
    await runTurns(run, prompts);
    return run.newMessages;
  } finally {
    run.close();
  }
}

/** Runs, and ends a run in which something was thrown with an error message, keeping what was streamed. */
export async function runToEnd(run: AgentRun, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  try {
    await runTurns(run, prompts);
  } catch (error) {
    const message = await closeResponse(run, error);
    await run.emit({ type: "turn_end", message, toolResults: [] });
    await run.emit({ type: "agent_end", messages: run.newMessages });
  } finally {
    run.close();
  }
  return run.newMessages;
}
