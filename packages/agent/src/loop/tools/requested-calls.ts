/** Finds the tool calls of a response. A server tool that waits for the application runs as any other tool. */
import type { AssistantMessage, ServerToolContent } from "pi-ai";
import type { AgentToolCall } from "../../types/message.js";
import type { AnyAgentTool, ServerToolHandler, ServerToolHandlers, StepToolCall } from "../../types/tool.js";

/**
 * Returns the tool calls of a response, in the order of its blocks. A server tool that waits for the application counts as
 * one, so that hooks, events, limits, aborts and the steps of durable runs treat both alike.
 */
export function findToolCalls({ content }: AssistantMessage): AgentToolCall[] {
  const toolCalls: AgentToolCall[] = [];
  for (const block of content) {
    if (block.type === "toolCall") toolCalls.push(block);
    else if (block.type === "serverTool" && block.status === "waiting") toolCalls.push(toToolCall(block));
  }
  return toolCalls;
}

function toToolCall(serverTool: ServerToolContent): AgentToolCall {
  const { id, name, input = {} } = serverTool;
  return { type: "toolCall", id, name, arguments: input, serverTool };
}

/** The tool of a server tool's call. Its input is not validated, because providers publish no schema of it. */
export function prepareServerTool(
  toolCall: AgentToolCall,
  serverTool: ServerToolContent,
  handlers: ServerToolHandlers | undefined,
): StepToolCall | undefined {
  const { name } = serverTool;
  // The provider chooses the name, so inherited properties such as `constructor` must not match.
  const handler = handlers && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (typeof handler !== "function") return undefined;
  // A copy: a hook may change the arguments, and the transcript must not change.
  return { toolCall, tool: toTool(serverTool, handler), args: structuredClone(toolCall.arguments) };
}

function toTool(serverTool: ServerToolContent, handler: ServerToolHandler): AnyAgentTool {
  return {
    name: serverTool.name,
    description: "A server tool that waits for the application",
    parameters: { type: "object" },
    execute: async (_toolCallId, input, signal, onUpdate = () => {}, context) =>
      handler({ ...serverTool, input }, { ...context, signal, onUpdate }),
  };
}
