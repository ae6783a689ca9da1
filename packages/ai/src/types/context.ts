/** What a model is given: instructions, the conversation, and the tools it may call. */
import type { Message } from "./message.js";

/** A tool as a model sees it. How it runs is the application's business, see `AgentTool` of `pi-agent`. */
export interface Tool<TParameters extends object = object> {
  /**
   * What the model calls it by. Every provider takes up to 64 letters, digits, `_` and `-` that begin with a letter.
   */
  name: string;
  /** Tells the model what it does and when to use it. */
  description: string;
  /** JSON Schema of the arguments, written with `Type` or by hand. The whole schema is sent. */
  parameters: TParameters;
}

/** Everything that a model is given. Plain data: it can be stored, and given to another model. */
export interface Context {
  /** Instructions that stand above the conversation. */
  systemPrompt?: string;
  /** The conversation, oldest first. Never changed by a call. */
  messages: Message[];
  /** The tools that the model may call. Default: none. */
  tools?: Tool[];
}
