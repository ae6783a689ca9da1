/** Runs one tool call outside a run. */
import { checkDuration } from "pi-ai/call";
import type { AgentToolCall } from "../types/message.js";
import type { RunToolCallOptions } from "../types/run-tool-call.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import { AbortGate } from "./abort-gate.js";

/**
 * Runs one call as a run does: looks up the tool, validates the arguments, calls the hooks. Emits no events. Never
 * rejects because of a tool or a hook: an error becomes an outcome with `isError`.
 *
 * @throws ConfigError for a `toolTimeoutMs` that is not a duration
 */
export async function runToolCall(toolCall: AgentToolCall, options: RunToolCallOptions): Promise<AgentToolCallOutcome> {
  if (options.toolTimeoutMs !== undefined) checkDuration("toolTimeoutMs", options.toolTimeoutMs);
  const gate = new AbortGate(options.signal);
  try {
    // Loaded on demand, as in a run: see tool-batch.ts.
    const [single, validation] = await Promise.all([import("./single-tool-call.js"), import("pi-ai/validation")]);
    return await single.runSingleToolCall(toolCall, options, { gate, validate: validation.validateToolArguments });
  } finally {
    gate.close();
  }
}
