/** The interface between a run and an engine that stores its steps. `durable` of pi-agent/durable implements it. */
import type { AssistantMessage, Model } from "pi-ai";
import type { ApprovalAnswer, ApprovalRequest } from "./approval.js";
import type { AgentMessage, AgentToolCall } from "./message.js";
import type { AgentToolCallOutcome, AnyAgentTool } from "./tool.js";

/** A call that is about to run, with its validated arguments. */
export interface StepToolCall {
  /** The call as the model sent it. */
  toolCall: AgentToolCall;
  /** Its tool. */
  tool: AnyAgentTool;
  /** The validated arguments. */
  args: AgentToolCall["arguments"];
}

/** A queue that a run polls. */
export type PolledQueue = "steering" | "follow-up";

/** The facts with which a run begins. */
export interface RunBeginning {
  /** Reads the conversation, also for error reports. */
  transcript(): readonly AgentMessage[];
  /** Removes messages from the end of the conversation: those of the run itself, which its steps will add again. */
  rewind(length: number): void;
  /** The model. */
  model: Model;
  /** The system prompt. */
  systemPrompt: string;
}

/** The stored outcome of a tool call. */
export type RememberedOutcome = Pick<AgentToolCallOutcome, "result" | "isError" | "durationMs">;

/**
 * Everything that a run gets from outside, as steps. Work that another process has finished is not repeated: the stored
 * value is returned. Methods reject when the engine fails; {@link RunSteps.failure} is then set.
 */
export interface RunSteps {
  /** The first error of the engine. The run stops without another step and rejects with it. */
  readonly failure: { readonly error: unknown } | undefined;
  /**
   * Unix time in milliseconds of the latest step, the same in each process that repeats the run. It does not go back when
   * the time of a system is set.
   */
  now(): number;
  /** Whether all steps so far were remembered, so that an earlier process has emitted the events that follow. */
  readonly isReplaying: boolean;
  /** Begins a run with its prompts. Rejects if another model, system prompt or prompt began it. */
  begin(prompts: readonly AgentMessage[], beginning: RunBeginning): Promise<AgentMessage[]>;
  /** Takes messages from a queue. */
  poll(queue: PolledQueue, take: () => PromiseLike<AgentMessage[]> | AgentMessage[]): Promise<AgentMessage[]>;
  /** Requests one response. `request` must not reject. */
  respond(request: () => Promise<AssistantMessage>): Promise<AssistantMessage>;
  /** Calls a hook with side effects. Its result must survive JSON. An error is rethrown with the same text. */
  hook<TValue>(name: string, call: () => Promise<TValue>): Promise<TValue>;
  /** The key of a call: its id, with a number if the run repeats the id. */
  keyOf(toolCall: AgentToolCall): string;
  /** Returns which of the calls need an approval, in the order of the calls. */
  needApprovals(calls: readonly StepToolCall[]): Promise<readonly (ApprovalRequest | undefined)[]>;
  /** Waits for an answer. */
  waitForApproval(request: ApprovalRequest, signal: AbortSignal | undefined): Promise<ApprovalAnswer>;
  /** Records that the calls are about to run. */
  mark(calls: readonly StepToolCall[]): Promise<void>;
  /** Runs a tool. `perform` must not reject; it is not called if the tool may have run in a process that died. */
  runTool(
    call: StepToolCall,
    perform: (idempotencyKey: string) => Promise<RememberedOutcome>,
  ): Promise<RememberedOutcome>;
}
