/** Fits the schemas of a request to the model: the output format and strict tools. */
import type { OutputRules } from "../../catalogue/compat/index.js";
import { ConfigError, PiError } from "../../errors.js";
import type { RequestNote } from "../../transport/index.js";
import type { Context, Tool } from "../../types/context.js";
import type { Model } from "../../types/model.js";
import type { OutputFormat } from "../../types/options.js";
import { narrowSchema } from "./narrow-schema.js";
import { SchemaBudget } from "./schema-size.js";

interface SchemaInput {
  model: Model;
  context: Context;
  outputFormat: OutputFormat | undefined;
  /** The output that the model's provider can enforce. */
  rules: OutputRules;
}

export interface FittedSchemas {
  context: Context;
  outputFormat: OutputFormat | undefined;
  /** The changes, for the diagnostics of the message. */
  notes: RequestNote[];
}

/** Anthropic accepts no more in one request (platform.claude.com, "Strict tool use", 2026-11). */
const MAX_STRICT_TOOLS = 20;

/**
 * A tool that is still `strict` afterwards must be sent as such.
 *
 * @throws ConfigError if the output format, or a tool with `strict: "require"`, cannot be enforced
 */
export function fitSchemas({ model, context, outputFormat, rules }: SchemaInput): FittedSchemas {
  const { subset, strictTools, strictTogether } = rules;
  const notes: RequestNote[] = [];
  const budget = new SchemaBudget();
  const narrow = (name: string, schema: object): object => {
    const narrowed = narrowSchema(schema, subset, budget);
    if (narrowed.changes.length > 0) {
      const details = { schema: name, changes: narrowed.changes, source: subset.source };
      notes.push({ type: "schema_narrowed", details });
    }
    return narrowed.schema;
  };
  let strictCount = 0;
  const fitTool = (tool: Tool): Tool => {
    if (!tool.strict) return tool;
    try {
      if (!strictTools) throw new ConfigError(`model ${model.id} of ${model.provider} does not support strict tools`);
      if (strictCount === MAX_STRICT_TOOLS) throw new ConfigError(`more than ${MAX_STRICT_TOOLS} tools are strict`);
      const parameters = narrow(tool.name, tool.parameters);
      strictCount++;
      return { ...tool, parameters };
    } catch (error) {
      if (!PiError.is(error)) throw error;
      return loosen(tool, error, notes);
    }
  };
  let tools = context.tools?.map(fitTool);
  if (strictTogether && tools?.some(({ strict }) => strict) && !tools.every(({ strict }) => strict)) {
    const error = new ConfigError(`${model.provider} takes strict tools only if all tools of the request are strict`);
    notes.length = 0;
    tools = context.tools?.map((tool) => (tool.strict ? loosen(tool, error, notes) : tool));
  }
  return {
    context: tools ? { ...context, tools } : context,
    outputFormat: outputFormat && { ...outputFormat, schema: fitFormat(outputFormat, narrow) },
    notes,
  };
}

/** @throws ConfigError if the tool must be strict */
function loosen(tool: Tool, error: PiError, notes: RequestNote[]): Tool {
  if (tool.strict === "require") throw explain(`Tool "${tool.name}" cannot be strict`, error);
  notes.push({ type: "tool_not_strict", details: { tool: tool.name, reason: error.message } });
  return { ...tool, strict: false };
}

function fitFormat(
  { name = "output", schema }: OutputFormat,
  narrow: (name: string, schema: object) => object,
): object {
  try {
    return narrow(name, schema);
  } catch (error) {
    if (!PiError.is(error)) throw error;
    throw explain("The output format cannot be used with this model", error);
  }
}

function explain(problem: string, error: PiError): ConfigError {
  return new ConfigError(`${problem}: ${error.message}`, { cause: error });
}
