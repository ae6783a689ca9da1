/** Decides whether a call may run: finds its tool, checks its arguments and asks `beforeToolCall`. */
import { checkReturned } from "../checks.js";
import { describeDeclinedCall, describeUnknownEffect } from "../pause/index.js";
import type { AgentToolCall } from "../types/message.js";
import type { BeforeToolCallHook } from "../types/tool-call-hooks.js";
import { findServerTool, findTool } from "./find-tool.js";
import { checkArguments, parseAgain } from "./tool-arguments.js";
import {
  type FoundToolCall,
  hooksOf,
  type PreparedToolCall,
  type RefusedToolCall,
  refuse,
  reject,
  type StagedToolCall,
  type ToolBatch,
} from "./tool-call.js";
import {
  createAbortedOutcome,
  createBlockedOutcome,
  createErrorOutcome,
  createFailedOutcome,
  describeArgumentsError,
  describeMissingHandler,
  describeTruncation,
} from "./tool-outcome.js";

export async function prepareToolCall(toolCall: AgentToolCall, batch: ToolBatch): Promise<StagedToolCall> {
  const { gate, steps } = batch.run;
  // A run whose steps are stored takes the same ones after an abort, so that another process can repeat them.
  if (gate.aborted && !steps.stores) return refuse(createAbortedOutcome(toolCall));
  const found = findCall(toolCall, batch);
  if (found.stage === "refused") return found;
  const checked = await checkArguments(found, batch);
  if (checked.stage === "refused") return checked;
  const { beforeToolCall } = hooksOf(checked, batch);
  return beforeToolCall ? askBeforeHook(checked, batch, beforeToolCall) : checked;
}

/** Finds the tool of a call, or why the call must not run. */
function findCall(toolCall: AgentToolCall, batch: ToolBatch): FoundToolCall | RefusedToolCall {
  const { name, serverTool } = toolCall;
  const paused = batch.pausedCalls?.get(toolCall.id);
  const declined = describeDeclinedCall(name, paused);
  if (declined !== undefined) return refuse(createErrorOutcome(toolCall, declined, { declined: true }));
  const hidden = serverTool ? undefined : findTool(batch.hiddenTools, name);
  const tool = serverTool
    ? findServerTool(toolCall, batch.serverToolHandlers)
    : (hidden ?? findTool(batch.context.tools, name));
  const missing = serverTool ? describeMissingHandler(name) : `Tool ${name} not found`;
  if (!tool) return reject(createErrorOutcome(toolCall, missing));
  if (paused?.hasBegun && tool.replay !== "safe")
    return refuse(createErrorOutcome(toolCall, describeUnknownEffect(name)));
  const truncated = batch.assistantMessage.stopReason === "length";
  if (toolCall.argumentsError !== undefined)
    return reject(createErrorOutcome(toolCall, describeArgumentsError(toolCall, truncated)));
  // The limit may also have cut off calls that would have changed what this one means.
  if (truncated) return reject(createErrorOutcome(toolCall, describeTruncation(toolCall)));
  return { stage: "found", toolCall, tool, isHidden: tool === hidden };
}

/** Calls `beforeToolCall` as a step of its own, which stores what the hook has changed in the arguments. */
async function askBeforeHook(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  beforeToolCall: BeforeToolCallHook,
): Promise<StagedToolCall> {
  const { assistantMessage, context, run } = batch;
  const { gate, steps } = run;
  const { toolCall, args, watched } = prepared;
  try {
    const answer = await steps.step(`beforeToolCall ${steps.keyOf(toolCall)}`, async () => {
      const verdict = await gate.wait(beforeToolCall({ assistantMessage, toolCall, args, context }, gate.signal));
      // The hooks of a call outside of a run are not composed, so nobody has checked this one yet.
      checkReturned("beforeToolCall", verdict);
      // Values of a library may not survive JSON, so each process parses the arguments itself.
      return watched ? { verdict, changes: watched.changes } : { verdict, args };
    });
    const blocked = createBlockedOutcome(toolCall, answer.verdict);
    if (blocked) return refuse(blocked);
    if (!watched) return { ...prepared, args: answer.args };
    return answer.changes ? await parseAgain(prepared, answer.changes, run) : prepared;
  } catch (error) {
    if (steps.failure) throw error;
    return refuse(createFailedOutcome(toolCall, error, run));
  }
}
