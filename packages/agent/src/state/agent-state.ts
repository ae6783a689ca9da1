/** The state of an agent, and the reducer that applies the events of a run to it. */
import type { Model } from "pi-ai";
import { assertTools } from "../loop/check-tools.js";
import type { AgentEvent } from "../types/event.js";
import type { AgentMessage, AgentMessageInput } from "../types/message.js";
import type { AgentOptions } from "../types/options.js";
import type { AgentState } from "../types/state.js";
import type { AnyAgentTool } from "../types/tool.js";
import { toAgentMessage } from "./prompt-messages.js";

/** The part of the state that the run owns. Replaced as a whole, never mutated. */
export interface AgentRunState {
  readonly isStreaming: boolean;
  readonly streamingMessage: AgentMessage | undefined;
  readonly pendingToolCalls: ReadonlySet<string>;
  readonly errorMessage: string | undefined;
}

/** Changes that an agent makes itself, beside the events of its run. */
export type AgentLifecycleEvent = { type: "run_start" } | { type: "run_settled" } | { type: "reset" };

/** The state of an agent that does nothing. With a set of its own: a shared one could be changed for every agent. */
export function createIdleState(): AgentRunState {
  return { isStreaming: false, streamingMessage: undefined, pendingToolCalls: new Set(), errorMessage: undefined };
}

/** The state after an event. Pure. */
export function reduceAgentState(state: AgentRunState, event: AgentEvent | AgentLifecycleEvent): AgentRunState {
  switch (event.type) {
    case "run_start":
      return { ...createIdleState(), isStreaming: true };
    case "run_settled":
      return { ...createIdleState(), errorMessage: state.errorMessage };
    case "reset":
      return createIdleState();
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
    case "agent_start":
    case "turn_start":
    case "tool_execution_update":
      return state;
    default:
      // A new type of event fails to compile here; one of a custom source changes nothing.
      event satisfies never;
      return state;
  }
}

export interface AgentStateStore {
  /** The state as an application sees it: live, and read-only where the run owns it. */
  readonly state: AgentState;
  /** The only way for a run to change the state. */
  apply(event: AgentEvent | AgentLifecycleEvent): void;
}

export function createAgentState(initial: AgentOptions["initialState"] = {}): AgentStateStore {
  let run = createIdleState();
  let tools = copyTools(initial.tools ?? []);
  let messages = copyMessages(initial.messages ?? []);
  return {
    // Accessors of an object literal are its own and enumerable, so the state can be spread, listed and serialized. They
    // do not use `this`, so it also works behind a JavaScript Proxy.
    state: {
      systemPrompt: initial.systemPrompt ?? "",
      model: initial.model ?? createPlaceholderModel(),
      thinkingLevel: initial.thinkingLevel ?? "off",
      get tools() {
        return tools;
      },
      set tools(replacement) {
        tools = copyTools(replacement);
      },
      get messages() {
        return messages;
      },
      set messages(replacement) {
        messages = copyMessages(replacement);
      },
      get isStreaming() {
        return run.isStreaming;
      },
      get streamingMessage() {
        return run.streamingMessage;
      },
      get pendingToolCalls() {
        return run.pendingToolCalls;
      },
      get errorMessage() {
        return run.errorMessage;
      },
    },
    apply: (event) => {
      run = reduceAgentState(run, event);
      // The transcript grows in place: a copy for each message would make a long conversation quadratic.
      if (event.type === "message_end") messages.push(event.message);
      if (event.type === "reset") messages = [];
    },
  };
}

function copyTools(tools: readonly AnyAgentTool[]): AnyAgentTool[] {
  assertTools(tools);
  return tools.slice();
}

function copyMessages(messages: readonly AgentMessageInput[]): AgentMessage[] {
  return messages.map((message) => toAgentMessage(message));
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}

function findErrorMessage(message: AgentMessage): string | undefined {
  return message.role === "assistant" ? message.errorMessage : undefined;
}

/** Stands in until the application sets a model; a request to it fails with the name of its api. */
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
