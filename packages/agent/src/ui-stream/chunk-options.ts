import type { AssistantMessage } from "pi-ai";
import type { AgentEvent } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentToolResult } from "../types/tool.js";
import type { UIMessageChunk } from "./ui-message-chunk.js";

/** What a page sees of a run. */
export interface UIMessageOptions {
  /** The id of the message. Default: the page makes one up. */
  messageId?: string;
  /**
   * The text of a failure. Default: the provider's text for a response, and `The run failed` for an error that was thrown.
   */
  errorText?: (failure: AssistantMessage | Error) => string;
  /** What a page sees of a tool's result. Default: all of it, `content` and `details`. */
  toolOutput?: (result: AgentToolResult, toolName: string) => unknown;
  /** The metadata of the message, from the messages of the run. Default: `{ usage }`, the sum of its tokens and costs. */
  metadata?: (messages: readonly AgentMessage[]) => unknown;
  /** Returns chunks of your own, such as `data-*`, which follow the event's own ones. */
  addChunks?: (event: AgentEvent) => readonly UIMessageChunk[] | undefined;
}
