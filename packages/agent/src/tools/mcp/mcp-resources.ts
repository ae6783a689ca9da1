/** The resources of an MCP server. */
import type { UserBlock } from "pi-ai";
import { toBlocks } from "./blocks.js";
import { connectionOf, type McpResourceInfo, type McpSource, toNever } from "./connection.js";
import { listAll } from "./lists.js";
import { visibleInfo } from "./mcp-tools.js";

/** A resource of an MCP server. */
export interface McpResource extends McpResourceInfo {
  /** Reads the resource. The blocks fit a user message or a tool result; items that a model cannot read are only named. */
  read(signal?: AbortSignal): Promise<UserBlock[]>;
}

/** Returns the resources of an MCP server, in the server's order. */
export async function mcpResources(source: McpSource, signal?: AbortSignal): Promise<McpResource[]> {
  const connection = connectionOf(source);
  const found = await listAll(connection, "Resources", signal);
  return found.map((resource) => ({
    ...visibleInfo(resource),
    read: async (readSignal) => {
      const { uri } = resource;
      const options = toNever([{ signal: readSignal }]);
      return toBlocks((await connection((client) => client.readResource({ uri }, ...options))).contents);
    },
  }));
}
