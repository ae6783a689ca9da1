/** From a call in an answer to the tool and the arguments that it may be run with. */
import type { AgentToolCall } from "../types/message.js";
import type { AnyAgentTool } from "../types/tool.js";

export type ValidateToolArguments = typeof import("pi-ai/validation").validateToolArguments;

/** The tool that a call names; the first one where two have the name. */
export function findTool(tools: readonly AnyAgentTool[] | undefined, name: string): AnyAgentTool | undefined {
  if (tools) for (const tool of tools) if (tool?.name === name) return tool;
  return undefined;
}

/**
 * Checked arguments, as a copy: what a tool does to them does not reach the transcript.
 *
 * @throws Error that tells the model what is wrong
 */
export function buildToolArguments(
  tool: AnyAgentTool,
  toolCall: AgentToolCall,
  validate: ValidateToolArguments,
): AgentToolCall["arguments"] {
  if (!tool.prepareArguments) return validate(tool, toolCall);
  const prepared: AgentToolCall["arguments"] = tool.prepareArguments(structuredClone(toolCall.arguments));
  return validate(tool, { ...toolCall, arguments: prepared });
}

/** What a model is told of a call whose arguments did not arrive whole. */
export function describeArgumentsError(toolCall: AgentToolCall, cutOff: boolean): string {
  const cause = cutOff ? " The answer reached its output limit." : "";
  return (
    `Tool ${toolCall.name} was not run: its arguments are not one complete JSON object (${toolCall.argumentsError}).` +
    `${cause} Send the call again with complete arguments.`
  );
}
