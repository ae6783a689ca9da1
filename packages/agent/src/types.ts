/** The types of the public API, under the path that users know. */

export type { AgentContext } from "./types/agent-context.js";
export type { AgentClock, AgentLimits, AgentLoopConfig, AgentLoopHooks, AgentOutput } from "./types/config.js";
export type {
  AgentEvent,
  AgentEventBody,
  AgentEventSink,
  AgentListener,
  ApprovalAnswer,
  ApprovalEvent,
  ApprovalRequest,
  BudgetLimit,
  ChildEvent,
  LimitEvent,
  LoopKind,
  ReplayMark,
  RunStop,
  ToolExecutionEvent,
} from "./types/event.js";
export type {
  AgentLoopTurnUpdate,
  AssistantResponseStream,
  ModelRequest,
  PrepareNextTurnContext,
  ShouldStopAfterTurnContext,
  SideRequest,
  StreamFn,
  TransformContextHook,
  WrapModelCallHook,
} from "./types/hooks.js";
export type {
  AgentMessage,
  AgentMessageInput,
  AgentToolCall,
  CustomAgentMessages,
  LastResponse,
} from "./types/message.js";
export type {
  AgentMiddleware,
  FinishedTurn,
  ForkedRequest,
  MiddlewareRun,
  RunFork,
  RunHooks,
  RunOutcome,
  ToolBlock,
  ToolVerdict,
  TurnDecision,
} from "./types/middleware.js";
export type {
  AgentInitialState,
  AgentOptions,
  AgentRequestOption,
  AgentSettings,
  AgentStreamOptions,
} from "./types/options.js";

export type { ParentRun, ParentToolCall, RunParent } from "./types/parent-run.js";
export type {
  CallMark,
  LiveAnswer,
  OnNewMessage,
  Pause,
  PauseAnswer,
  PausedCall,
  PauseRequest,
  ToolPausing,
  ToolQuestion,
  WaitingCall,
} from "./types/pause.js";
export type {
  QueuedMessage,
  QueueKind,
  QueueStore,
  ResumeOutcome,
  SendOptions,
  Sent,
} from "./types/queue.js";
export type {
  PolledQueue,
  RememberedOutcome,
  ResponseWork,
  RunSteps,
  SideResponse,
  StepRun,
} from "./types/run-steps.js";
export type { RunToolCallOptions } from "./types/run-tool-call.js";
export type { AgentState, QueueMode, ThinkingLevel } from "./types/state.js";
export type {
  AgentTool,
  AgentToolCallOutcome,
  AgentToolContext,
  AgentToolDefinition,
  AgentToolOf,
  AgentToolOutput,
  AgentToolResult,
  AgentToolReturn,
  AgentToolRunContext,
  AgentToolStep,
  AgentToolUpdateCallback,
  AnyAgentTool,
  ServerToolContext,
  ServerToolHandler,
  ServerToolHandlers,
  StepToolCall,
  ToolCallLimits,
  ToolExecutionMode,
} from "./types/tool.js";
export type {
  AfterToolCallContext,
  AfterToolCallHook,
  AfterToolCallResult,
  BeforeToolCallContext,
  BeforeToolCallHook,
  BeforeToolCallResult,
  ToolCallHooks,
  WrapToolCallContext,
  WrapToolCallHook,
} from "./types/tool-call-hooks.js";
