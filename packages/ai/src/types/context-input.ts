/** The forms in which callers may write a context. It becomes a {@link Context} before an adapter sees it. */
import type { Context } from "./context.js";
import type { Message, TextContent } from "./message.js";

/** A message whose timestamp is optional. */
type Untimed<TMessage> = TMessage extends unknown ? Omit<TMessage, "timestamp"> & { timestamp?: number } : never;

/** Instructions inside the message list, as OpenAI's APIs have them. They become part of the system prompt. */
export interface SystemMessageInput {
  /** Both names mean the same. */
  role: "system" | "developer";
  /** The instructions. */
  content: string | readonly TextContent[];
}

/** A message as callers may write it. `timestamp` (Unix time in milliseconds) is filled in if it is missing. */
export type MessageInput = Untimed<Message> | SystemMessageInput;

/** A {@link Context} as callers may write it. */
export interface ContextInput extends Omit<Context, "messages"> {
  /** The conversation, oldest first. A string is short for one user message. */
  messages: string | readonly MessageInput[];
}
