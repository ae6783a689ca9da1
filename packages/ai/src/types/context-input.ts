/** What callers may write for a context. It becomes a {@link Context} before any adapter sees it. */
import type { Context } from "./context.js";
import type { Message, TextContent } from "./message.js";

/** A message whose time may be left out. */
type Untimed<TMessage> = TMessage extends unknown ? Omit<TMessage, "timestamp"> & { timestamp?: number } : never;

/** Instructions in the place where OpenAI's APIs have them. Becomes a part of the system prompt. */
export interface SystemMessageInput {
  role: "system" | "developer";
  /** The instructions. */
  content: string | readonly TextContent[];
}

/** A message as callers may write it: `timestamp` (Unix time in milliseconds) is filled in where it is missing. */
export type MessageInput = Untimed<Message> | SystemMessageInput;

/** A {@link Context} as callers may write it. */
export interface ContextInput extends Omit<Context, "messages"> {
  /** The conversation, oldest first; a string stands for one user message. */
  messages: string | readonly MessageInput[];
}
