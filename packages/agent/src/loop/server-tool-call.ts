/** Prepares the call of a server tool, so that it runs like any other call: with hooks, events, a timeout and aborts. */
import type { ServerToolContent } from "pi-ai";
import type { AgentToolCall } from "../types/message.js";
import type { ServerToolHandler, ServerToolHandlers } from "../types/server-tool.js";
import type { AnyAgentTool } from "../types/tool.js";
import type { PreparedToolCall } from "./tool-call-context.js";

/** Returns undefined if the tool has no handler. Nothing is validated, because providers publish no schema of the input. */
export function prepareServerTool(
  toolCall: AgentToolCall,
  serverTool: ServerToolContent,
  handlers: ServerToolHandlers | undefined,
): PreparedToolCall | undefined {
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
    execute: async (_toolCallId, input, signal, onUpdate = () => {}, execution) =>
      handler({ ...serverTool, input }, { signal, onUpdate, ...(execution && { execution }) }),
  };
}

/** Returns the text of the error result for a server tool without a handler. */
export function describeMissingHandler(name: string): string {
  return `Server tool ${name} was not run: the application has no handler for it in serverToolHandlers`;
}
