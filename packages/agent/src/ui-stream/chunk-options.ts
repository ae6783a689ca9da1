import type { AssistantMessage } from "pi-ai";
import type { AgentEvent } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentToolResult } from "../types/tool.js";
import type { UIMessageChunk } from "./ui-message-chunk.js";

/** Options for the chunks that a page receives. */
export interface UIMessageOptions {
  /**
   * The major version of `ai` in the page. Default 7. The versions before lack some chunks, and end a stream with an error
   * for one that they do not know; they receive data parts instead.
   */
  sdk?: 5 | 6 | 7;
  /** The id of the message. Default: the page generates one. */
  messageId?: string;
  /**
   * The text of a failure. Default: the provider's text for a response, and `The run failed` for an error that was thrown.
   */
  errorText?: (failure: AssistantMessage | Error) => string;
  /** Returns the tool's result as the page may see it. Default: all of it, `content` and `details`. */
  toolOutput?: (result: AgentToolResult, toolName: string) => unknown;
  /** Returns the metadata of the message, from the messages of the run. Default: `{ usage }`, the total tokens and costs. */
  metadata?: (messages: readonly AgentMessage[]) => unknown;
  /** Returns custom chunks, such as `data-*`, which are sent after those of the event. */
  addChunks?: (event: AgentEvent) => readonly UIMessageChunk[] | undefined;
}
