/** Recognizes the blocks of server tools by the form of their type, because the api often adds new ones. */

/** `server_tool_use`, `mcp_tool_use`. A `tool_use` is the application's. */
export function isUseType(type: unknown): type is string {
  return typeof type === "string" && type.endsWith("_tool_use");
}

/** `web_search_tool_result`, `mcp_tool_result` and so on. A `tool_result` is the application's. */
export function isResultType(type: unknown): type is string {
  return typeof type === "string" && type.endsWith("_tool_result");
}
