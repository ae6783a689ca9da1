/**
 * The tools, resources and prompts of an MCP server, for an agent. Takes a client of the application: `Client` of
 * `@modelcontextprotocol/sdk` 1.x or of `@modelcontextprotocol/client` 2.x.
 *
 * @module pi-agent/mcp
 */
export type { McpClient, McpCursor, McpPromptInfo, McpResourceInfo, McpSource, McpToolInfo } from "./connection.js";
export { type ElicitingMcpClient, type McpElicitationOptions, mcpElicitation } from "./elicitation.js";
export { type McpPrompt, mcpPrompts } from "./mcp-prompts.js";
export { type McpResource, mcpResources } from "./mcp-resources.js";
export { type McpToolDetails, type McpToolsOptions, mcpTools } from "./mcp-tools.js";
