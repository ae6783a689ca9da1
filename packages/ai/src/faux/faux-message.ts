/** Helpers to write the responses of a faux model. */
import { createAssistantMessage } from "../assemble/empty-message.js";
import type {
  AssistantBlock,
  AssistantMessage,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "../types/message.js";

/** The content of a prepared response. */
export type FauxContentBlock = AssistantBlock;

/** The fields of a prepared response other than its content. */
export interface FauxMessageOptions {
  /** Default `"stop"`. */
  stopReason?: StopReason;
  /** The error text, for `error` and `aborted`. */
  errorMessage?: string;
  /** Default: none. */
  responseId?: string;
  /** Reported unchanged. Default: an estimate from the lengths of the prompt and the response. */
  usage?: Usage;
  /** Unix time in milliseconds. Default: the time at which the response is sent. */
  timestamp?: number;
}

/** A text block. */
export function fauxText(text: string): TextContent {
  return { type: "text", text };
}

/** A thinking block. */
export function fauxThinking(thinking: string): ThinkingContent {
  return { type: "thinking", thinking };
}

/**
 * A tool call.
 *
 * @param options.id default: the name and a counter
 */
export function fauxToolCall(name: string, input: ToolCall["arguments"] = {}, options: { id?: string } = {}): ToolCall {
  return { type: "toolCall", id: options.id ?? `faux-${name}-${++callCount}`, name, arguments: input };
}

let callCount = 0;

/** A response of a faux model; a string is short for one text block. */
export function fauxAssistantMessage(
  content: string | FauxContentBlock | readonly FauxContentBlock[],
  options: FauxMessageOptions = {},
): AssistantMessage {
  const blocks = typeof content === "string" ? [fauxText(content)] : isList(content) ? [...content] : [content];
  const { stopReason = "stop", errorMessage, responseId, usage, timestamp = 0 } = options;
  return {
    ...createAssistantMessage({ api: "faux", provider: "faux", id: "faux-1" }, timestamp),
    content: blocks,
    stopReason,
    ...(errorMessage === undefined ? {} : { errorMessage }),
    ...(responseId === undefined ? {} : { responseId }),
    ...(usage === undefined ? {} : { usage }),
  };
}

function isList(content: FauxContentBlock | readonly FauxContentBlock[]): content is readonly FauxContentBlock[] {
  return Array.isArray(content);
}
