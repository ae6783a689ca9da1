/** Executes a tool, with its timeout and through `wrapToolCall` if it is set. */
import { startTimer } from "pi-ai/call";
import type { AgentToolOutput, AgentToolResult, AgentToolUpdateCallback } from "../types/tool.js";
import type { WrapToolCallHook } from "../types/tool-call-hooks.js";
import type { AbortGate } from "./abort-gate.js";
import { ignoreIfUnused } from "./promises.js";
import { hooksOf, type PreparedToolCall, type ToolCallContext } from "./tool-call-context.js";
import { checkToolResult } from "./tool-result.js";

/**
 * Executes the tool of a call, through the hook if there is one. The result is not checked. Returns a promise only if the
 * tool did.
 */
export function runTool(prepared: PreparedToolCall, call: ToolCallContext, report: AgentToolUpdateCallback): unknown {
  const { wrapToolCall } = hooksOf(prepared.tool, call);
  return wrapToolCall ? runWrapped(prepared, call, report, wrapToolCall) : startTool(prepared, call, report);
}

/** After an abort the hook gets the grace period of a listener, so that it can clean up before the call ends. */
async function runWrapped(
  prepared: PreparedToolCall,
  call: ToolCallContext,
  report: AgentToolUpdateCallback,
  wrapToolCall: WrapToolCallHook,
): Promise<unknown> {
  const { assistantMessage, gate } = call;
  const { toolCall, tool, args } = prepared;
  const start = async (): Promise<AgentToolResult> => {
    gate.check();
    return checkToolResult(tool.name, await startTool(prepared, call, report));
  };
  const execute = (): Promise<AgentToolResult> => ignoreIfUnused(start());
  const wrapped = wrapToolCall({ assistantMessage, toolCall, tool, args }, execute, gate.signal);
  const result = await gate.waitWithGrace(Promise.resolve(wrapped));
  // If a hook swallows the abort, the call must not look complete.
  gate.check();
  return result;
}

function startTool(
  { toolCall, tool, args, execution }: PreparedToolCall,
  { gate, settings, parent }: ToolCallContext,
  report: AgentToolUpdateCallback,
): unknown {
  // `details` is passed on even if it is undefined.
  const onUpdate = report as (partialResult: AgentToolOutput) => void;
  const timeoutMs = tool.toolTimeoutMs ?? settings.toolTimeoutMs;
  if (timeoutMs === undefined || timeoutMs === 0)
    return gate.wait(tool.execute(toolCall.id, args, gate.signal, onUpdate, execution, parent));
  const execute = (signal: AbortSignal) => tool.execute(toolCall.id, args, signal, onUpdate, execution, parent);
  return runWithTimeout(gate, { name: tool.name, timeoutMs }, execute);
}

interface ToolTimeout {
  /** The tool's name, for the text of the error. */
  name: string;
  timeoutMs: number;
}

/** Waits until the tool ends, the run is aborted, or the time is up. The latter two abort the tool's signal. */
async function runWithTimeout<TValue>(
  gate: AbortGate,
  { name, timeoutMs }: ToolTimeout,
  execute: (signal: AbortSignal) => TValue | PromiseLike<TValue>,
): Promise<TValue> {
  const controller = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const cancel = startTimer(() => {
    const error = new DOMException(`Tool ${name} timed out after ${timeoutMs} ms`, "TimeoutError");
    timeout.reject(error);
    controller.abort(error);
  }, timeoutMs);
  try {
    return await gate.wait(Promise.race([execute(controller.signal), timeout.promise]));
  } finally {
    cancel();
    if (gate.aborted) controller.abort(gate.signal?.reason);
  }
}
