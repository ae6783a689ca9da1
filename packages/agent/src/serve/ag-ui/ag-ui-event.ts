/** The types of the events that an AG-UI client receives. */
import type { AssistantMessage } from "pi-ai";
import type { AgentEvent } from "../../types/event.js";

/** A part of the content of a tool result. */
export type AgUiPart =
  | { type: "text"; text: string }
  | { type: "image" | "audio" | "video" | "document"; source: AgUiSource };

/** The source of a file: its data or a URL. */
export type AgUiSource =
  | { type: "data"; value: string; mimeType: string }
  | { type: "url"; value: string; mimeType?: string };

/** A question to the user, which ends a run. The client sends the answer with the request of the next run. */
export interface AgUiInterrupt {
  /** The id by which the answer refers to the interrupt. */
  id: string;
  /** Why the run waits, as a code. */
  reason: string;
  /** The tool call that waits. */
  toolCallId?: string;
  /** Why the run waits, as a text for the user. */
  message?: string;
  /** The JSON Schema of the answer. */
  responseSchema?: Record<string, unknown>;
}

/** How a run ended, unless it failed: a failure is the event `RUN_ERROR`. */
export type AgUiOutcome =
  | { type: "success" }
  | { type: "cancelled" }
  | { type: "interrupt"; interrupts: AgUiInterrupt[] };

/** The tokens of a response. */
export interface AgUiUsage {
  /** The provider of the model. */
  provider: string;
  /** The id of the model. */
  model: string;
  /** Prompt tokens, including those that were read from or written to the cache. */
  inputTokens: number;
  /** Generated tokens, including reasoning. */
  outputTokens: number;
  /** All tokens. */
  totalTokens: number;
  /** Prompt tokens that were read from the cache. */
  cachedInputTokens: number;
  /** Prompt tokens that were written to the cache. */
  cacheWriteInputTokens: number;
}

/** An event of AG-UI 1.0 (docs.ag-ui.com, `@ag-ui/core` 1.0.0). */
export type AgUiEvent =
  | { type: "RUN_STARTED"; threadId: string; runId: string }
  | {
      type: "RUN_FINISHED";
      threadId: string;
      runId: string;
      outcome: AgUiOutcome;
      usage: AgUiUsage[];
      result?: unknown;
    }
  | { type: "RUN_ERROR"; message: string; code?: string }
  | { type: "STEP_STARTED" | "STEP_FINISHED"; stepName: string }
  | { type: "TEXT_MESSAGE_START"; messageId: string; role: "assistant" }
  | { type: "TEXT_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "TEXT_MESSAGE_END"; messageId: string }
  | { type: "REASONING_START" | "REASONING_END" | "REASONING_MESSAGE_END"; messageId: string }
  | { type: "REASONING_MESSAGE_START"; messageId: string; role: "reasoning" }
  | { type: "REASONING_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string; parentMessageId: string }
  | { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }
  | { type: "TOOL_CALL_END"; toolCallId: string }
  | { type: "TOOL_CALL_RESULT"; messageId: string; toolCallId: string; role: "tool"; content: string | AgUiPart[] }
  | { type: "STATE_SNAPSHOT"; snapshot: unknown }
  | { type: "CUSTOM"; name: string; value: unknown };

/** Options that decide what a client receives. */
export interface AgUiOptions {
  /** The id of the conversation, from the client's request. */
  threadId: string;
  /** The id of the run, from the client's request. */
  runId: string;
  /** Returns the state that client and agent share, as JSON. Sent at the start and after each turn. Default: not sent. */
  state?: (() => unknown) | undefined;
  /**
   * Returns the text of a failure for the client. Default: the error message of a failed response, and `The run failed` for
   * an error that was thrown.
   */
  errorText?: ((failure: AssistantMessage | Error) => string) | undefined;
  /** Returns more events to send for an event of the agent. They follow its own, but precede those of `agent_end`. */
  addEvents?: ((event: AgentEvent) => readonly AgUiEvent[] | undefined) | undefined;
}
