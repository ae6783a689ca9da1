/** Tools that an agent can run. */
import type { ServerToolContent, Tool, ToolArguments, UserBlock } from "pi-ai";
import type { AgentToolCall } from "./message.js";
import type { ParentRun } from "./parent-run.js";
import type { CallMark, PausedCall, ToolPausing, ToolQuestion } from "./pause.js";

/** Whether the tool calls of one response run one after the other or at the same time. */
export type ToolExecutionMode = "sequential" | "parallel";

/** The result of a tool. */
// biome-ignore lint/suspicious/noExplicitAny: details belong to the host; most tools have none worth a type.
export interface AgentToolResult<TDetails = any> {
  /** Content for the model. */
  content: UserBlock[];
  /** Data for the host. Never sent to a model. */
  details: TDetails;
  /** Asks to end the run after this batch. It ends if every result of the batch asks for it. */
  terminate?: boolean;
  /** The call has failed, as if the tool had thrown. */
  isError?: boolean;
  /** The fields of the provider's own result item. Used only for a server tool, see `serverToolHandlers`. */
  output?: Record<string, unknown>;
}

/** The result of a tool whose details have no type of their own: `details` may be omitted. */
export interface AgentToolOutput extends Omit<AgentToolResult, "details"> {
  /** Data for the host. Never sent to a model. */
  details?: AgentToolResult["details"] | undefined;
}

/**
 * The values that a tool may return: a result; a string, which is the text; a list of blocks, which is the content; or any other value that
 * JSON can hold, whose JSON is the text and which stays in `details`. Nothing is an empty result. What JSON would lose, such as a
 * `Response` or a `Map`, is an error result that says what to return; so is a returned `Error`.
 */
export type AgentToolReturn =
  | AgentToolOutput
  // No `Response`, `Map`, `Set`, bytes or stream, and no `Error`, which has all of the last three fields.
  | (object & {
      readonly [Symbol.toStringTag]?: never;
      readonly bodyUsed?: never;
      readonly getReader?: never;
    } & ({ readonly name?: never } | { readonly message?: never } | { readonly stack?: never }))
  | string
  | number
  | boolean
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a tool may have no return statement.
  | void;

/** Reports progress. Ignored once the call has ended. */
// biome-ignore lint/suspicious/noExplicitAny: as for AgentToolResult.
export type AgentToolUpdateCallback<TDetails = any> = (partialResult: AgentToolResult<TDetails>) => void;

/** The values that the step of a call in a durable run passes to its tool. */
export interface AgentToolStep {
  /**
   * Identifies the call among all runs, and is the same in each process. Pass it to a service as its idempotency key.
   * Printable ASCII without spaces.
   */
  readonly idempotencyKey: string;
  /** Precedes the names of the steps of a run that the tool begins, so that they differ from those of this run. */
  readonly scope: string;
}

/** The call of a tool: its run, and in a durable run its step. */
export interface AgentToolContext extends Partial<AgentToolStep> {
  /** The run, for a tool that runs an agent of its own. Absent outside of a run. */
  readonly run?: ParentRun | undefined;
  /**
   * Asks the user. The first time, the call ends here and the run pauses: what the tool returns or throws then does not count.
   * When the answer is there, the tool is called again with the same arguments, and this returns the answer. So what stands
   * before it runs again. A call may ask 10 times; an answer that does not fit the schema is asked for again and counts, too.
   * Absent outside of a run.
   *
   * Rejects if the user declines: the model then reads why, unless the tool catches the error.
   */
  ask?<const TSchema extends object>(question: ToolQuestion<TSchema>): Promise<ToolArguments<TSchema>>;
  /** For a tool that runs something that pauses of its own. Absent outside of a run. */
  readonly pausing?: ToolPausing | undefined;
}

/** The call of a tool that an agent runs. Outside of a run, as in `runToolCall` without one, a tool has none of these. */
export interface AgentToolRunContext extends AgentToolContext {
  readonly run: ParentRun;
  ask<const TSchema extends object>(question: ToolQuestion<TSchema>): Promise<ToolArguments<TSchema>>;
  readonly pausing: ToolPausing;
}

/** A tool with its code. `defineTool` creates one and infers its types. */
// biome-ignore lint/suspicious/noExplicitAny: as for AgentToolResult.
export type AgentTool<TParameters extends object = object, TDetails = any> = AgentToolOf<
  ToolArguments<TParameters>,
  TParameters,
  unknown extends TDetails ? AgentToolOutput : AgentToolResult<TDetails>,
  // biome-ignore lint/suspicious/noExplicitAny: a caller of `execute` knows what the tool returns.
  unknown extends TDetails ? any : AgentToolResult<TDetails>
>;

/**
 * Limits of one tool call: of all calls of a run, of `runToolCall`, or of a tool, whose own limit wins. Each has a row in
 * `settings.ts`.
 */
export interface ToolCallLimits {
  /** Timeout of the call in milliseconds; the call then gets an error result. 0 means no limit, as does the default. */
  toolTimeoutMs?: number | undefined;
}

/**
 * A tool by the type of its arguments. They are the first type parameter because the compiler compares the tools of a
 * list in this order: a difference in the arguments is cheap to find, and comparing two schemas is not.
 */
export interface AgentToolOf<in out TArguments, out TParameters extends object, out TOutput, out TReturn = TOutput>
  extends AgentToolFrame<TParameters> {
  /**
   * Runs the tool. An error becomes an error result: the model sees its text, bounded to 2,048 characters and without secrets.
   *
   * @param params a validated copy of the model's arguments; the output of the library for a schema of Zod, Valibot or ArkType
   * @param signal aborted when the run is aborted or the call timed out
   * @param context the call: `idempotencyKey` in a durable run, and the run that it belongs to
   */
  execute: (
    toolCallId: string,
    params: TArguments,
    signal?: AbortSignal,
    onUpdate?: (partialResult: TOutput) => void,
    context?: AgentToolContext,
  ) => Promise<TReturn> | TReturn;
}

/**
 * A tool as it is written for an agent, which always passes the context. Every {@link AgentToolOf} is one; a call outside of a run
 * need not pass it.
 */
export interface AgentToolDefinition<TArguments, TParameters extends object, TOutput, TReturn = TOutput>
  extends AgentToolFrame<TParameters> {
  /** As of {@link AgentToolOf}. */
  execute: (
    toolCallId: string,
    params: TArguments,
    signal: AbortSignal | undefined,
    onUpdate: ((partialResult: TOutput) => void) | undefined,
    context: AgentToolRunContext,
  ) => Promise<TReturn> | TReturn;
}

/** A tool without its code. */
interface AgentToolFrame<out TParameters extends object> extends Tool<TParameters>, ToolCallLimits {
  /** A name for people. Default: the tool's `name`. */
  label?: string | undefined;
  /** Repairs arguments before validation, for calls that follow an older schema. Receives a copy. */
  prepareArguments?: ((args: unknown) => unknown) | undefined;
  /** `"sequential"` makes every batch with a call of this tool sequential. */
  executionMode?: ToolExecutionMode | undefined;
  /**
   * Whether a durable run repeats a call that was running when its process died. `"safe"` runs it again. `"never"` does
   * not, and the model learns that the effect is unknown. Default `"never"`.
   */
  replay?: "safe" | "never" | undefined;
  /** Whether the model is expected to repeat the call, to wait for something. Never counts as a loop. Default false. */
  polls?: boolean | undefined;
}

/** A tool with any parameters, for lists of tools. */
// biome-ignore lint/suspicious/noExplicitAny: `execute` takes its own parameters, so no single type but any fits all tools.
export type AnyAgentTool = AgentTool<any>;

/** A call that is about to run, with its validated arguments. */
export interface StepToolCall {
  /** The call, with the arguments of the model or of the person who changed them. */
  toolCall: AgentToolCall;
  /** Its tool. */
  tool: AnyAgentTool;
  /** The validated arguments. */
  args: AgentToolCall["arguments"];
  /** The arguments for people: those that the model sent, if the tool receives the output of a library. */
  shown?: AgentToolCall["arguments"];
  /** The marks that earlier runs have left of the call, if it has paused. */
  paused?: PausedCall | undefined;
}

/** The outcome of a tool call. */
export interface AgentToolCallOutcome {
  /** The call. */
  toolCall: AgentToolCall;
  /** The result of the tool, or the text of its error. */
  result: AgentToolResult;
  /** Whether the call failed. */
  isError: boolean;
  /**
   * How long the tool ran, in milliseconds, with the time of `wrapToolCall` and all executions; not that of other hooks. Absent
   * if it never ran.
   */
  durationMs?: number;
  /** Set if the call waits for answers, and has no result yet. */
  pause?: Extract<CallMark, { state: "waiting" }>;
}

/** The second parameter of a server tool's handler. */
export interface ServerToolContext extends AgentToolContext {
  /** Aborted when the run is aborted or the call timed out. */
  signal: AbortSignal | undefined;
  /** Reports progress as a `tool_execution_update`. Ignored once the handler has ended. */
  onUpdate: (partialResult: AgentToolOutput) => void;
}

/**
 * Runs a server tool that waits for the application, such as a command of the provider's `shell`. `content` is for other
 * models; `output` holds the fields of the provider's own result item. An error becomes an error result.
 *
 * @param serverTool the block, with the `input` that `beforeToolCall` left
 */
export type ServerToolHandler = (
  serverTool: ServerToolContent,
  context: ServerToolContext,
) => AgentToolOutput | Promise<AgentToolOutput>;

/** The handlers by the `name` of the block. */
export type ServerToolHandlers = Readonly<Record<string, ServerToolHandler>>;
