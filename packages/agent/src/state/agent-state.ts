/** The state of an agent, and the one function that changes what a run makes of it. */
import type { Model } from "pi-ai";
import type { AgentEvent } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentOptions } from "../types/options.js";
import type { AgentState, ThinkingLevel } from "../types/state.js";
import type { AnyAgentTool } from "../types/tool.js";

/** The part of the state that belongs to the run. Replaced as a whole, never changed. */
export interface AgentRunState {
  readonly isStreaming: boolean;
  readonly streamingMessage: AgentMessage | undefined;
  readonly pendingToolCalls: ReadonlySet<string>;
  readonly errorMessage: string | undefined;
}

/** What an agent does to itself, beside the events of its run. */
export type AgentLifecycleEvent = { type: "run_start" } | { type: "run_settled" } | { type: "reset" };

export const IDLE: AgentRunState = {
  isStreaming: false,
  streamingMessage: undefined,
  pendingToolCalls: new Set(),
  errorMessage: undefined,
};

/** The state after an event. Pure. */
export function reduceAgentState(state: AgentRunState, event: AgentEvent | AgentLifecycleEvent): AgentRunState {
  switch (event.type) {
    case "run_start":
      return { ...IDLE, isStreaming: true };
    case "run_settled":
      return { ...IDLE, errorMessage: state.errorMessage };
    case "reset":
      return IDLE;
    case "message_start":
    case "message_update":
      return { ...state, streamingMessage: event.message };
    case "message_end":
    case "agent_end":
      return { ...state, streamingMessage: undefined };
    case "tool_execution_start":
      return { ...state, pendingToolCalls: new Set(state.pendingToolCalls).add(event.toolCallId) };
    case "tool_execution_end":
      return { ...state, pendingToolCalls: without(state.pendingToolCalls, event.toolCallId) };
    case "turn_end":
      return { ...state, errorMessage: findErrorMessage(event.message) ?? state.errorMessage };
    default:
      return state;
  }
}

/** The state as an application sees it. */
export class AgentStateStore implements AgentState {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  #tools: AnyAgentTool[];
  #messages: AgentMessage[];
  #run: AgentRunState = IDLE;

  constructor(initial: AgentOptions["initialState"] = {}) {
    this.systemPrompt = initial.systemPrompt ?? "";
    this.model = initial.model ?? createPlaceholderModel();
    this.thinkingLevel = initial.thinkingLevel ?? "off";
    this.#tools = initial.tools?.slice() ?? [];
    this.#messages = initial.messages?.slice() ?? [];
  }

  get tools(): AnyAgentTool[] {
    return this.#tools;
  }

  set tools(tools: readonly AnyAgentTool[]) {
    this.#tools = tools.slice();
  }

  get messages(): AgentMessage[] {
    return this.#messages;
  }

  set messages(messages: readonly AgentMessage[]) {
    this.#messages = messages.slice();
  }

  get isStreaming(): boolean {
    return this.#run.isStreaming;
  }

  get streamingMessage(): AgentMessage | undefined {
    return this.#run.streamingMessage;
  }

  get pendingToolCalls(): ReadonlySet<string> {
    return this.#run.pendingToolCalls;
  }

  get errorMessage(): string | undefined {
    return this.#run.errorMessage;
  }

  /** The only way for a run to change the state. */
  apply(event: AgentEvent | AgentLifecycleEvent): void {
    this.#run = reduceAgentState(this.#run, event);
    // The transcript grows in place: a copy for each message would make a long conversation quadratic.
    if (event.type === "message_end") this.#messages.push(event.message);
    if (event.type === "reset") this.#messages = [];
  }
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  if (ids.size === 1 && ids.has(id)) return IDLE.pendingToolCalls;
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}

function findErrorMessage(message: AgentMessage): string | undefined {
  return message.role === "assistant" ? message.errorMessage : undefined;
}

/** Stands in until the application names a model; a call with it fails with its api's name. */
function createPlaceholderModel(): Model {
  return {
    id: "unknown",
    name: "unknown",
    api: "unknown",
    provider: "unknown",
    baseUrl: "",
    reasoning: false,
    input: [],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 0,
    maxTokens: 0,
  };
}
