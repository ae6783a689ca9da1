/** Tools whose types need not be written down. */
import type { ToolArguments } from "pi-ai";
import type { AgentToolOf, AgentToolOutput } from "./types/tool.js";

/**
 * Gives a tool the types that its parameters and results tell; at run time it is the tool itself. Literals of JSON Schema
 * need no `as const` here.
 *
 * @example
 * const shout = defineTool({
 *   name: "shout",
 *   description: "Says it louder",
 *   parameters: Type.Object({ text: Type.String() }),
 *   execute: async (_id, { text }) => ({ content: [{ type: "text", text: text.toUpperCase() }] }),
 * });
 */
export function defineTool<const TParameters extends object>(
  tool: AgentToolOf<NoInfer<ToolArguments<TParameters>>, TParameters, AgentToolOutput>,
): AgentToolOf<ToolArguments<TParameters>, TParameters, AgentToolOutput> {
  return tool;
}
