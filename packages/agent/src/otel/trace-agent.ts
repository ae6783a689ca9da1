/** Records the runs of an agent, with their requests and tool calls, as spans and metrics. */
import { RunTrace, type TraceAgentOptions } from "./run-trace.js";
import type { TraceableAgent } from "./traceable-agent.js";

/**
 * Records a span `invoke_agent` for each run of an agent, with a span `chat` for each request and `execute_tool` for each
 * tool call that runs, and their metrics. A tool runs in the context of its span, so that spans of its own become
 * children. All spans of a run end with it, even if a tool, a stream or a hook hangs. The runs of an agent that `agentTool`
 * runs are children of the call's span, with the same conversation id.
 *
 * It replaces the agent's `wrapModelCall` and `wrapToolCall` with hooks that call the previous ones, so set yours
 * first.
 *
 * @returns a function that stops recording; call it between runs
 *
 * @example
 * import * as api from "@opentelemetry/api";
 * traceAgent(agent, { api, name: "travel" });
 */
export function traceAgent(agent: TraceableAgent, options: TraceAgentOptions): () => void {
  return new RunTrace(agent, options).attach();
}
