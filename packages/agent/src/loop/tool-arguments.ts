/** From a call in an answer to the tool and the arguments that it may be run with. */
import type { AgentToolCall } from "../types/message.js";
import type { AnyAgentTool } from "../types/tool.js";

type Validate = typeof import("pi-ai/validation").validateToolArguments;
type Arguments = AgentToolCall["arguments"];

let loaded: Validate | undefined;

/** The validator is by far the largest thing that a run needs, and many runs call no tool: it is loaded by the first. */
export function loadValidator(): Validate | Promise<Validate> {
  return loaded ?? importValidator();
}

async function importValidator(): Promise<Validate> {
  loaded = (await import("pi-ai/validation")).validateToolArguments;
  return loaded;
}

/** The tool that a call names; the first one where two have the name. */
export function findTool(tools: readonly AnyAgentTool[] | undefined, name: string): AnyAgentTool | undefined {
  return tools?.find((tool) => tool?.name === name);
}

/**
 * Checked arguments, as a copy: what a tool does to them does not reach the transcript.
 *
 * @throws Error that tells the model what is wrong
 */
export function buildToolArguments(tool: AnyAgentTool, toolCall: AgentToolCall, validate: Validate): Arguments {
  if (!tool.prepareArguments) return validate(tool, toolCall);
  const prepared: Arguments = tool.prepareArguments(structuredClone(toolCall.arguments));
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
