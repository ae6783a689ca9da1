/**
 * An agent runtime: a model that calls tools, turn by turn, with events for everything it does.
 *
 * @module pi-agent
 */

export type { ProxyAssistantMessageEvent } from "pi-ai/call";
export { Agent } from "./agent.js";
export { agentLoop, agentLoopContinue, runAgentLoop, runAgentLoopContinue } from "./agent-loop.js";
export { defineTool } from "./define-tool.js";
export { AgentBusyError, AgentStateError } from "./errors.js";
export { runToolCall } from "./loop/run-tool-call.js";
export type { ProxyStreamOptions } from "./proxy/options.js";
export { streamProxy } from "./proxy.js";
export type {
  AfterToolCallContext,
  AfterToolCallHook,
  AfterToolCallResult,
  AgentContext,
  AgentEvent,
  AgentEventSink,
  AgentInitialState,
  AgentLimits,
  AgentListener,
  AgentLoopConfig,
  AgentLoopHooks,
  AgentLoopTurnUpdate,
  AgentMessage,
  AgentMessageInput,
  AgentOptions,
  AgentOutput,
  AgentRequestOption,
  AgentState,
  AgentStreamOptions,
  AgentTool,
  AgentToolCall,
  AgentToolCallOutcome,
  AgentToolExecution,
  AgentToolOf,
  AgentToolOutput,
  AgentToolResult,
  AgentToolUpdateCallback,
  AnyAgentTool,
  ApprovalAnswer,
  ApprovalEvent,
  ApprovalRequest,
  AssistantResponseStream,
  BeforeToolCallContext,
  BeforeToolCallHook,
  BeforeToolCallResult,
  BudgetLimit,
  ChildEvent,
  CustomAgentMessages,
  GuardedRequest,
  GuardedRun,
  LimitEvent,
  LoopKind,
  ModelRequest,
  ParentRun,
  PolledQueue,
  PrepareNextTurnContext,
  QueueMode,
  RememberedOutcome,
  RunGuard,
  RunLimits,
  RunSteps,
  RunStop,
  RunToolCallOptions,
  ServerToolContext,
  ServerToolHandler,
  ServerToolHandlers,
  ShouldStopAfterTurnContext,
  StepToolCall,
  StreamFn,
  ThinkingLevel,
  ToolCallHooks,
  ToolExecutionEvent,
  ToolExecutionMode,
  TransformContextHook,
  TurnVerdict,
  WrapModelCallHook,
  WrapToolCallContext,
  WrapToolCallHook,
} from "./types.js";
