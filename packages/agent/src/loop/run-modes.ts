/** Runs the loop and either propagates errors or guarantees a terminal `agent_end`. */
import { formatThrownValue, PiError } from "pi-ai/call";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentEvent } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse, createEmptyResponse } from "./closing-message.js";
import { runTurns } from "./turn-cycle.js";

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

/** Emits the events of a run that could not begin, because its configuration is wrong. */
export function emitRefusal(
  emit: (event: AgentEvent) => void,
  error: unknown,
  config: AgentLoopConfig | undefined,
): void {
  // Callers in plain JavaScript may have passed no model.
  const message: AgentMessage = {
    ...createEmptyResponse(config?.model ?? { api: "unknown", provider: "unknown", id: "unknown" }),
    errorMessage: formatThrownValue(error),
    error: PiError.is(error) ? error.info : { kind: "config" },
  };
  emit({ type: "agent_start" });
  emit({ type: "turn_start" });
  emit({ type: "message_start", message });
  emit({ type: "message_end", message });
  emit({ type: "turn_end", message, toolResults: [] });
  emit({ type: "agent_end", messages: [message] });
}
