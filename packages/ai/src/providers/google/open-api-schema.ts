/** Reduces a JSON Schema to the keywords that an OpenAPI schema field accepts. */

/** Keywords about the schema itself, which OpenAPI lacks (spec.openapis.org, "OpenAPI 3.0.3: Schema Object"). */
const META_KEYWORDS: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$vocabulary",
  "$comment",
  "$defs",
  "definitions",
]);

/** Keywords whose own keys are names that the schema's author chose. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties"]);

/** Removes {@link META_KEYWORDS} at every depth; properties with such a name stay. */
export function toOpenApiSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpenApiSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !META_KEYWORDS.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, NAMED.has(keyword) ? mapValues(value) : toOpenApiSchema(value)]),
  );
}

function mapValues(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, toOpenApiSchema(schema)]));
}
