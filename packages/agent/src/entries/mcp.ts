/**
 * The tools, resources and prompts of an MCP server, for an agent. Takes a client of the application: `Client` of
 * `@modelcontextprotocol/sdk` 1.x or of `@modelcontextprotocol/client` 2.x.
 *
 * @module pi-agent/mcp
 */
export type { McpClient, McpCursor, McpPromptInfo, McpResourceInfo, McpToolInfo } from "../mcp/client.js";
export type { McpSource } from "../mcp/connection.js";
export { type McpPrompt, mcpPrompts } from "../mcp/mcp-prompts.js";
export { type McpResource, mcpResources } from "../mcp/mcp-resources.js";
export { type McpToolDetails, type McpToolsOptions, mcpTools } from "../mcp/mcp-tools.js";
