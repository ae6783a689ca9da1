/** Progress of one running tool, on its way out as events. */
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolResult } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";
import type { ProgressSink } from "./tool-call.js";

/** A failure to take an event never reaches the tool; it is thrown when the call has ended. */
export class ToolProgress implements ProgressSink {
  readonly #run: AgentRun;
  readonly #toolCall: AgentToolCall;
  readonly #pending: Promise<void>[] = [];

  constructor(run: AgentRun, toolCall: AgentToolCall) {
    this.#run = run;
    this.#toolCall = toolCall;
  }

  report(partialResult: AgentToolResult): void {
    const taken = this.#emit(partialResult);
    // Looked at in `settle`; until then a rejection must not count as unhandled.
    taken.catch(() => {});
    this.#pending.push(taken);
  }

  settle(): Promise<void> | undefined {
    return this.#pending.length === 0 ? undefined : this.#settleAll();
  }

  async #settleAll(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #emit(partialResult: AgentToolResult): Promise<void> {
    const { id, name, arguments: args } = this.#toolCall;
    await this.#run.emit({ type: "tool_execution_update", toolCallId: id, toolName: name, args, partialResult });
  }
}
