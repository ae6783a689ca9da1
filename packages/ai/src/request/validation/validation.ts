/** Checks the arguments of a tool call against the tool's schema. */

import { ConfigError } from "../../errors.js";
import type { Tool } from "../../types/context.js";
import type { ToolCall } from "../../types/message.js";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { isObject } from "../../utils/is-object.js";
import {
  findRules,
  readIssues,
  readParameters,
  type StandardResult,
  type StandardValidate,
} from "../../utils/library-schema.js";
import { nameValue } from "../../utils/name-value.js";
import { turnAfter } from "../../utils/next-turn.js";
import { cloneData, DEFAULT_MAX_JSON_DEPTH, TooDeepError } from "../../wire/index.js";
import { addDefaults, coerceArguments } from "./argument-coercion.js";
import { clipText, describeErrors, describeInfinite, type Fault, toLines } from "./describe-errors.js";
import { type CompiledSchema, compileSchema } from "./json-schema.js";
import { compileQuickCheck } from "./quick-check.js";
import { countValues } from "./work-limit.js";

/** How the arguments of a tool are checked: the validator is loaded by the first arguments that do not pass the quick check. */
interface ToolSchema {
  /** True only for arguments that certainly fit. Absent for a schema that only the validator understands. */
  fitsQuickly?: ((args: unknown) => boolean) | undefined;
  compiled?: CompiledSchema;
}

const toolSchemas = new WeakMap<object, ToolSchema>();

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
 * Returns a copy of a tool call's arguments that fits the tool's schema, and in which an absent property with a default has
 * it. What is there is not changed unless it is invalid: then it is converted to the types of the schema if the conversion is
 * unambiguous and exact (`"5"` to 5, an optional property that is null to none), and validated again. If the parameters are a
 * schema of Zod, Valibot, ArkType or another library, its own rules follow (refinements, defaults, transforms), and their
 * output is returned. The tool call itself is not changed.
 *
 * If the runtime forbids code generation from strings (a strict content security policy), the schema is interpreted
 * instead of compiled: slower, with the same results.
 *
 * @throws Error `Validation failed for tool "<name>":` with one line per fault and the arguments (the first and last
 * 1,024 characters of long ones), for the model to read; or an Error that explains why the tool's schema cannot be used, for
 * example because a rule of a library is asynchronous: see {@link parseToolArguments}
 */
export function validateToolArguments(tool: Tool, toolCall: ToolCall): ToolCall["arguments"] {
  const steps = checkArguments(tool, toolCall);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { args, rules } = step.value;
  if (!rules) return args;
  const result = callRules(tool, toolCall, () => rules(args));
  if (!("then" in result)) return takeOutput(tool, toolCall, result);
  // It is not awaited, and may reject.
  Promise.resolve(result).catch(() => {});
  throw new Error(
    `The parameters of tool "${tool.name}" have an asynchronous rule. Use parseToolArguments, which waits`,
  );
}

/**
 * {@link validateToolArguments} that waits for rules of a library that are asynchronous. Large arguments are checked in several turns
 * of the event loop.
 */
export async function parseToolArguments(tool: Tool, toolCall: ToolCall): Promise<ToolCall["arguments"]> {
  const steps = checkArguments(tool, toolCall);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await turnAfter(CHARACTERS_OF_VALUE * step.value);
  const { args, rules } = step.value;
  if (!rules) return args;
  let result: StandardResult;
  try {
    result = await rules(args);
  } catch (error) {
    throw brokenRules(tool, toolCall, error);
  }
  return takeOutput(tool, toolCall, result);
}

/** To check a value takes about as long as to read so many characters. */
const CHARACTERS_OF_VALUE = 16;

interface CheckedArguments {
  args: ToolCall["arguments"];
  rules: StandardValidate | undefined;
}

/**
 * Checks arguments by the JSON Schema that the model got. Arguments that do not pass the quick check are read several times: between
 * two of them it yields the number of their values, so that others can have a turn.
 */
function* checkArguments(tool: Tool, toolCall: ToolCall): Generator<number, CheckedArguments> {
  // The two in the wrong order would fail in the middle of the check.
  if (!isObject(tool) || !isObject(toolCall) || tool.parameters === undefined)
    throw new ConfigError(
      `The arguments of a call are checked with (tool, toolCall), but they are ${nameValue(tool)} and ${nameValue(toolCall)}`,
    );
  const copy = copyArguments(tool, toolCall);
  const infinite = describeInfinite(copy);
  if (infinite) throw failure(tool, { faults: [infinite] }, showArguments(toolCall));
  const known = readSchema(tool);
  const rules = findRules(tool.parameters);
  if (known.fitsQuickly?.(copy)) return { args: copy, rules };
  const schema = compileOnce(tool, known);
  const values = countValues(copy);
  yield values;
  // A library adds its own defaults, which may be of another type than what a model sends.
  if (schema.check(copy, values).length === 0) return { args: rules ? copy : withDefaults(schema, copy), rules };
  // In the same turn: it may spend what that check has left.
  const coerced = coerceArguments(schema, copy);
  yield values;
  const errors = schema.check(coerced);
  yield values;
  if (errors.length > 0)
    throw failure(tool, { faults: describeErrors(errors), count: errors.length }, showArguments(toolCall));
  // The value fits the schema. That the schema describes an object is up to the tool's author.
  return { args: coerced as ToolCall["arguments"], rules };
}

/** A default may contradict the schema that names it. Then the arguments stay as they are. */
function withDefaults(schema: CompiledSchema, args: ToolCall["arguments"]): ToolCall["arguments"] {
  if (!schema.hasDefaults) return args;
  const complete = addDefaults(schema, cloneData(args));
  // Adding defaults to an object returns an object.
  return schema.check(complete).length === 0 ? (complete as ToolCall["arguments"]) : args;
}

function callRules<TResult>(tool: Tool, toolCall: ToolCall, call: () => TResult): TResult {
  try {
    return call();
  } catch (error) {
    throw brokenRules(tool, toolCall, error);
  }
}

function brokenRules(tool: Tool, toolCall: ToolCall, error: unknown): Error {
  return failure(tool, { faults: [["", formatThrownValue(error)]], isRule: true }, showArguments(toolCall));
}

function takeOutput(tool: Tool, toolCall: ToolCall, { issues, value }: StandardResult): ToolCall["arguments"] {
  if (issues) throw failure(tool, { faults: readIssues(issues), isRule: true }, showArguments(toolCall));
  // That the schema describes an object is up to the tool's author, and a transform may make anything of it.
  return value as ToolCall["arguments"];
}

function showArguments(toolCall: ToolCall): string {
  // JavaScript may pass a call without arguments.
  return clipText(JSON.stringify(toolCall.arguments, null, 2) ?? "undefined");
}

function copyArguments(tool: Tool, toolCall: ToolCall): ToolCall["arguments"] {
  try {
    return cloneData(toolCall.arguments, DEFAULT_MAX_JSON_DEPTH);
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
    const problem = `must NOT be nested deeper than ${DEFAULT_MAX_JSON_DEPTH} levels`;
    throw failure(tool, { faults: [["", problem]] }, "(too deep to show)");
  }
}

function readSchema(tool: Tool): ToolSchema {
  const known = toolSchemas.get(tool.parameters);
  if (known) return known;
  const schema = withReason(tool, () => ({ fitsQuickly: compileQuickCheck(readParameters(tool)) }));
  toolSchemas.set(tool.parameters, schema);
  return schema;
}

function compileOnce(tool: Tool, schema: ToolSchema): CompiledSchema {
  schema.compiled ??= withReason(tool, () => compileSchema(readParameters(tool)));
  return schema.compiled;
}

function withReason<TResult>(tool: Tool, compile: () => TResult): TResult {
  try {
    return compile();
  } catch (error) {
    const reason = formatThrownValue(error);
    throw new Error(`The parameter schema of tool "${tool.name}" cannot be used: ${reason}`, { cause: error });
  }
}

interface Faults {
  faults: readonly Fault[];
  /** How many there are, if these are the first. */
  count?: number;
  /** Whether a rule of a library has found them, whose words are for people. */
  isRule?: boolean;
}

/** The message is for the model. The faults are for those who write to a person. */
function failure(tool: Tool, { faults, count, isRule = false }: Faults, received: string): Error {
  const list = toLines(faults, count)
    .map((line) => `  - ${line}`)
    .join("\n");
  const message = `Validation failed for tool "${tool.name}":\n${list}\n\nReceived arguments:\n${received}`;
  return Object.defineProperty(new Error(message), "faults", { value: { faults, isRule } });
}
