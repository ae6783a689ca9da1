/**
 * The tools, resources and prompts of an MCP server, for an agent. Takes a client of the application: `Client` of
 * `@modelcontextprotocol/sdk` 1.x or of `@modelcontextprotocol/client` 2.x.
 *
 * @module pi-agent/mcp
 */
export type { McpClient, McpCursor, McpPromptInfo, McpResourceInfo, McpSource, McpToolInfo } from "./connection.js";
export { type ElicitingMcpClient, type McpElicitationOptions, mcpElicitation } from "./elicitation.js";
export {
  type McpPrompt,
  type McpResource,
  type McpToolDetails,
  type McpToolsOptions,
  mcpPrompts,
  mcpResources,
  mcpTools,
} from "./mcp-tools.js";
