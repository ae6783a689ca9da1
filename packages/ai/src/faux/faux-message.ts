/** Short ways to write the answers of a faux model. */
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

/** What a prepared answer may hold. */
export type FauxContentBlock = AssistantBlock;

/** What a prepared answer says beside its content. */
export interface FauxMessageOptions {
  /** Default `"stop"`. */
  stopReason?: StopReason;
  /** For `error` and `aborted`. */
  errorMessage?: string;
  /** Default: none. */
  responseId?: string;
  /** Reported as it is. Default: an estimate from the lengths of prompt and answer. */
  usage?: Usage;
  /** Unix time in milliseconds. Default: when the answer is given. */
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
 * A call of a tool.
 *
 * @param options.id default: made from the name and a count
 */
export function fauxToolCall(name: string, input: ToolCall["arguments"] = {}, options: { id?: string } = {}): ToolCall {
  return { type: "toolCall", id: options.id ?? `faux-${name}-${++callCount}`, name, arguments: input };
}

let callCount = 0;

/** An answer of a faux model; a string stands for one text block. */
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
