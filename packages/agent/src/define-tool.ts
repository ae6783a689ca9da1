/** Infers the types of a tool. */
import type { ToolArguments } from "pi-ai";
import { assertTools } from "./check-tools.js";
import type { AgentToolDefinition, AgentToolOf, AgentToolOutput, AgentToolReturn } from "./types/tool.js";

/**
 * Infers a tool's types from its parameters and what it returns. Returns the same object. A JSON Schema literal needs no
 * `as const`.
 *
 * @throws TypeError for a tool that could not run, with what is missing
 * @throws ConfigError for a schema of a library that JSON Schema cannot express, with the property and what to write
 *
 * @example
 * const shout = defineTool({
 *   name: "shout",
 *   description: "Says it louder",
 *   parameters: Type.Object({ text: Type.String() }),
 *   execute: async (_id, { text }) => text.toUpperCase(),
 * });
 */
export function defineTool<const TParameters extends object, TReturn extends AgentToolReturn>(
  tool: AgentToolDefinition<NoInfer<ToolArguments<TParameters>>, TParameters, AgentToolOutput, TReturn>,
): AgentToolOf<ToolArguments<TParameters>, TParameters, AgentToolOutput, TReturn> {
  assertTools([tool] as never); // in a run, `execute` always gets its context
  // A call outside of a run need not pass the context.
  return tool as AgentToolOf<ToolArguments<TParameters>, TParameters, AgentToolOutput, TReturn>;
}
