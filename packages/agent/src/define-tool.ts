/** Infers the types of a tool. */
import type { ToolArguments } from "pi-ai";
import type { AgentToolOf, AgentToolOutput } from "./types/tool.js";

/**
 * Infers a tool's types from its parameters and results. Returns the same object. A JSON Schema literal needs no
 * `as const`.
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
