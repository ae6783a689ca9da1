/** One run: its parts, and the events that more than one of them makes. */
import type { AssistantMessage, ToolResultMessage, Usage } from "pi-ai";
import { formatThrownValue, isRecord, redact } from "pi-ai/call";
import type { AbortGate } from "../abort-gate.js";
import { assertTools } from "../check-tools.js";
import { readClock } from "../checks.js";
import { createMark, type RecordedResult } from "../pause/index.js";
import { SideUsage } from "../side-usage.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentEvent } from "../types/event.js";
import type { AgentLoopTurnUpdate, StreamFn } from "../types/hooks.js";
import type { AgentToolCall } from "../types/message.js";
import type { RunHooks } from "../types/middleware.js";
import type { ParentRun, RunParent } from "../types/parent-run.js";
import type { CallMark } from "../types/pause.js";
import type { RunSteps } from "../types/run-steps.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import { directSteps } from "./direct-steps.js";
import { OpenResponse, type ResponseProgress } from "./open-response.js";
import { OpenToolCalls } from "./open-tool-calls.js";
import { RunEnding } from "./run-ending.js";
import { RunEvents, type RunEventsOptions } from "./run-events.js";
import { RunSettings } from "./run-settings.js";
import { type OnRewind, Transcript } from "./transcript.js";

export interface AgentRunOptions extends RunEventsOptions {
  context: AgentContext;
  config: AgentLoopConfig;
  streamFn: StreamFn;
  /** Called when a durable run removes messages from the end of the conversation, see `StepRun`. */
  onRewind?: OnRewind;
  /** The usage of the agent's last run that none of its responses names. */
  sideUsages?: readonly Usage[] | undefined;
  /** The run whose tool runs this agent, and the call. */
  parent?: RunParent | undefined;
  /** The agent whose run it is; undefined in the functions of the loop. */
  owner?: object | undefined;
  /** See `MiddlewareRun.whenIdle`. */
  whenIdle?: (work: () => Promise<void>) => void;
  /** Aborts the run, through the signal of the gate. */
  abort: () => void;
  /** Receives what middleware throws at the end of the run, when it cannot fail any more. Default: nobody. */
  onLateFailure?: (error: unknown) => void;
}

type ToolCallEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;

/** The middleware of a run: its names in the order of the list, and one hook of each kind that any of them has. */
export interface RunMiddleware extends RunHooks {
  readonly names: readonly string[];
}

export class AgentRun {
  /** The options of the run, as they were given: nothing of them is ever changed. */
  readonly options: Readonly<AgentRunOptions>;
  readonly settings: RunSettings;
  readonly gate: AbortGate;
  /** Everything that the run gets from outside goes through them. */
  readonly steps: RunSteps;
  readonly transcript: Transcript;
  /** Its events, and who sees them. */
  readonly events: RunEvents;
  /** The response that is arriving. */
  readonly openResponse: OpenResponse = new OpenResponse();
  /** The calls of the latest response that have no result yet. */
  readonly openToolCalls: OpenToolCalls = new OpenToolCalls();
  /** The requests beside the conversation. */
  readonly sideUsage: SideUsage;
  readonly ending: RunEnding = new RunEnding();
  /** Passed to tools that run agents of their own. */
  readonly asParent: ParentRun;
  #middleware: RunMiddleware = { names: [] };
  #isTurnOpen = false;

  constructor(options: AgentRunOptions) {
    const { context, config, parent } = options;
    assertTools(context.tools);
    this.options = options;
    this.settings = new RunSettings(config);
    this.gate = options.gate;
    this.steps = config.steps ?? directSteps;
    this.events = new RunEvents(options, this.steps, (error) => this.ending.keepFailure(error));
    this.transcript = new Transcript(options, this.events);
    this.sideUsage = new SideUsage(options.sideUsages);
    // A wrong entry is reported when the run has begun.
    const own = config.middleware?.filter((one) => one?.inherit) ?? [];
    this.asParent = {
      emit: (event) => this.emit(event),
      middleware: [...new Set([...(parent?.run.middleware ?? []), ...own])],
      countUsage: (usage, soFar) => this.sideUsage.countUsage(usage, soFar),
      reportUsage: (call, usage) => this.sideUsage.reportUsage(call, usage),
    };
  }

  /** The composed hooks of its middleware and of the application. They are set when the run begins. */
  get middleware(): RunMiddleware {
    return this.#middleware;
  }

  /** Sets the composed hooks. */
  useMiddleware(hooks: RunHooks, names: readonly string[]): void {
    this.#middleware = { ...hooks, names };
    this.settings.useCallHooks(hooks);
    this.events.observeWith(hooks.onEvent);
  }

  /** Emits an event. Returns a promise only if there is something to wait for. */
  emit(event: AgentEvent): Promise<void> | undefined {
    return this.events.emit(event);
  }

  /** Emits the last event. A message that middleware has added and not waited for comes before it, whole. */
  async emitEnd(more: Omit<Extract<AgentEvent, { type: "agent_end" }>, "type" | "messages"> = {}): Promise<void> {
    while (this.transcript.unfinished) await this.transcript.unfinished.catch(() => {});
    await this.emit({ type: "agent_end", messages: this.transcript.newMessages, ...more });
  }

  /** Begins a turn, unless one is open: the first one begins before the prompts, so `runTurn` finds it open. */
  beginTurn(): Promise<void> | undefined {
    if (this.#isTurnOpen) return undefined;
    this.#isTurnOpen = true;
    return this.emit({ type: "turn_start" });
  }

  endTurn(message: AssistantMessage, toolResults: ToolResultMessage[]): Promise<void> | undefined {
    this.#isTurnOpen = false;
    return this.emit({ type: "turn_end", message, toolResults });
  }

  /** Emits the progress of a response. */
  showProgress(event: ResponseProgress): Promise<void> | undefined {
    if (!this.openResponse.take(event)) return undefined;
    const message = { ...this.openResponse.stamp(event.partial) };
    if (event.type !== "start") return this.emit({ type: "message_update", message, assistantMessageEvent: event });
    const begin = (): Promise<void> | undefined => this.emit({ type: "message_start", message });
    // What middleware has added and not waited for comes first, whole.
    return this.transcript.unfinished?.then(begin, begin) ?? begin();
  }

  /** Adds the final message. Ends the open response with it, or emits it whole if none was open. */
  endResponse(message: AssistantMessage): Promise<void> {
    this.ending.countResponse();
    return this.transcript.deliver(message, this.openResponse.end() ? null : { ...message });
  }

  beginToolCall(toolCall: AgentToolCall): Promise<void> | undefined {
    const { id, name, arguments: args } = toolCall;
    this.openToolCalls.begin(toolCall);
    return this.emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
  }

  /** Every tool call ends here, whether it ran, failed, was refused or aborted. Its message follows in the order of the calls. */
  endToolCall(outcome: AgentToolCallOutcome): Promise<void> | undefined {
    const { toolCall, result, isError, durationMs, pause } = outcome;
    this.openToolCalls.end(outcome);
    const { id: toolCallId, name: toolName } = toolCall;
    const event: ToolCallEnd = { type: "tool_execution_end", toolCallId, toolName, result, isError };
    if (durationMs !== undefined) event.durationMs = durationMs;
    if (pause) event.isWaiting = true;
    return this.emit(event);
  }

  /** Adds the message with the result of a call that has ended, and returns it. */
  async addToolResult(outcome: AgentToolCallOutcome): Promise<RecordedResult> {
    this.openToolCalls.settle(outcome.toolCall);
    const message = this.#createToolResult(outcome);
    await this.transcript.deliver(message);
    return message;
  }

  #createToolResult({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): RecordedResult {
    const { id: toolCallId, name: toolName, serverTool } = toolCall;
    const { content, details, output, terminate } = result;
    const timestamp = this.now();
    const message: RecordedResult = {
      role: "toolResult",
      toolCallId,
      toolName,
      content,
      details,
      isError,
      timestamp,
    };
    if (serverTool && isRecord(output)) message.output = output;
    if (durationMs !== undefined) message.durationMs = durationMs;
    if (terminate === true) message.terminate = true;
    return message;
  }

  /** Adds the mark of a call that has paused. */
  addMark(toolCall: AgentToolCall, mark: CallMark, details?: unknown): Promise<void> {
    if (mark.state === "waiting") this.openToolCalls.settle(toolCall);
    this.sideUsage.keepCall(details);
    return this.transcript.deliver(createMark(toolCall, mark, { timestamp: this.now(), details }));
  }

  /** Unix time in milliseconds; in a durable run the same in each process. */
  now(): number {
    try {
      return readClock(this.settings.clock);
    } catch (error) {
      this.ending.keepFailure(error);
      return Date.now();
    }
  }

  /** Applies an update of a decision after a turn: of middleware, or of `prepareNextTurn`. */
  update(update: AgentLoopTurnUpdate): void {
    if (update.context) this.transcript.replace(update.context);
    this.settings.update(update);
  }

  /** The text of an error. A stream function or a hook of the application may quote the key that it received. */
  describeError(thrown: unknown): string {
    return redact(formatThrownValue(thrown), this.secrets());
  }

  /** The values that must not appear in texts. */
  secrets(): readonly string[] {
    return this.settings.secrets();
  }
}
