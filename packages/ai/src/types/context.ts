/** What a model is given: instructions, the conversation, and the tools it may call. */
import type { Message } from "./message.js";

export interface Tool<TParameters extends object = object> {
  name: string;
  description: string;
  /** JSON Schema of the arguments, written with `Type` or by hand. The whole schema is sent. */
  parameters: TParameters;
}

export interface Context {
  systemPrompt?: string;
  messages: Message[];
  tools?: Tool[];
}
