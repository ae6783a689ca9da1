/** The prompts of an MCP server. */
import type { AssistantMessage, UserMessage } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";
import { toBlocks } from "./blocks.js";
import { connectionOf, type McpPromptInfo, type McpSource, toNever } from "./connection.js";
import { listAll } from "./lists.js";
import { visibleInfo } from "./mcp-tools.js";

/** A prompt of an MCP server. */
export interface McpPrompt extends McpPromptInfo {
  /** Fills in the prompt and returns its messages, for `agent.prompt`. */
  get(args?: Record<string, string>, signal?: AbortSignal): Promise<(UserMessage | AssistantMessage)[]>;
}

/** Returns the prompts of an MCP server, in the server's order. */
export async function mcpPrompts(source: McpSource, signal?: AbortSignal): Promise<McpPrompt[]> {
  const connection = connectionOf(source);
  const found = await listAll(connection, "Prompts", signal);
  return found.map((prompt) => ({
    ...visibleInfo(prompt),
    get: async (args = {}, getSignal) => {
      const params = { name: prompt.name, arguments: args };
      const options = toNever([{ signal: getSignal }]);
      const { messages } = await connection((client) => client.getPrompt(params, ...options));
      return messages.map(({ role, content }) => toMessage(role, content));
    },
  }));
}

function toMessage(role: string, item: unknown): UserMessage | AssistantMessage {
  const content = toBlocks([item]);
  if (role !== "assistant") return { role: "user", content, timestamp: Date.now() };
  const message = createAssistantMessage({ api: "mcp", provider: "mcp", id: "prompt" });
  return { ...message, content: content.filter((block) => block.type === "text") };
}
