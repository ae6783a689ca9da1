/** The calls of a response that have no result yet, so that a run that fails meanwhile can end each of them. */
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome } from "../types/tool.js";

export interface OpenToolCall {
  readonly toolCall: AgentToolCall;
  /** Its beginning was emitted. */
  isAnnounced: boolean;
  /** Set when its end was emitted. */
  outcome?: AgentToolCallOutcome;
}

export class OpenToolCalls {
  /** By the call itself: ids may be repeated in one response. */
  readonly #open = new Map<AgentToolCall, OpenToolCall>();

  add(toolCalls: readonly AgentToolCall[]): void {
    for (const toolCall of toolCalls) this.#open.set(toolCall, { toolCall, isAnnounced: false });
  }

  begin(toolCall: AgentToolCall): void {
    const open = this.#open.get(toolCall);
    if (open) open.isAnnounced = true;
  }

  end(outcome: AgentToolCallOutcome): void {
    const open = this.#open.get(outcome.toolCall);
    if (open) open.outcome = outcome;
  }

  /** The call has its result, or waits. */
  settle(toolCall: AgentToolCall): void {
    this.#open.delete(toolCall);
  }

  /** Returns the calls in their order, and forgets them. */
  take(): OpenToolCall[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open;
  }
}
