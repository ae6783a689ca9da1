/**
 * Interprets a JSON Schema at each check, for runtimes that forbid code generation from strings: pages with a strict
 * content security policy, and some workers.
 */
import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { ErrorObject } from "ajv";
import { cloneData } from "../json/clone-data.js";
import type { CompiledSchema } from "./compiled-schema.js";

/** Keywords whose errors only say that a nested part does not fit. The nested error is listed separately. */
const OUTER_KEYWORDS: ReadonlySet<string> = new Set([
  "$ref",
  "additionalProperties",
  "allOf",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
]);

/**
 * Prepares a schema of draft 7, 2019-09 or 2020-12.
 *
 * @param hasTupleItems whether the schema contains `items` as a list, which only older drafts support
 * @throws Error if the schema refers to something that does not exist
 */
export function interpretSchema(schema: object, hasTupleItems: boolean): CompiledSchema {
  const draft: SchemaDraft = hasTupleItems ? "2019-09" : "2020-12";
  // The library changes its input.
  const root: Schema = cloneData(schema);
  const lookup = dereference(root);
  const run = (part: Schema | boolean, value: unknown): ErrorObject[] => {
    try {
      const { valid, errors } = validate(value, part, draft, lookup, false);
      return valid ? [] : toErrors(errors);
    } catch (error) {
      const message = `could not be checked: ${error instanceof Error ? error.message : String(error)}`;
      return [{ keyword: "check", instancePath: "", schemaPath: "", params: {}, message }];
    }
  };
  return {
    root: schema,
    check: (value) => run(root, value),
    fits: (pointer, value) => {
      const part = partAt(root, pointer);
      return part !== undefined && run(part, value).length === 0;
    },
  };
}

function partAt(root: Schema, pointer: string): Schema | boolean | undefined {
  let part: unknown = root;
  for (const segment of pointer.split("/").slice(1)) {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
    part = Reflect.get(part, key);
  }
  // An object inside a schema is a schema.
  return typeof part === "object" && part !== null ? (part as Schema) : typeof part === "boolean" ? part : undefined;
}

function toErrors(units: readonly OutputUnit[]): ErrorObject[] {
  const inner = units.filter(({ keyword, error }) => !OUTER_KEYWORDS.has(keyword) || !/does not match/.test(error));
  return (inner.length > 0 ? inner : units).map(({ keyword, keywordLocation, instanceLocation, error }) => {
    const [, missing] = keyword === "required" ? (/"(.*)"/.exec(error) ?? []) : [];
    return {
      keyword,
      instancePath: decodeURIComponent(instanceLocation.slice(1)),
      schemaPath: keywordLocation,
      params: missing === undefined ? {} : { missingProperty: missing },
      message: missing === undefined ? error : `must have required property '${missing}'`,
    };
  });
}
