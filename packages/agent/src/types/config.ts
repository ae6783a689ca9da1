/** The configuration of a run: the model, hooks and limits. */
import type { Message, Model, SimpleStreamOptions } from "pi-ai";
import type { OutputRequest } from "pi-ai/object";
import type {
  AgentLoopTurnUpdate,
  PrepareNextTurnContext,
  ShouldStopAfterTurnContext,
  TransformContextHook,
  WrapModelCallHook,
} from "./hooks.js";
import type { AgentMessage } from "./message.js";
import type { AgentMiddleware } from "./middleware.js";
import type { OnNewMessage } from "./pause.js";
import type { RunSteps } from "./run-steps.js";
import type { ServerToolHandlers, ToolCallLimits, ToolExecutionMode } from "./tool.js";
import type { ToolCallHooks } from "./tool-call-hooks.js";

type MaybePromise<TValue> = TValue | Promise<TValue>;

/**
 * Limits of a run. Only `maxRepeats` is set by default; `Infinity` means no limit. Anything but a number in the range of a
 * limit is refused.
 */
export interface AgentLimits extends ToolCallLimits {
  /** The maximum number of tools of a parallel batch that run at the same time: a whole number of 1 or more. */
  maxParallelTools?: number | undefined;
  /**
   * The maximum number of responses in one run: a whole number of 1 or more. Each continuation of an interrupted response counts,
   * too. A run that needs more ends with an error message.
   */
  maxTurns?: number | undefined;
  /**
   * The maximum number of identical rounds in a row. A round is the tool calls of one response with their results. A run
   * that reaches the maximum ends with an error message and the event `run_stopped`. A round with a tool that `polls`, or a
   * queued message, resets the count. A whole number; 0 means no limit. Default 10.
   */
  maxRepeats?: number | undefined;
}

/** The clock of a run. */
export interface AgentClock {
  /**
   * Returns the time in Unix milliseconds, for the timestamps of messages that the run makes, for `durationMs` and for the
   * limit `ms` of a budget. A fixed one makes transcripts reproducible. Timeouts do not use it. Default: `Date.now`, and
   * for durations `performance.now`, which a change of the system's clock does not affect.
   */
  now?: (() => number) | undefined;
}

/** Hooks of a run. An error in one ends the run with an error message, except in the tool hooks. */
export interface AgentLoopHooks extends ToolCallHooks {
  /** Transforms the conversation for one request, before `convertToLlm`. */
  transformContext?: TransformContextHook | undefined;
  /**
   * Returns the API key for each request; if it returns none, `apiKey` is used. It is also the `apiKeyFor` of each request:
   * a `route` asks it for the keys of the other models that it tries.
   */
  getApiKey?: ((provider: string) => MaybePromise<string | undefined>) | undefined;
  /** Called after each successful turn that waits for no answers. True ends the run; queued messages stay queued. */
  shouldStopAfterTurn?: ((context: ShouldStopAfterTurnContext) => MaybePromise<boolean>) | undefined;
  /** Called before `shouldStopAfterTurn`, also after the last turn; may change the context, model or thinking level. */
  prepareNextTurn?:
    | ((
        context: PrepareNextTurnContext,
        signal?: AbortSignal,
        // biome-ignore lint/suspicious/noConfusingVoidType: as for BeforeToolCallHook.
      ) => MaybePromise<AgentLoopTurnUpdate | undefined | void>)
    | undefined;
  /** Surrounds each request to the model. */
  wrapModelCall?: WrapModelCallHook | undefined;
}

/** The configuration of a run: options for each request, hooks and limits. */
export interface AgentLoopConfig extends SimpleStreamOptions, AgentLoopHooks, AgentLimits, AgentClock {
  /** The model. */
  model: Model;
  /** Converts the conversation to messages for the model, once per request. */
  convertToLlm: (messages: AgentMessage[]) => MaybePromise<Message[]>;
  /**
   * Returns messages for the next turn. Called at the start and after each successful turn, except where a hook or a limit ends the
   * run, and after an interrupted response, whose continuation must follow it directly.
   */
  getSteeringMessages?: (() => MaybePromise<AgentMessage[]>) | undefined;
  /** Returns messages to continue with when the run would otherwise end. */
  getFollowUpMessages?: (() => MaybePromise<AgentMessage[]>) | undefined;
  /** Behaviours such as limits, compaction or traces. The first is the outermost. */
  middleware?: readonly AgentMiddleware[] | undefined;
  /** Makes the run end with an object that fits a schema, emitted as the event `output`. */
  output?: AgentOutput | undefined;
  /** Default `"parallel"`. */
  toolExecution?: ToolExecutionMode | undefined;
  /** Decides about a new message while the conversation waits for answers: see {@link OnNewMessage}. Default `"refuse"`. */
  onNewMessage?: OnNewMessage | undefined;
  /**
   * Sends the texts of an answer that was aborted, as an answer, so that the next message can say to go on from there. Thinking and
   * tool calls of it are not sent. Default: nothing of such an answer is sent.
   */
  keepPartial?: "text" | undefined;
  /** Runs the server tools that wait for the application, by name. A tool without a handler gets an error result. */
  serverToolHandlers?: ServerToolHandlers | undefined;
  /** Stores the steps of the run, so that another process can continue it. Created by `durable` of pi-agent/durable. */
  steps?: RunSteps | undefined;
}

/** Makes the runs of an agent end with an object that fits a schema. */
export interface AgentOutput<TSchema extends object = object> extends OutputRequest<TSchema> {
  /**
   * How often an output that does not fit the schema is sent back to the model with the validator's errors. Default 1.
   * After that the run ends with an error message of the kind `invalid_output`.
   */
  maxRepairs?: number | undefined;
}
