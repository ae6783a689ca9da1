/** An MCP server with one tool, in this process. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { McpClient } from "pi-agent/mcp";

const ROLL_DICE = {
  name: "roll_dice",
  description: "Rolls dice and returns the numbers",
  inputSchema: {
    type: "object" as const,
    properties: { count: { type: "integer", minimum: 1, maximum: 10 }, sides: { type: "integer", minimum: 2 } },
    required: ["count", "sides"],
  },
};

/** A client that is connected to the server. */
export async function connectMcp(roll: (sides: number) => number): Promise<McpClient> {
  const server = new Server({ name: "dice", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [ROLL_DICE] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const { count, sides } = params.arguments ?? {};
    const numbers = Array.from({ length: Math.min(Number(count), 10) }, () => roll(Number(sides)));
    return { content: [{ type: "text", text: numbers.join(", ") }] };
  });
  const client = new Client({ name: "use-chat", version: "1.0.0" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}
