/** The forms in which callers may write a context. It becomes a {@link Context} before an adapter sees it. */

import type { Context } from "./context.js";
import type { Message, SystemMessage, TextContent } from "./message.js";

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
