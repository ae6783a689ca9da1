/**
 * Tools that a provider runs itself: web search, code execution, file search, MCP servers, and any other by its own
 * declaration.
 *
 * @module pi-ai/server-tools
 */

export type { ServerTool } from "../../types/context.js";
export type {
  DeclaredServerTool,
  FileSearchOptions,
  McpServerOptions,
  PortableServerTool,
  ServerToolRequest,
  WebSearchOptions,
} from "../../types/server-tool.js";
export {
  codeExecutionTool,
  fileSearchTool,
  mcpServerTool,
  serverTool,
  webSearchTool,
} from "./create-server-tools.js";
