/** The chunks of the AI SDK's UI message stream. */
import type { AssistantMessage } from "pi-ai";
import type { AgentEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentToolResult } from "../../types/tool.js";

/** A tool that the page does not know in advance; the AI SDK shows it as a part of type `dynamic-tool`. */
interface ToolChunk {
  toolCallId: string;
  dynamic: true;
  /** Whether the provider ran the tool. */
  providerExecuted?: boolean;
}

interface NamedToolChunk extends ToolChunk {
  toolName: string;
}

/**
 * A chunk of the UI message stream, version 1, for `ai` 7. The option `sdk` replaces those that the versions 5 and 6 do not
 * know: `reset-step` (a response that starts over), `steering-message`, `tool-approval-response`, and for version 5 all
 * chunks of approvals.
 */
export type UIMessageChunk =
  | { type: "start"; messageId?: string }
  | { type: "start-step" | "finish-step" | "reset-step" | "abort" }
  | { type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | ({ type: "tool-input-start" } & NamedToolChunk)
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | ({ type: "tool-input-available"; input: unknown } & NamedToolChunk)
  | ({ type: "tool-input-error"; input: unknown; errorText: string } & NamedToolChunk)
  | ({ type: "tool-output-available"; output: unknown; preliminary?: boolean } & ToolChunk)
  | ({ type: "tool-output-error"; errorText: string } & ToolChunk)
  | { type: "tool-output-denied"; toolCallId: string }
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string; isAutomatic?: boolean }
  | { type: "tool-approval-response"; approvalId: string; approved: boolean; reason?: string }
  | { type: "source-url"; sourceId: string; url: string; title?: string }
  | { type: "source-document"; sourceId: string; mediaType: string; title: string }
  | { type: "file"; url: string; mediaType: string }
  | { type: "steering-message"; id: string; parts: UIInputPart[] }
  | { type: `data-${string}`; id?: string; data: unknown; transient?: boolean }
  | { type: "error"; errorText: string }
  | { type: "finish"; finishReason: "stop" | "length" | "tool-calls" | "error" | "other"; messageMetadata?: unknown };

/** A part of a user's message. */
export type UIInputPart = { type: "text"; text: string } | { type: "file"; mediaType: string; url: string };

/** Options for the chunks that a page receives. */
export interface UIMessageOptions {
  /**
   * The major version of `ai` in the page. Default 7. The versions before lack some chunks, and end a stream with an error
   * for one that they do not know; they receive data parts instead.
   */
  sdk?: 5 | 6 | 7 | undefined;
  /** The id of the message. Default: the page generates one. */
  messageId?: string | undefined;
  /**
   * The text of a failure. Default: the provider's text for a response, and `The run failed` for an error that was thrown.
   */
  errorText?: ((failure: AssistantMessage | Error) => string) | undefined;
  /** Returns the tool's result as the page may see it. Default: all of it, `content` and `details`. */
  toolOutput?: ((result: AgentToolResult, toolName: string) => unknown) | undefined;
  /** Returns the metadata of the message, from the messages of the run. Default: `{ usage }`, the total tokens and costs. */
  metadata?: ((messages: readonly AgentMessage[]) => unknown) | undefined;
  /** Returns custom chunks, such as `data-*`, which are sent after those of the event. */
  addChunks?: ((event: AgentEvent) => readonly UIMessageChunk[] | undefined) | undefined;
}
