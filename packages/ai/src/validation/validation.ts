/** Checking the arguments of a tool call against the tool's schema. */
import type { ErrorObject } from "ajv";
import { cloneData, TooDeepError } from "../json/clone-data.js";
import { DEFAULT_MAX_JSON_DEPTH } from "../json/streaming-json.js";
import type { Tool } from "../types/context.js";
import type { ToolCall } from "../types/message.js";
import { coerceArguments } from "./argument-coercion.js";
import type { CompiledSchema } from "./compiled-schema.js";
import { compileSchema } from "./json-schema.js";
import { readParameters } from "./library-schema.js";

/** Most errors that are listed; a model mends what it can from the first. */
const MAX_ERRORS = 50;

const compiledSchemas = new WeakMap<object, CompiledSchema>();

/**
 * Finds the tool that a call names and checks the call's arguments.
 *
 * @throws Error `Tool "<name>" not found`, and as {@link validateToolArguments} does
 */
export function validateToolCall(tools: Tool[], toolCall: ToolCall): ToolCall["arguments"] {
  const tool = tools.find((candidate) => candidate.name === toolCall.name);
  if (!tool) throw new Error(`Tool "${toolCall.name}" not found`);
  return validateToolArguments(tool, toolCall);
}

/**
 * Returns a copy of a call's arguments that fits the tool's schema. Arguments that fit are not changed. Those that do not
 * are brought to the types that the schema asks for as far as that is certain (`"5"` to 5, an optional property that is
 * null to none), given the schema's defaults, and checked again. The call itself stays as it is.
 *
 * Where the runtime forbids making code from strings (a strict content security policy), the schema is walked instead of
 * compiled: slower, with the same verdicts.
 *
 * @throws Error `Validation failed for tool "<name>":` with one line for each fault and the arguments, for the model to
 *   read; or an Error that says why the tool's schema cannot be used
 */
export function validateToolArguments(tool: Tool, toolCall: ToolCall): ToolCall["arguments"] {
  const copy = copyArguments(tool, toolCall);
  const schema = getCompiledSchema(tool);
  if (schema.check(copy).length === 0) return copy;
  const coerced = coerceArguments(schema, copy);
  const errors = schema.check(coerced);
  if (errors.length > 0) throw failure(tool, describeErrors(errors), JSON.stringify(toolCall.arguments, null, 2));
  // The schema has been met; that it describes an object is the tool's own contract.
  return coerced as ToolCall["arguments"];
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The parameter schema of tool "${tool.name}" cannot be used: ${reason}`, { cause: error });
  }
}

function describeErrors(errors: ErrorObject[]): string[] {
  const lines = errors.slice(0, MAX_ERRORS).map((error) => `${describePath(error)}: ${error.message ?? "is invalid"}`);
  const rest = errors.length - lines.length;
  return rest > 0 ? [...lines, `… and ${rest} more`] : lines;
}

/** Where an error is, such as `edits.0.path`; a property that is missing is named. */
function describePath(error: ErrorObject): string {
  const path = error.instancePath.split("/").slice(1).map(decodeSegment);
  const missing: unknown = error.params["missingProperty"];
  if (error.keyword === "required" && typeof missing === "string") path.push(missing);
  return path.join(".") || "root";
}

function decodeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

function failure(tool: Tool, lines: string[], received: string): Error {
  const list = lines.map((line) => `  - ${line}`).join("\n");
  return new Error(`Validation failed for tool "${tool.name}":\n${list}\n\nReceived arguments:\n${received}`);
}
