/** The interface between a run and what stores its steps. `durable` of pi-agent/durable implements it. */
import type { AssistantMessage, Model } from "pi-ai";
import type { RunStop } from "./event.js";
import type { AgentMessage, AgentToolCall } from "./message.js";
import type { TurnDecision } from "./middleware.js";
import type { AgentToolCallOutcome, AgentToolStep, AnyAgentTool, StepToolCall } from "./tool.js";

/** A queue that a run polls. */
export type PolledQueue = "steering" | "follow-up";

/** The facts with which a run begins. */
export interface RunBeginning {
  /** Returns the conversation. The same array until a hook replaces it. */
  transcript(): readonly AgentMessage[];
  /** Removes messages from the end of the conversation: those of the run itself, which its steps will add again. */
  rewind(length: number): void;
  /** Returns the text of an error without the keys and secrets of the run. */
  describeError(error: unknown): string;
  /** The model. */
  readonly model: Model;
  /** The system prompt. */
  readonly systemPrompt: string;
  /** The tools at the start of the run. */
  readonly tools: readonly AnyAgentTool[] | undefined;
  /** The names of the middleware, in their order. */
  readonly middleware: readonly string[];
  /** For a run that a tool call of another run began: what precedes the names of its steps, see {@link AgentToolStep}. */
  readonly scope: string | undefined;
}

/** What a step has left in its run beside its value. */
export interface StepRecord {
  /** Messages that middleware has added. */
  added?: AgentMessage[] | undefined;
  /** Responses to requests beside the conversation, without their content. */
  beside?: SideResponse[] | undefined;
}

/** A response that is not in the conversation, or at least what it used. */
export type SideResponse = Pick<AssistantMessage, "usage">;

/** The stored outcome of a tool call. */
export type RememberedOutcome = Pick<AgentToolCallOutcome, "result" | "isError" | "durationMs"> & StepRecord;

type MaybePromise<TValue> = TValue | Promise<TValue>;

/** What a run does with a response that it did not simply receive. */
export interface ResponseHandling {
  /** Makes the message of a request that failed. */
  close(error: unknown): MaybePromise<AssistantMessage>;
  /** Returns the limit that refused the request, if one did. */
  stop(): RunStop | undefined;
  /** Notes a response that an earlier process received, or the refusal of its request. */
  onRemembered(message: AssistantMessage, stop: RunStop | undefined): void;
}

/**
 * Everything that a run gets from outside, as steps. Without an engine, the run does each step at once. With one, work that
 * another process has finished is not repeated: the stored value is returned. Methods reject when the engine fails;
 * {@link RunSteps.failure} is then set.
 */
export interface RunSteps {
  /** The first error of the engine. The run stops without another step and rejects with it. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Whether all steps so far were remembered, so that an earlier process has emitted the events that follow. */
  readonly isReplaying: boolean;
  /** Whether results are stored, for another process. */
  readonly stores: boolean;
  /** Whether a step is being done. A step that begins in it is part of it, and not stored by itself. */
  readonly isInStep: boolean;
  /**
   * Unix time in milliseconds of the latest step, the same in each process that repeats the run. It does not go back when
   * the time of a system is set. Default: the clock of the run.
   */
  now?(): number;
  /** When the run began in its first process, by {@link RunSteps.now}. Default: when this process began it. */
  readonly startedAt?: number | undefined;
  /** Begins a run with its prompts. Rejects if another model, system prompt or prompt began it. */
  begin(prompts: readonly AgentMessage[], beginning: RunBeginning): MaybePromise<readonly AgentMessage[]>;
  /** Takes messages from a queue. */
  poll(queue: PolledQueue, take: () => MaybePromise<readonly AgentMessage[]>): MaybePromise<readonly AgentMessage[]>;
  /** Requests one response. */
  respond(request: () => Promise<AssistantMessage>, handling: ResponseHandling): Promise<AssistantMessage>;
  /** Calls a hook that decides what follows from a turn. */
  decide<TDecision extends TurnDecision>(
    name: string,
    call: () => Promise<TDecision | undefined>,
  ): Promise<TDecision | undefined>;
  /**
   * Does work with side effects. Its result must survive JSON. An error is rethrown with the same text.
   *
   * @param work receives an id of the step that is unique in the run
   */
  step<TValue>(name: string, work: (id: string) => Promise<TValue>): Promise<TValue>;
  /** Waits for a value that another process sends under this name. Absent if that is not possible. */
  waitFor?(name: string, signal: AbortSignal | undefined): Promise<unknown>;
  /** The key of a call: its id, with a number if the run repeats the id. */
  keyOf(toolCall: AgentToolCall): string;
  /** Records that the calls are about to run. */
  mark(calls: readonly StepToolCall[]): MaybePromise<void>;
  /** Runs a tool. `perform` must not reject; it is not called if the tool may have run in a process that died. */
  runTool(
    call: StepToolCall,
    perform: (step: AgentToolStep | undefined) => Promise<RememberedOutcome>,
  ): Promise<RememberedOutcome>;
}
