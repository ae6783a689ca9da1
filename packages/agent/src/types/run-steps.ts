/** The interface between a run and an engine that stores its steps. `durable` of pi-agent/durable implements it. */
import type { AssistantMessage } from "pi-ai";
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

/** The stored outcome of a tool call. */
export type RememberedOutcome = Pick<AgentToolCallOutcome, "result" | "isError" | "durationMs">;

/**
 * Everything that a run gets from outside, as steps. Work that another process has finished is not repeated: the stored
 * value is returned. Methods reject when the engine fails; {@link RunSteps.failure} is then set.
 */
export interface RunSteps {
  /** The first error of the engine. The run stops without another step and rejects with it. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Unix time in milliseconds of the latest step, the same in each process that repeats the run. */
  now(): number;
  /** Begins a run with its prompts. `transcript` reads the conversation, for error reports. */
  begin(prompts: readonly AgentMessage[], transcript: () => readonly AgentMessage[]): Promise<AgentMessage[]>;
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
