/** The prompts and the resources of MCP servers. */
import type { AssistantMessage, UserBlock, UserMessage } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";
import {
  connectionOf,
  listAll,
  type McpPromptInfo,
  type McpResourceInfo,
  type McpSource,
  toBlocks,
  toNever,
} from "./connection.js";

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
    ...prompt,
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

// The resources of an MCP server.

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
    ...resource,
    read: async (readSignal) => {
      const { uri } = resource;
      const options = toNever([{ signal: readSignal }]);
      return toBlocks((await connection((client) => client.readResource({ uri }, ...options))).contents);
    },
  }));
}
