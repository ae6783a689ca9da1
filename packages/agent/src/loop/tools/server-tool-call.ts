/** Runs a server tool that waits for the application as any other tool. */
import type { ServerToolContent } from "pi-ai";
import type { AgentToolCall } from "../../types/message.js";
import type { AnyAgentTool, ServerToolHandler, ServerToolHandlers, StepToolCall } from "../../types/tool.js";

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
