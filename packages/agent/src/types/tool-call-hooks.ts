/** The hooks of a tool call: before, around and after the execution of its tool. */
import type { AssistantMessage, UserBlock } from "pi-ai";
import type { AgentContext } from "./agent-context.js";
import type { AgentToolCall } from "./message.js";
import type { AgentToolResult, AnyAgentTool } from "./tool.js";

/** A tool call that is about to run. */
export interface BeforeToolCallContext {
  /** The response that contains the call. */
  assistantMessage: AssistantMessage;
  /** The call as the model sent it. */
  toolCall: AgentToolCall;
  /**
   * The validated copy that the tool will receive. May be changed in place: only the rules of a library, such as Zod, are then
   * applied again.
   */
  // biome-ignore lint/suspicious/noExplicitAny: arguments have the shape of the tool's own schema.
  args: any;
  /** The run's own conversation, including the response. */
  context: AgentContext;
}

/**
 * The decision of `beforeToolCall`. Without one the tool runs, and so it does if the hook returns no object, such as `true`. `false`,
 * a text, a list, and an object with other fields alone count as a hook that throws.
 */
export interface BeforeToolCallResult {
  /** True, or any other truthy value: the tool does not run, and the model gets an error result. */
  block?: boolean;
  /** The text of that result. Default `Tool execution was blocked`. */
  reason?: string;
}

/** A tool call that has run. */
export interface AfterToolCallContext extends BeforeToolCallContext {
  /** The result of the tool, or the text of its error. */
  result: AgentToolResult;
  /** Whether the tool failed. */
  isError: boolean;
}

/** Each present field replaces the one of the tool's result; nested values are not merged. */
export interface AfterToolCallResult {
  /** Content for the model. */
  content?: UserBlock[];
  /** Data for the host. */
  // biome-ignore lint/suspicious/noExplicitAny: details belong to the host.
  details?: any;
  /** Whether the call counts as failed. */
  isError?: boolean;
  /** Whether the run should end after this batch. */
  terminate?: boolean;
  /** The fields of the provider's own result item, for a server tool. */
  output?: Record<string, unknown>;
}

/** Decides whether a tool runs. If it throws, the tool does not run and the call gets an error result. */
export type BeforeToolCallHook = (
  context: BeforeToolCallContext,
  signal?: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may have no return statement.
) => Promise<BeforeToolCallResult | undefined | void>;

/** Changes the result of a tool. If it throws, the call gets an error result. */
export type AfterToolCallHook = (
  context: AfterToolCallContext,
  signal?: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: as above.
) => Promise<AfterToolCallResult | undefined | void>;

/** A tool call for {@link WrapToolCallHook}. */
export interface WrapToolCallContext extends Omit<BeforeToolCallContext, "context"> {
  /** The tool. */
  tool: AnyAgentTool;
}

/**
 * Surrounds the execution of one tool, for example with a trace, a retry or a cache. It runs after `beforeToolCall` and
 * before `afterToolCall`, but not for a call that was rejected. Its result is the result of the call; an error that it
 * throws becomes an error result. `durationMs` includes its time. After an abort it has 5 ms to end.
 *
 * @param execute runs the tool with `call.args` and resolves with its checked result. Rejects with the tool's own error,
 *   on a timeout, and with an `AbortedError` as soon as the run is aborted, even if the tool hangs. May be called any
 *   number of times, or not at all; each execution has the whole timeout.
 */
export type WrapToolCallHook = (
  call: WrapToolCallContext,
  execute: () => Promise<AgentToolResult>,
  signal?: AbortSignal,
) => Promise<AgentToolResult>;

/** Hooks of each tool call. An error in one becomes an error result of that call. */
export interface ToolCallHooks {
  /** Called with validated arguments before a tool runs. If it throws, the tool does not run. */
  beforeToolCall?: BeforeToolCallHook | undefined;
  /** Surrounds the execution of a tool. */
  wrapToolCall?: WrapToolCallHook | undefined;
  /** Called after a tool succeeded or failed. */
  afterToolCall?: AfterToolCallHook | undefined;
}
