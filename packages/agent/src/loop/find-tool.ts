/** Finds the tool that a call names. */
import type { AgentToolCall } from "../types/message.js";
import type { AnyAgentTool, ServerToolHandlers } from "../types/tool.js";

/** The tool that a call names; the first one if two share a name. */
export function findTool(tools: readonly AnyAgentTool[] | undefined, name: string): AnyAgentTool | undefined {
  return tools?.find((tool) => tool?.name === name);
}

/** The tool of a server tool's call. */
export function findServerTool(
  { serverTool, name }: AgentToolCall,
  handlers: ServerToolHandlers | undefined,
): AnyAgentTool | undefined {
  // The provider chooses the name, so inherited properties such as `constructor` must not match.
  const handler = handlers && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (!serverTool || typeof handler !== "function") return undefined;
  return {
    name,
    description: "A server tool that waits for the application",
    parameters: { type: "object" },
    execute: async (_toolCallId, input, signal, onUpdate = () => {}, context) =>
      handler({ ...serverTool, input }, { ...context, signal, onUpdate }),
  };
}
