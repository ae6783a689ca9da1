/** Prepares the call of a server tool. From then on it runs as any other tool: with hooks, events, a timeout and aborts. */
import type { ServerToolContent } from "pi-ai";
import type { AgentToolCall } from "../types/message.js";
import type { ServerToolHandler, ServerToolHandlers } from "../types/server-tool.js";
import type { AnyAgentTool } from "../types/tool.js";
import type { PreparedToolCall } from "./tool-call-context.js";

/** Undefined without a handler for the tool. The provider has no schema for its input, so nothing is validated. */
export function prepareServerTool(
  toolCall: AgentToolCall,
  serverTool: ServerToolContent,
  handlers: ServerToolHandlers | undefined,
): PreparedToolCall | undefined {
  const { name } = serverTool;
  // A provider chooses the name: it must not reach what every object inherits.
  const handler = handlers && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (typeof handler !== "function") return undefined;
  // A hook may change the arguments, and the transcript must stay as it is.
  return { toolCall, tool: toTool(serverTool, handler), args: structuredClone(toolCall.arguments) };
}

function toTool(serverTool: ServerToolContent, handler: ServerToolHandler): AnyAgentTool {
  return {
    name: serverTool.name,
    description: "A server tool that waits for the application",
    parameters: { type: "object" },
    execute: async (_toolCallId, input, signal, onUpdate = () => {}, execution) =>
      handler({ ...serverTool, input }, { signal, onUpdate, ...(execution && { execution }) }),
  };
}

/** The error result's text for a server tool without a handler. */
export function describeMissingHandler(name: string): string {
  return `Server tool ${name} was not run: the application has no handler for it in serverToolHandlers`;
}
