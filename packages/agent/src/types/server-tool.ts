/** Server tools that the application runs in the provider's own format. */
import type { ServerToolContent } from "pi-ai";
import type { AgentToolContext, AgentToolOutput } from "./tool.js";

/** The second parameter of a server tool's handler. */
export interface ServerToolContext extends AgentToolContext {
  /** Aborted when the run is aborted or the call timed out. */
  signal: AbortSignal | undefined;
  /** Reports progress as a `tool_execution_update`. Ignored once the handler has ended. */
  onUpdate: (partialResult: AgentToolOutput) => void;
}

/**
 * Runs a server tool that waits for the application, such as a command of the provider's `shell`. `content` is for other
 * models; `output` holds the fields of the provider's own result item. An error becomes an error result.
 *
 * @param serverTool the block, with the `input` that `beforeToolCall` left
 */
export type ServerToolHandler = (
  serverTool: ServerToolContent,
  context: ServerToolContext,
) => AgentToolOutput | Promise<AgentToolOutput>;

/** The handlers by the `name` of the block. */
export type ServerToolHandlers = Readonly<Record<string, ServerToolHandler>>;
