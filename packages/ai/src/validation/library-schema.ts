/**
 * Schemas of validation libraries where JSON Schema belongs. Apart from what turns them into it, so that a call of a model
 * does not load the builder of schemas.
 */
import { ConfigError } from "../errors.js";
import type { Tool } from "../types/context.js";
import type { StandardSchema } from "../types/standard-schema.js";

/**
 * Refuses tools whose parameters are a library's own schema: they satisfy the type, and as JSON they say something else.
 *
 * @throws ConfigError that names the tool and what to write
 */
export function refuseLibrarySchemas(tools: readonly Tool[]): void {
  for (const { name, parameters } of tools) {
    if (!isLibrarySchema(parameters)) continue;
    const { vendor } = parameters["~standard"];
    throw new ConfigError(
      `The parameters of tool "${name}" are a schema of ${vendor}, not JSON Schema: write createToolParameters(schema)`,
    );
  }
}

/** JSON Schema made by such a library may have the mark of the standard too, but as a plain object that hides it. */
function isLibrarySchema(parameters: unknown): parameters is StandardSchema {
  if (typeof parameters === "function") return "~standard" in parameters;
  if (typeof parameters !== "object" || parameters === null || !("~standard" in parameters)) return false;
  return Object.getPrototypeOf(parameters) !== Object.prototype || Object.keys(parameters).includes("~standard");
}
