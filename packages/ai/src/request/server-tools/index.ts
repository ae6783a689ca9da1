/**
 * Tools that a provider runs itself: web search, code execution, file search, MCP servers, and any other by its own
 * declaration.
 *
 * @module pi-ai/server-tools
 */

export { hasToolSearch } from "../../catalogue/compat/index.js";
export type {
  DeclaredServerTool,
  FileSearchOptions,
  McpServerOptions,
  PortableServerTool,
  ServerTool,
  ServerToolRequest,
  ToolSearchToolOptions,
  WebSearchOptions,
} from "../../types/context.js";
export {
  codeExecutionTool,
  fileSearchTool,
  mcpServerTool,
  serverTool,
  toolSearchTool,
  webSearchTool,
} from "./create-server-tools.js";
