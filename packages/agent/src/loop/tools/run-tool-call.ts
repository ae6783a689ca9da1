/** Runs one tool call outside a run. */

import type { AgentToolCall } from "../../types/message.js";
import type { RunToolCallOptions } from "../../types/run-tool-call.js";
import type { AgentToolCallOutcome } from "../../types/tool.js";
import { AbortGate } from "../abort-gate.js";
import {
  CALL_SETTINGS,
  type CallSetting,
  type Checks,
  checkOptions,
  isAnything,
  isFunction,
  isObject,
  pickCallSettings,
  SETTINGS,
} from "../settings/index.js";
import { assertTools } from "./check-tools.js";

// A record, so that a new option fails to compile here.
const OWN: Checks<Exclude<keyof RunToolCallOptions, CallSetting>> = {
  tools: isAnything,
  assistantMessage: isObject,
  context: isObject,
  signal: isAnything,
  onUpdate: isFunction,
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
  const gate = new AbortGate(options.signal);
  try {
    // Loaded on demand, as in a run: see tool-batch.ts.
    const [schedule, validation] = await Promise.all([import("./tool-schedule.js"), import("pi-ai/validation")]);
    const settings = pickCallSettings(options);
    const { validateToolArguments: validate } = validation;
    return await schedule.runSingleToolCall(toolCall, options, { gate, validate, settings });
  } finally {
    gate.close();
  }
}
