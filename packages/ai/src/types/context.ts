/** The input of a model: instructions, the conversation, and the tools that the model may call. */
import type { Message } from "./message.js";
import type { Tool } from "./tool.js";

export type {
  DeclaredServerTool,
  FileSearchOptions,
  McpServerOptions,
  PortableServerTool,
  ServerToolRequest,
  ToolSearchToolOptions,
  WebSearchOptions,
} from "./server-tool.js";
export type { ServerTool, Tool } from "./tool.js";

/** The complete input of a model. Plain data: it can be stored and sent to another model. */
export interface Context {
  /** Instructions that precede the conversation. */
  systemPrompt?: string | undefined;
  /** The conversation, oldest first. A request never changes it. */
  messages: Message[];
  /** The tools that the model may call. Default: none. */
  tools?: Tool[] | undefined;
}
