/** The interface between a run and what stores its steps. `durable` of pi-agent/durable implements it. */
import type { AssistantMessage, Model } from "pi-ai";
import type { AgentContext } from "./agent-context.js";
import type { RunStop } from "./event.js";
import type { AgentMessage, AgentToolCall } from "./message.js";
import type { RunHooks, TurnDecision } from "./middleware.js";
import type { AgentToolCallOutcome, AgentToolStep, AnyAgentTool, StepToolCall } from "./tool.js";

/** A queue that a run polls. */
export type PolledQueue = "steering" | "follow-up";

/** A run, as the steps that store it see it. */
export interface StepRun {
  /** The conversation and the system prompt. Its array of messages is the same until a hook replaces it. */
  readonly context: AgentContext;
  /** The model. */
  readonly config: { readonly model: Model };
  /** The tools at the start of the run. */
  readonly tools: readonly AnyAgentTool[] | undefined;
  /** The names of the middleware, in their order, and the hooks that learn what an earlier process has done. */
  readonly middleware: { readonly names: readonly string[] } & Pick<RunHooks, "onRemembered" | "onRememberedCall">;
  /** For a run that a tool call of another run began: what precedes the names of its steps, see {@link AgentToolStep}. */
  readonly parent: { readonly scope?: string | undefined } | undefined;
  /** The limit that ends the run. */
  readonly stop: RunStop | undefined;
  /** Sets the limit that ends the run. */
  stopBecause(stop: RunStop): void;
  /** The messages that middleware has added. */
  readonly added: readonly AgentMessage[];
  /** The usage of requests beside the conversation. */
  readonly side: {
    readonly responses: readonly SideResponse[];
    add(...responses: readonly SideResponse[]): void;
    clear(): void;
  };
  /** Adds a message of middleware. */
  add(message: AgentMessage): Promise<void>;
  /**
   * Removes messages from the end of the conversation, those of the run itself, which its steps will add again, and puts back the
   * records of calls that its results have replaced.
   */
  rewind(length: number, records?: readonly AgentMessage[]): void;
  /** Returns the text of an error without the keys and secrets of the run. */
  describeError(error: unknown): string;
}

/** A response that is not in the conversation, or at least what it used. */
export type SideResponse = Pick<AssistantMessage, "usage">;

/** The stored outcome of a tool call. */
export type RememberedOutcome = Pick<AgentToolCallOutcome, "result" | "isError" | "durationMs" | "pause">;

type MaybePromise<TValue> = TValue | Promise<TValue>;

/** The work of a step that requests a response. */
export interface ResponseWork {
  /**
   * Adds the message of the role `system` that says what has changed since the request before, and returns it.
   *
   * @param remembered the message that another process has added: this one adds it, too
   */
  addNote(remembered?: { note: AgentMessage | undefined }): Promise<AgentMessage | undefined>;
  /** Sends the request. */
  request(): Promise<AssistantMessage>;
  /** Makes the message of a request that failed. */
  close(error: unknown): Promise<AssistantMessage>;
}

/**
 * Everything that a run gets from outside, as steps. Without an engine, the run does each step at once. With one, work that
 * another process has finished is not repeated: the stored value is returned, and with it what the work has left in the run
 * (messages of middleware, usage of requests beside the conversation). Methods reject when the engine fails;
 * {@link RunSteps.failure} is then set.
 */
export interface RunSteps {
  /** The first error of the engine. The run stops without another step and rejects with it. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Whether all steps so far were remembered, so that an earlier process has emitted the events that follow. */
  readonly isReplaying: boolean;
  /** Whether results are stored, for another process. */
  readonly stores: boolean;
  /** Whether a request or tools are under way, which store only the response and the outcomes. No message may be added then. */
  readonly isStoring: boolean;
  /**
   * Unix time in milliseconds of the latest step, the same in each process that repeats the run. It does not go back when
   * the time of a system is set. Default: the clock of the run.
   */
  now?(): number;
  /** When the run began in its first process, by {@link RunSteps.now}. Default: when this process began it. */
  readonly startedAt?: number | undefined;
  /** Begins a run with its prompts. Rejects if another model, system prompt or prompt began it. */
  begin(prompts: readonly AgentMessage[], run: StepRun): MaybePromise<readonly AgentMessage[]>;
  /** Takes messages from a queue. */
  poll(queue: PolledQueue, take: () => MaybePromise<readonly AgentMessage[]>): MaybePromise<readonly AgentMessage[]>;
  /** Requests one response. */
  respond(work: ResponseWork): Promise<AssistantMessage>;
  /** Calls a hook that decides what follows from a turn. */
  decide(name: string, call: () => Promise<TurnDecision | undefined>): Promise<TurnDecision | undefined>;
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
  /** Runs the calls of a response that may run. Those of a sequential batch come one after the other. */
  runTools<TValue>(calls: readonly StepToolCall[], work: () => Promise<TValue>): Promise<TValue>;
  /**
   * Runs a tool. `perform` must not reject; it is not called if the tool may have run in a process that died.
   */
  runTool(
    call: StepToolCall & { readonly isHidden: boolean },
    perform: (step: AgentToolStep | undefined) => Promise<AgentToolCallOutcome>,
  ): Promise<AgentToolCallOutcome>;
  /** Tells middleware what earlier processes have used beside the conversation, before the run does something new. */
  catchUp(): void;
}
