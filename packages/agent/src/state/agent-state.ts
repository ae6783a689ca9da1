/** The state of an agent, and the reducer that applies the events of a run to it. */
import type { Model } from "pi-ai";
import { assertToolList, assertTools } from "../check-tools.js";
import {
  CallRecords,
  findPausedResponse,
  joinRecords,
  type MarkMessage,
  pendingRequests,
  rewindRecords,
  withOwnIds,
} from "../pause/index.js";
import type { AgentEvent, ApprovalRequest, RunStop } from "../types/event.js";
import type { AgentMessage, AgentMessageInput } from "../types/message.js";
import type { AgentInitialState, AgentOptions } from "../types/options.js";
import type { Pause } from "../types/pause.js";
import type { AgentState } from "../types/state.js";
import { mustBeNoName } from "./check-agent-options.js";
import { toAgentMessages } from "./prompt-messages.js";

/** The part of the state that runs replace as a whole and never mutate. */
export interface AgentRunState {
  readonly isStreaming: boolean;
  readonly streamingMessage: AgentMessage | undefined;
  readonly pendingApprovals: readonly ApprovalRequest[];
  readonly errorMessage: string | undefined;
  readonly output: unknown;
  readonly stopped: RunStop | undefined;
}

/** State changes that are not caused by an event of a run. */
export type AgentLifecycleEvent =
  | { type: "run_start" }
  | { type: "run_settled" }
  | { type: "reset" }
  /** A durable run repeats the messages after the first `length`. */
  | { type: "rewind"; length: number; records: readonly AgentMessage[] }
  /** People have answered. */
  | { type: "answers"; marks: readonly MarkMessage[] };

/** The state of an agent between runs. */
const IDLE: AgentRunState = Object.freeze({
  isStreaming: false,
  streamingMessage: undefined,
  pendingApprovals: [],
  errorMessage: undefined,
  output: undefined,
  stopped: undefined,
});

/** The events after which the state of a run is the same. */
type Unchanging =
  | "rewind"
  | "answers"
  | "agent_start"
  | "turn_start"
  | "tool_execution_start"
  | "tool_execution_update"
  | "tool_execution_end"
  | "budget_warning"
  | "loop_noticed"
  | "child_event";

/** The state after an event. Pure. */
export function reduceAgentState(state: AgentRunState, event: AgentEvent | AgentLifecycleEvent): AgentRunState {
  switch (event.type) {
    case "message_start":
    case "message_update":
      return { ...state, streamingMessage: event.message };
    case "message_end":
    case "agent_end":
      return { ...state, streamingMessage: undefined };
    case "turn_end": {
      const errorMessage = findErrorMessage(event.message);
      return errorMessage === undefined ? state : { ...state, errorMessage };
    }
    case "output":
      return { ...state, output: event.output };
    case "approval_requested":
      return { ...state, pendingApprovals: [...state.pendingApprovals, event.request] };
    case "approval_resolved":
      return { ...state, pendingApprovals: state.pendingApprovals.filter(({ name }) => name !== event.request.name) };
    case "run_stopped":
      return { ...state, stopped: event.stop };
    case "run_start":
      return { ...IDLE, isStreaming: true };
    case "run_settled":
      return { ...IDLE, errorMessage: state.errorMessage, output: state.output, stopped: state.stopped };
    case "reset":
      return IDLE;
    default:
      // A new type of event fails to compile here; one of a custom source changes nothing.
      event satisfies { type: Unchanging };
      return state;
  }
}

export interface AgentStateStore {
  /** The state as an application sees it: live, with read-only fields for those that a run owns. */
  readonly state: AgentState;
  /** The only way for a run to change the state. */
  apply(event: AgentEvent | AgentLifecycleEvent): void;
}

/** @param now the clock for messages without a timestamp, in Unix milliseconds */
export function createAgentState(
  initial: AgentOptions["initialState"] = {},
  now: () => number = Date.now,
): AgentStateStore {
  let run = IDLE;
  const pendingToolCalls = new PendingToolCalls();
  let model = initial.model ?? createPlaceholderModel();
  let tools = readTools(initial.tools);
  let messages = readMessages(initial.messages ?? [], "initialState.messages", now);
  const records = new CallRecords();
  return {
    // Accessors of an object literal are its own and enumerable, so the state can be spread, listed and serialized. They
    // do not use `this`, so it also works behind a JavaScript Proxy.
    state: {
      systemPrompt: initial.systemPrompt ?? "",
      get model() {
        return model;
      },
      set model(replacement) {
        mustBeNoName("model", replacement);
        // In plain JavaScript it may be what getModel returned for an id that nobody knows.
        model = replacement ?? createPlaceholderModel();
      },
      thinkingLevel: initial.thinkingLevel ?? "off",
      get tools() {
        return tools;
      },
      set tools(replacement) {
        assertToolList(replacement);
        // A tool that could not run is refused when a run begins: a user interface may set one for its name.
        tools = replacement.slice();
      },
      get messages() {
        return messages;
      },
      set messages(replacement) {
        messages = readMessages(replacement, "messages", now);
      },
      get isStreaming() {
        return run.isStreaming;
      },
      get streamingMessage() {
        return run.streamingMessage;
      },
      get pendingToolCalls() {
        return pendingToolCalls.snapshot;
      },
      get pendingApprovals() {
        return run.pendingApprovals;
      },
      get pause() {
        return findPause(messages);
      },
      get output() {
        return run.output;
      },
      get stopped() {
        return run.stopped;
      },
      get errorMessage() {
        return run.errorMessage;
      },
    },
    apply: (event) => {
      run = reduceAgentState(run, event);
      pendingToolCalls.apply(event);
      switch (event.type) {
        case "message_end":
          // The transcript grows in place: a copy for each message would make a long conversation quadratic.
          records.add(messages, event.message);
          break;
        case "answers":
          for (const mark of event.marks) records.add(messages, mark);
          break;
        case "rewind":
          rewindRecords(messages, event.length, event.records);
          break;
        case "reset":
          messages = [];
      }
    },
  };
}

/** A conversation as an application passes it: each call gets an id of its own, and one record. */
function readMessages(
  given: readonly (string | AgentMessageInput)[],
  place: string,
  now: () => number,
): AgentMessage[] {
  return joinRecords(withOwnIds(toAgentMessages(given, place, { now })));
}

/** @throws TypeError for tools that could not run */
function readTools(given: AgentInitialState["tools"]): AgentState["tools"] {
  assertTools(given);
  return given?.slice() ?? [];
}

function findPause(messages: readonly AgentMessage[]): Pause | undefined {
  return findPausedResponse(messages) && { requests: pendingRequests(messages) };
}

function findErrorMessage(message: AgentMessage): string | undefined {
  return message.role === "assistant" ? message.errorMessage : undefined;
}

/** A placeholder until the application sets a model. A request to it fails with the name of its api. */
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

/** The ids of the running tool calls. Mutable, because a new set for each call would be quadratic. */
class PendingToolCalls {
  readonly #ids = new Set<string>();
  #snapshot: ReadonlySet<string> | undefined;

  /** The ids as an immutable set. Created on demand, and reused until the next change. */
  get snapshot(): ReadonlySet<string> {
    this.#snapshot ??= new Set(this.#ids);
    return this.#snapshot;
  }

  apply(event: AgentEvent | AgentLifecycleEvent): void {
    switch (event.type) {
      case "tool_execution_start":
        this.#ids.add(event.toolCallId);
        break;
      case "tool_execution_end":
        this.#ids.delete(event.toolCallId);
        break;
      case "run_start":
      case "run_settled":
      case "reset":
        this.#ids.clear();
        break;
      default:
        return;
    }
    this.#snapshot = undefined;
  }
}
