/** Emits the events of one tool call while its tool runs. */
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome, AgentToolResult } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";
import type { ToolCallSink } from "./tool-call-context.js";

/** An error of the event sink never reaches the tool; it is thrown when the call has ended. */
export class ToolCallEvents implements ToolCallSink {
  readonly #run: AgentRun;
  readonly #toolCall: AgentToolCall;
  #pending: Promise<void>[] | undefined;

  constructor(run: AgentRun, toolCall: AgentToolCall) {
    this.#run = run;
    this.#toolCall = toolCall;
  }

  report(partialResult: AgentToolResult): void {
    const taken = this.#emit(partialResult);
    // `settle` handles the rejection; until then it must not count as unhandled.
    taken.catch(() => {});
    this.#pending ??= [];
    this.#pending.push(taken);
  }

  settle(): Promise<unknown> | undefined {
    return this.#pending && Promise.all(this.#pending);
  }

  end(outcome: AgentToolCallOutcome): Promise<void> | undefined {
    return this.#run.emitToolEnd(outcome);
  }

  async #emit(partialResult: AgentToolResult): Promise<void> {
    const { id, name, arguments: args } = this.#toolCall;
    await this.#run.emit({ type: "tool_execution_update", toolCallId: id, toolName: name, args, partialResult });
  }
}
