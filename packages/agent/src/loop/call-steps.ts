/** The steps of a durable run between the preparation of tool calls and their execution: approvals and begin marks. */
import type { ApprovalAnswer, ApprovalRequest } from "../types/approval.js";
import type { RunSteps } from "../types/run-steps.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import { OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { isOutcome } from "./tool-call.js";
import type { PreparedToolCall } from "./tool-call-context.js";
import { createAbortedOutcome, createErrorOutcome } from "./tool-outcome.js";
import { createErrorResult } from "./tool-result.js";

type Prepared = PreparedToolCall | AgentToolCallOutcome;

/**
 * Requests all approvals at once, then waits for them in order: an engine may identify a step by its position only, so the
 * order must not depend on which answer arrives first. Marks the calls that will run, and ends those that were declined.
 */
export async function takeCallSteps(
  run: AgentRun,
  steps: RunSteps,
  prepared: readonly Prepared[],
): Promise<Prepared[]> {
  const calls = prepared.filter(isPrepared);
  const requests = await steps.needApprovals(calls);
  const requestOf = new Map(calls.map((call, index) => [call, requests[index]]));
  for (const request of requests) if (request) await run.emit({ type: "approval_requested", request });
  const decided: Prepared[] = [];
  for (const next of prepared) {
    const request = isPrepared(next) ? requestOf.get(next) : undefined;
    decided.push(request && isPrepared(next) ? await decide(run, steps, next, request) : next);
  }
  await steps.mark(decided.filter(isPrepared));
  return decided;
}

async function decide(
  run: AgentRun,
  steps: RunSteps,
  call: PreparedToolCall,
  request: ApprovalRequest,
): Promise<Prepared> {
  const answer = await waitForAnswer(run, steps, request);
  const approved = answer?.approved ?? false;
  const reason = approved ? undefined : answer?.reason;
  await run.emit({ type: "approval_resolved", request, approved, ...(reason && { reason }) });
  if (approved) return call;
  const outcome = answer
    ? createErrorOutcome(call.toolCall, createErrorResult(describeDecline(call.tool.name, answer)))
    : createAbortedOutcome(call.toolCall);
  await run.emitToolEnd(outcome);
  return outcome;
}

/** Undefined when the run was aborted. */
async function waitForAnswer(
  { gate }: AgentRun,
  steps: RunSteps,
  request: ApprovalRequest,
): Promise<ApprovalAnswer | undefined> {
  try {
    return await gate.wait(steps.waitForApproval(request, gate.signal));
  } catch (error) {
    if (error instanceof OperationAborted) return undefined;
    throw error;
  }
}

function describeDecline(toolName: string, { reason }: ApprovalAnswer): string {
  return `The call of ${toolName} was declined${reason ? `: ${reason}` : ""}`;
}

function isPrepared(next: Prepared): next is PreparedToolCall {
  return !isOutcome(next);
}
