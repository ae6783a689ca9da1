/** A single tool call outside of a run. */
import { AbortGate, isPromiseLike } from "./abort-gate.js";
import { assertTools } from "./check-tools.js";
import { type Checks, checkOptions, mayBeAnything, mustBeFunction, mustBeObject, throwWrong } from "./checks.js";
import { directSteps, executeTool, prepareToolCall, type ToolBatch, type ToolRun } from "./loop/index.js";
import { CALL_SETTINGS, type CallSettingName, pickCallSettings, SETTINGS } from "./settings.js";
import type { AgentToolCall } from "./types/message.js";
import type { RunToolCallOptions } from "./types/run-tool-call.js";
import type { AgentToolCallOutcome, AgentToolResult } from "./types/tool.js";

// A record, so that a new option fails to compile here.
const OWN: Checks<Exclude<keyof RunToolCallOptions, CallSettingName>> = {
  tools: mayBeAnything,
  assistantMessage: mustBeObject,
  context: mustBeObject,
  signal: mayBeAnything,
  onUpdate: mustBeFunction,
};

/**
 * Runs one call as a run does: looks up the tool, validates the arguments, calls the hooks. Emits no events. Never
 * rejects because of a tool or a hook: an error becomes an outcome with `isError`.
 *
 * @throws TypeError or ConfigError that names an option or a tool that is wrong, as at the beginning of a run
 */
export async function runToolCall(toolCall: AgentToolCall, options: RunToolCallOptions): Promise<AgentToolCallOutcome> {
  const inherited = Object.fromEntries(CALL_SETTINGS.map((name) => [name, SETTINGS[name].check]));
  checkOptions(options, { ...OWN, ...inherited });
  assertTools(options.tools);
  if (typeof Object(toolCall).name !== "string")
    throwWrong("The tool call", 'one of a message, such as { type: "toolCall", id, name, arguments }', toolCall);
  const gate = new AbortGate(options.signal);
  try {
    return await runSingleToolCall(toolCall, options, { gate, callSettings: pickCallSettings(options) });
  } finally {
    gate.close();
  }
}

/** {@link runToolCall} with the settings of a run. */
export async function runSingleToolCall(
  toolCall: AgentToolCall,
  { tools, assistantMessage, context, onUpdate }: RunToolCallOptions,
  { gate, callSettings }: Pick<ToolRun, "gate"> & Pick<ToolBatch, "callSettings">,
): Promise<AgentToolCallOutcome> {
  const run: ToolRun = { gate, steps: directSteps, secrets: () => [] };
  const report = (_toolCall: AgentToolCall, partialResult: AgentToolResult): undefined => {
    // An observer's error must not fail the tool, and one that is asynchronous not the process.
    try {
      const returned: unknown = onUpdate?.(partialResult);
      if (isPromiseLike(returned)) returned.then(undefined, () => {});
    } catch {}
  };
  const batch: ToolBatch = { run, callSettings, assistantMessage, context: { ...context, tools }, report };
  const call = await prepareToolCall(toolCall, batch);
  return call.stage === "refused" ? call.outcome : executeTool(call, batch);
}
