/** The tools of a run are checked when an application passes them, not when a model first calls one. */
import { formatThrownValue, isRecord, nearestName, readParameters } from "pi-ai/call";
import { describeValue, mustBeFunction, mustBeOneOf } from "./checks.js";
import { findKeywordFault } from "./schema-faults.js";
import { SETTINGS, TOOL_SETTINGS } from "./settings.js";
import type { AnyAgentTool } from "./types/tool.js";

/** One of these makes an object JSON Schema; without any, its keys are taken for the names of arguments. */
const KEYWORDS = ["type", "properties", "additionalProperties", "patternProperties", "anyOf", "oneOf", "allOf", "$ref"];

/**
 * Throws for a tool that could not run.
 *
 * @throws TypeError that names the tool and shows the correct form; ConfigError for a schema whose library cannot convert
 *   it to JSON Schema, and for a limit that is not a duration. A setting of a tool with any other wrong value is a TypeError
 */
export function assertTools(tools: readonly AnyAgentTool[] | undefined): void {
  if (tools === undefined) return;
  assertToolList(tools);
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    try {
      assertTool(tool, index);
    } catch (error) {
      throw unreadable(tool, index) ?? error;
    }
    if (names.has(tool.name)) {
      throw new TypeError(`Two tools have the name "${tool.name}". A model calls a tool by its name: rename one.`);
    }
    names.add(tool.name);
  }
}

/** @throws TypeError for anything but a list. Its elements are not checked */
export function assertToolList(tools: readonly AnyAgentTool[]): void {
  if (!Array.isArray(tools)) throw new TypeError(`tools must be a list of tools, but it is ${describeValue(tools)}.`);
}

function assertTool(tool: Partial<AnyAgentTool> | undefined, index: number): asserts tool is AnyAgentTool {
  if (typeof tool !== "object" || tool === null || "then" in tool) {
    throw new TypeError(`tools[${index}] must be a tool, but it is ${describeValue(tool)}.`);
  }
  const { name, parameters, execute } = tool;
  if (typeof name !== "string" || name === "") throw new TypeError(`tools[${index}] has no name.`);
  checkFields(tool, name);
  checkExecute(name, execute);
  checkToolSettings(tool);
  if (parameters === undefined || parameters === null)
    throw new TypeError(`Tool "${name}" has no parameters. For a tool without arguments, write Type.Object({}).`);
  if (checked.has(parameters)) return;
  const schema = typeof parameters === "string" ? parameters : readParameters({ name, parameters });
  const fault = typeof schema === "string" ? `"${schema}"` : findSchemaFault(schema);
  if (fault === undefined) {
    const cycle = findCycle(schema, "parameters", new Set());
    if (cycle !== undefined)
      throw new TypeError(`The ${cycle} of tool "${name}" contain themselves, so they are no JSON Schema. Use a $ref.`);
    const wrong = findKeywordFault(schema);
    if (wrong === undefined) return void checked.add(parameters);
    throw new TypeError(`The parameters of tool "${name}" are no JSON Schema. At ${wrong}.`);
  }
  throw new TypeError(
    `The parameters of tool "${name}" must be the JSON Schema of an object, such as Type.Object({ city: Type.String() }), but they are ${fault}.`,
  );
}

/**
 * The source of a function whose first parameter is the arguments, as in other libraries: it would read their fields from an id.
 * Nobody takes an id apart, or calls it so.
 */
const ARGUMENTS_FIRST = /^[\w$\s]*\(?\s*(?:\{|\b(?:args|input|params)\s*[,)=])/;

function checkExecute(name: string, execute: unknown): void {
  if (typeof execute !== "function") {
    throw new TypeError(
      `Tool "${name}" has no execute function. Write execute: async (toolCallId, args) => ({ content: [{ type: "text", text }] }).`,
    );
  }
  if (ARGUMENTS_FIRST.test(String(execute)))
    throw new TypeError(`Tool "${name}" takes the arguments second. Write execute: async (toolCallId, args) => ….`);
}

// A record, so that a new field fails to compile here.
const FIELDS: Readonly<Record<keyof AnyAgentTool, true>> = {
  name: true,
  description: true,
  parameters: true,
  execute: true,
  label: true,
  prepareArguments: true,
  executionMode: true,
  replay: true,
  polls: true,
  toolTimeoutMs: true,
  strict: true,
  once: true,
  cache: true,
  loading: true,
  examples: true,
  server: true,
  callers: true,
  namespace: true,
  output: true,
};
/** Another word would mean the default. */
const WORDS: readonly (readonly [field: keyof AnyAgentTool, words: readonly unknown[]])[] = [
  ["executionMode", ["parallel", "sequential"]],
  ["replay", ["safe", "never"]],
  ["loading", ["deferred"]],
  ["strict", [false, "prefer", "require"]],
];
const FIELD_NAMES = Object.keys(FIELDS);
/** A shorter name of the application's own may look like one of ours. */
const LEAST_TYPO = 7;

/** Fields of other libraries that would have no effect: a call would need no approval, and no limit would end it. */
const FOREIGN: Readonly<Record<string, string>> = {
  needsApproval: "approvals of pi-agent/approvals",
  inputSchema: "parameters",
  requireApproval: "approvals of pi-agent/approvals",
  timeout: "toolTimeoutMs",
  timeoutMs: "toolTimeoutMs",
};

/** Beside the field that is meant, one of another library is the application's own. */
function findMeant(tool: object, field: string): string | undefined {
  const meant = Object.hasOwn(FOREIGN, field) ? FOREIGN[field] : undefined;
  if (meant === undefined) return nearestName(field, FIELD_NAMES);
  return Reflect.get(tool, meant) === undefined ? meant : undefined;
}

/** Other fields are the application's own. @throws TypeError for one that is a field of a tool but for its spelling */
function checkFields(tool: object, name: string): void {
  // With their values, so that a getter that throws is found here.
  for (const [field] of Object.entries(tool)) {
    if (Object.hasOwn(FIELDS, field) || field.length < LEAST_TYPO) continue;
    const near = findMeant(tool, field);
    if (near) throw new TypeError(`Tool "${name}" has the unknown field "${field}": did you mean "${near}"?`);
  }
}

/** @throws TypeError or ConfigError that names the limit and the tool */
function checkToolSettings(tool: Partial<AnyAgentTool>): void {
  const { name, description, prepareArguments } = tool;
  if (typeof description !== "string")
    throw new TypeError(`Tool "${name}" has no description. Write what it does: the model chooses by it.`);
  if (prepareArguments !== undefined) mustBeFunction(`prepareArguments of tool "${name}"`, prepareArguments);
  for (const setting of TOOL_SETTINGS) {
    const value = tool[setting];
    if (value !== undefined) SETTINGS[setting].check(`${setting} of tool "${name}"`, value);
  }
  for (const [field, words] of WORDS)
    if (tool[field] !== undefined) mustBeOneOf(words)(`${field} of tool "${name}"`, tool[field]);
}

/** Parameters that were checked before: a run checks its tools again. */
const checked = new WeakSet<object>();
/** Far deeper than any real schema. The search stops here; a provider refuses a deeper schema. */
const MAX_DEPTH = 500;

/** A getter of a tool may throw: its own error would not say whose it is. */
function unreadable(tool: unknown, index: number): TypeError | undefined {
  const fault = findThrown(tool, [], new Set());
  if (fault === undefined) return undefined;
  const { name } = /^name /.test(fault) ? {} : Object(tool);
  return new TypeError(`In ${titleOf(name, index)}, ${fault}. Write plain values.`);
}

function titleOf(name: unknown, index: number): string {
  return typeof name === "string" ? `tool "${name}"` : `tools[${index}]`;
}

/** The place of the first part that throws when it is read, and what it throws. */
function findThrown(value: unknown, path: readonly string[], seen: Set<object>): string | undefined {
  if (typeof value !== "object" || value === null || seen.has(value) || path.length > MAX_DEPTH) return undefined;
  seen.add(value);
  let place = path;
  try {
    for (const key of Object.keys(value)) {
      place = [...path, key];
      const found = findThrown(Reflect.get(value, key), place, seen);
      if (found) return found;
    }
    return undefined;
  } catch (error) {
    return `${place.join(".")} cannot be read: ${formatThrownValue(error)}`;
  }
}

/** The place of the first object that contains itself. */
function findCycle(value: unknown, place: string, above: Set<object>): string | undefined {
  if (typeof value !== "object" || value === null || above.size > MAX_DEPTH) return undefined;
  if (above.has(value)) return place;
  above.add(value);
  for (const [key, part] of Object.entries(value)) {
    const found = findCycle(part, `${place}.${key}`, above);
    if (found) return found;
  }
  above.delete(value);
  return undefined;
}

/** Describes the first fault on the top level of a schema. Compiling it finds the others. */
function findSchemaFault(schema: unknown): string | undefined {
  if (!isRecord(schema)) return describeValue(schema);
  const { type, properties }: { type?: unknown; properties?: unknown } = schema;
  if (type !== undefined && type !== "object" && !(Array.isArray(type) && type.includes("object"))) {
    return `of the type ${JSON.stringify(type)}`;
  }
  if (properties !== undefined && describeValue(properties) !== "an object") return `without an object of properties`;
  const keys = Object.keys(schema);
  if (keys.length === 0 || keys.some((key) => KEYWORDS.includes(key))) return undefined;
  return `an object with the keys ${keys.slice(0, 5).join(", ")}`;
}
