/** Finds the tool of a call and prepares its arguments. */
import type { AgentToolCall } from "../types/message.js";
import type { AnyAgentTool } from "../types/tool.js";

export type ValidateToolArguments = typeof import("pi-ai/validation").validateToolArguments;

/** The tool that a call names; the first one if two share a name. */
export function findTool(tools: readonly AnyAgentTool[] | undefined, name: string): AnyAgentTool | undefined {
  if (tools) for (const tool of tools) if (tool?.name === name) return tool;
  return undefined;
}

/**
 * The arguments after the tool's own `prepareArguments`, which receives a copy.
 *
 * @throws the errors of `prepareArguments`
 */
export function prepareArguments(tool: AnyAgentTool, toolCall: AgentToolCall): AgentToolCall["arguments"] {
  return tool.prepareArguments ? tool.prepareArguments(structuredClone(toolCall.arguments)) : toolCall.arguments;
}

/** The error result's text for a call whose arguments are incomplete. */
export function describeArgumentsError(toolCall: AgentToolCall, truncated: boolean): string {
  const cause = truncated ? " The response reached its output limit." : "";
  return (
    `Tool ${toolCall.name} was not run: its arguments are not one complete JSON object (${toolCall.argumentsError}).` +
    `${cause} Send the call again with complete arguments.`
  );
}

/** The error result's text for a call of a response that was cut off by its output limit. */
export function describeTruncation(toolCall: AgentToolCall): string {
  return (
    `Tool ${toolCall.name} was not run: the response reached its output limit, so the call may be incomplete. ` +
    "Send the call again."
  );
}
