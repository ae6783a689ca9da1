/** The input of a model: instructions, the conversation, and the tools that the model may call. */
import type { Message, SystemMessage, TextContent } from "./message.js";
import type { Tool } from "./tool.js";

export type {
  DeclaredServerTool,
  FileSearchOptions,
  McpServerOptions,
  PortableServerTool,
  ServerTool,
  ServerToolRequest,
  Tool,
  ToolSearchToolOptions,
  WebSearchOptions,
} from "./tool.js";

/** The complete input of a model. Plain data: it can be stored and sent to another model. */
export interface Context {
  /** Instructions that precede the conversation. */
  systemPrompt?: string | undefined;
  /** The conversation, oldest first. A request never changes it. */
  messages: Message[];
  /** The tools that the model may call. Default: none. */
  tools?: Tool[] | undefined;
}

// The forms in which callers may write a context. It becomes a {@link Context} before an adapter sees it.

/** A message whose timestamp is optional. */
type Untimed<TMessage> = TMessage extends unknown
  ? Omit<TMessage, "timestamp"> & { timestamp?: number | undefined }
  : never;

type Changes = { [TName in keyof Omit<SystemMessage, "role" | "content">]?: SystemMessage[TName] | undefined };

/**
 * Instructions inside the message list, as OpenAI's APIs have them, or a change: see {@link SystemMessage}. Before the first
 * message they become part of the system prompt.
 */
export interface SystemMessageInput extends Changes {
  /** Both names mean the same. */
  role: "system" | "developer";
  /** The instructions. */
  content: string | readonly TextContent[];
}

/** A message as callers may write it. `timestamp` (Unix time in milliseconds) is filled in if it is missing. */
export type MessageInput = Untimed<Exclude<Message, SystemMessage>> | SystemMessageInput;

/** A {@link Context} as callers may write it. */
export interface ContextInput extends Omit<Context, "messages"> {
  /** The conversation, oldest first. A string is short for one user message. */
  messages: string | readonly MessageInput[];
}
