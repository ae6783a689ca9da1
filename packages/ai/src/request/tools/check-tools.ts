/** Refuses tools that cannot be sent as they are written, in words that name the tool and the place. */
import { ConfigError } from "../../errors.js";
import type { Tool } from "../../types/context.js";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { isRecord } from "../../utils/is-object.js";
import { nameValue } from "../../utils/name-value.js";
import { findUnwritable } from "./unwritable.js";

/** The names that `parameters` has in other libraries and in MCP. */
const OTHER_NAMES = ["inputSchema", "input_schema", "schema"] as const;

/** A tool, and what errors call it. */
interface Named {
  tool: Record<string, unknown>;
  title: string;
}

/** @throws ConfigError for anything but a tool, and for a tool whose fields JSON cannot hold */
export function assertTools(tools: readonly unknown[]): void {
  for (const [index, tool] of tools.entries()) {
    const title = `context.tools[${index}]`;
    if (!isRecord(tool))
      throw new ConfigError(
        `${title} must be a tool such as { name, description, parameters }, but it is ${describe(tool)}.`,
      );
    const name = readField({ tool, title }, "name");
    if (typeof name !== "string") throw wrong({ field: "name", title, expected: "text" }, name);
    if (tool["server"] === undefined) assertTool(tool, name);
  }
}

function assertTool(tool: Record<string, unknown>, name: string): void {
  const subject = `tool "${name}"`;
  const named = { tool, title: subject };
  const description = readField(named, "description");
  // Tools written by hand may lack it.
  if (typeof (description ?? "") !== "string")
    throw wrong({ field: "description", title: subject, expected: "text" }, description);
  const parameters = readField(named, "parameters");
  if (typeof parameters === "string")
    throw new ConfigError(`The parameters of ${subject} must be a schema, but they are a text. Parse it.`);
  if (typeof parameters === "number")
    throw wrong({ field: "parameters", title: subject, expected: "schema" }, parameters);
  const other = parameters === undefined ? OTHER_NAMES.find((name) => isRecord(tool[name])) : undefined;
  if (other) throw new ConfigError(`The schema of ${subject} is in ${other}. Write parameters.`);
  for (const field of ["parameters", "examples"] as const) {
    const found = findUnwritable(tool[field], field);
    if (found) throw unwritable(named, found);
  }
}

function readField(named: Named, field: keyof Tool & string): unknown {
  try {
    return named.tool[field];
  } catch (error) {
    throw unwritable(named, `${field} cannot be read: ${formatThrownValue(error)}`);
  }
}

function wrong(
  { field, title, expected }: Record<"field" | "title" | "expected", string>,
  value: unknown,
): ConfigError {
  return new ConfigError(`The ${field} of ${title} must be a ${expected}, but it is ${describe(value)}.`);
}

function unwritable(named: Named, fault: string): ConfigError {
  return new ConfigError(`In ${named.title}, ${fault}. Write what JSON can hold.`);
}

/** Without the text of a function. */
function describe(value: unknown): string {
  return typeof value === "function" ? "a function" : nameValue(value);
}
