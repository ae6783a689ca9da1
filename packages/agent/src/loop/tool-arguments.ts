/** The arguments of a call: checked by the validator, and once more if a hook has changed them; and as people see them. */
import { cloneData, DEFAULT_MAX_JSON_DEPTH, formatThrownValue, isRecord } from "pi-ai/call";
import type { ArgumentChanges } from "pi-ai/validation";
import { OperationAborted } from "../abort-gate.js";
import type { AgentToolCall } from "../types/message.js";
import {
  type FoundToolCall,
  type PreparedToolCall,
  refuse,
  reject,
  type StagedToolCall,
  type ToolBatch,
  type ToolRun,
} from "./tool-call.js";
import { createAbortedOutcome, createErrorOutcome, createFailedOutcome } from "./tool-outcome.js";

type Validation = Pick<typeof import("pi-ai/validation"), "parseToolArguments" | "watchArguments">;

let validation: Validation | undefined;

/** Loads the validator, which only tools need. A failure is not kept: the next call tries again. */
export async function loadValidation(): Promise<Validation> {
  validation ??= await import("pi-ai/validation");
  return validation;
}

/** The call with its parsed arguments, or why they are wrong. */
export async function checkArguments(found: FoundToolCall, { run }: ToolBatch): Promise<StagedToolCall> {
  const { toolCall, tool } = found;
  let args = toolCall.arguments;
  // Providers publish no schema of a server tool. A copy: a hook may change the arguments, and the transcript must not change.
  if (toolCall.serverTool) return { ...found, stage: "prepared", args: structuredClone(args) };
  try {
    // It may return anything. The validator checks it.
    if (tool.prepareArguments) args = tool.prepareArguments(structuredClone(args)) as typeof args;
  } catch (error) {
    return reject(createFailedOutcome(toolCall, error, run));
  }
  try {
    const { parseToolArguments, watchArguments } = validation ?? (await loadValidation());
    const call = args === toolCall.arguments ? toolCall : { ...toolCall, arguments: args };
    const parsing = parseToolArguments(tool, call);
    // A rule of a library may wait for anything. Stored steps go on after an abort, see `prepareToolCall`.
    const parsed = await (run.steps.stores ? parsing : run.gate.wait(parsing));
    return { ...found, stage: "prepared", args: parsed, watched: watchArguments(tool, call, parsed) };
  } catch (error) {
    if (error instanceof OperationAborted) return refuse(createAbortedOutcome(toolCall));
    // The validator bounds its texts itself, and the model needs each of their lines.
    return reject(createErrorOutcome(toolCall, formatThrownValue(error)));
  }
}

/** Parses arguments that a hook has changed by the rules of the library. */
export async function parseAgain(
  prepared: PreparedToolCall,
  changes: ArgumentChanges,
  { gate, steps }: ToolRun,
): Promise<PreparedToolCall> {
  const { toolCall, tool, watched } = prepared;
  if (!watched) return prepared;
  const { watchArguments } = await loadValidation();
  const parsing = watched.parse(changes);
  // As in `checkArguments`: a rule may wait for anything.
  const args = await (steps.stores ? parsing : gate.wait(parsing));
  return { ...prepared, args, watched: watchArguments(tool, toolCall, args) };
}

/** Returns what checks the answers to the questions of a tool. Anything but an object does not fit, which the validator says. */
export function createAnswerParser(toolCall: AgentToolCall): (parameters: object, value: unknown) => Promise<unknown> {
  return async (parameters, value) => {
    const { parseToolArguments } = await loadValidation();
    const question = { name: toolCall.name, description: "", parameters };
    // The validator checks what it is.
    return parseToolArguments(question, { ...toolCall, arguments: value as AgentToolCall["arguments"] });
  };
}

/** The arguments of a call for people, as a copy: the tool may change its own. */
export function shownArgumentsOf({ toolCall, args, watched }: PreparedToolCall): AgentToolCall["arguments"] {
  try {
    const copy: unknown = cloneData(args, DEFAULT_MAX_JSON_DEPTH);
    // The output of a library may not survive JSON.
    return watched === undefined && isRecord(copy) ? copy : toolCall.arguments;
  } catch {
    return toolCall.arguments;
  }
}
