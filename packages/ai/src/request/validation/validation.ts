/** Checks the arguments of a tool call against the tool's schema. */

import type { Tool } from "../../types/context.js";
import type { ToolCall } from "../../types/message.js";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { DEFAULT_MAX_JSON_DEPTH } from "../../wire/index.js";
import { coerceArguments } from "./argument-coercion.js";
import { cloneData, TooDeepError } from "./clone-data.js";
import { clipText, describeErrors, describeInfinite } from "./describe-errors.js";
import { type CompiledSchema, compileSchema } from "./json-schema.js";
import { readParameters } from "./library-schema.js";

const compiledSchemas = new WeakMap<object, CompiledSchema>();

/**
 * Finds the tool that a tool call names and validates the arguments.
 *
 * @throws Error `Tool "<name>" not found`, and the errors of {@link validateToolArguments}
 */
export function validateToolCall(tools: Tool[], toolCall: ToolCall): ToolCall["arguments"] {
  const tool = tools.find((candidate) => candidate.name === toolCall.name);
  if (!tool) throw new Error(`Tool "${toolCall.name}" not found`);
  return validateToolArguments(tool, toolCall);
}

/**
 * Returns a copy of a tool call's arguments that fits the tool's schema. Valid arguments are not changed. Others are
 * converted to the types of the schema if the conversion is unambiguous and exact (`"5"` to 5, an optional property
 * that is null to none), get the schema's defaults, and are validated again. The tool call itself is not changed.
 *
 * If the runtime forbids code generation from strings (a strict content security policy), the schema is interpreted
 * instead of compiled: slower, with the same results.
 *
 * @throws Error `Validation failed for tool "<name>":` with one line per fault and the arguments (the first and last
 * 1,024 characters of long ones), for the model to read; or an Error that explains why the tool's schema cannot be used
 */
export function validateToolArguments(tool: Tool, toolCall: ToolCall): ToolCall["arguments"] {
  const copy = copyArguments(tool, toolCall);
  const infinite = describeInfinite(copy);
  if (infinite !== undefined) throw failure(tool, [infinite], showArguments(toolCall));
  const schema = getCompiledSchema(tool);
  if (schema.check(copy).length === 0) return copy;
  const coerced = coerceArguments(schema, copy);
  const errors = schema.check(coerced);
  if (errors.length > 0) throw failure(tool, describeErrors(errors), showArguments(toolCall));
  // The value fits the schema. That the schema describes an object is up to the tool's author.
  return coerced as ToolCall["arguments"];
}

function showArguments(toolCall: ToolCall): string {
  return clipText(JSON.stringify(toolCall.arguments, null, 2));
}

function copyArguments(tool: Tool, toolCall: ToolCall): ToolCall["arguments"] {
  try {
    return cloneData(toolCall.arguments, DEFAULT_MAX_JSON_DEPTH);
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
    const problem = `root: must NOT be nested deeper than ${DEFAULT_MAX_JSON_DEPTH} levels`;
    throw failure(tool, [problem], "(too deep to show)");
  }
}

function getCompiledSchema(tool: Tool): CompiledSchema {
  const known = compiledSchemas.get(tool.parameters);
  if (known) return known;
  const compiled = compileParameters(tool);
  compiledSchemas.set(tool.parameters, compiled);
  return compiled;
}

function compileParameters(tool: Tool): CompiledSchema {
  try {
    return compileSchema(readParameters(tool));
  } catch (error) {
    const reason = formatThrownValue(error);
    throw new Error(`The parameter schema of tool "${tool.name}" cannot be used: ${reason}`, { cause: error });
  }
}

function failure(tool: Tool, lines: string[], received: string): Error {
  const list = lines.map((line) => `  - ${line}`).join("\n");
  return new Error(`Validation failed for tool "${tool.name}":\n${list}\n\nReceived arguments:\n${received}`);
}
