/** Checks the arguments of a tool call against the tool's schema. */

import type { ErrorObject } from "ajv";
import { cutText } from "../../errors.js";
import type { Tool } from "../../types/context.js";
import type { ToolCall } from "../../types/message.js";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { shortenText } from "../../utils/shorten-text.js";
import { cloneData, DEFAULT_MAX_JSON_DEPTH, TooDeepError } from "../../wire/index.js";
import { coerceArguments } from "./argument-coercion.js";
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

// Describes wrong arguments for a model to read: a validator's errors, one line each, and a shortened text.

/** Maximum number of listed errors. A model corrects its values from the first ones. */
const MAX_ERRORS = 50;
/** The longest line of an error, in characters. It can contain property names of any length, chosen by the model. */
const MAX_LINE = 300;
const MAX_NAME = 100;

export function describeErrors(errors: readonly ErrorObject[]): string[] {
  return toLines(errors.map((error) => [describePath(error), describeProblem(error)]));
}

/** Names a property that is not allowed. The model chose the name, so it is quoted and bounded. */
function describeProblem({ message = "is invalid", params }: ErrorObject): string {
  const name: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  return typeof name === "string" ? `${message}: ${JSON.stringify(cutText(name, MAX_NAME))}` : message;
}

/** Returns a bounded number of lines of bounded length. */
export function toLines(faults: readonly (readonly [path: string, problem: string])[]): string[] {
  const lines = faults
    .slice(0, MAX_ERRORS)
    .map(([path, problem]) => cutText(`${path || "root"}: ${problem}`, MAX_LINE));
  const rest = faults.length - lines.length;
  return rest > 0 ? [...lines, `… and ${rest} more`] : lines;
}

/**
 * Finds a number that overflowed to infinity in JSON text, such as 1e999. A schema cannot find it: every schema that
 * allows a number accepts it.
 */
export function describeInfinite(value: unknown): string | undefined {
  const path = findInfinite(value);
  return path && toLines([[path.join("."), "must be a number that is not too large to represent"]])[0];
}

function findInfinite(value: unknown): string[] | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const key of Object.keys(value)) {
    const path = findInfinite(Reflect.get(value, key));
    if (path) return [key, ...path];
  }
  return undefined;
}

/** Where an error is, such as `edits.0.path`. Names a missing property. */
function describePath(error: ErrorObject): string {
  const path = error.instancePath.split("/").slice(1).map(decodeSegment);
  const missing: unknown = error.params["missingProperty"];
  if (error.keyword === "required" && typeof missing === "string") path.push(missing);
  return path.join(".");
}

function decodeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** In characters: enough to recognize the text, and small compared with a context window. */
const MAX_LENGTH = 2048;

/**
 * The head and the tail of a long text with a note between them. A text of at most 2,048 characters is returned
 * unchanged.
 */
export function clipText(text: string): string {
  const half = MAX_LENGTH / 2;
  const mark = (missing: number): string => `\n… (${missing} characters left out) …\n`;
  return shortenText(text, MAX_LENGTH, { head: half, tail: half, mark });
}
