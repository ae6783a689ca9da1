/**
 * What each vendor accepts, written from its documents independently of the library's table, and a validator that
 * reports every rule which a schema breaks.
 */
// biome-ignore lint/suspicious/noExplicitAny: requests and schemas are read field by field.
export type Json = any;

export interface SubsetRules {
  /** Keywords that the vendor rejects. */
  forbidden: readonly string[];
  formats: readonly string[] | undefined;
  closed: boolean;
  allRequired: boolean;
  recursion: boolean;
  largestMinItems?: number;
  optional?: number;
  properties?: number;
  depth?: number;
}

const NEVER = [
  "$schema",
  "$id",
  "definitions",
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
  "minProperties",
  "maxProperties",
  "contains",
  "minContains",
  "maxContains",
  "uniqueItems",
  "nullable",
  "examples",
];

export const OPENAI_RULES: SubsetRules = {
  forbidden: [...NEVER, "minLength", "maxLength", "default", "prefixItems"],
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
  closed: true,
  allRequired: true,
  recursion: true,
  properties: 5000,
  depth: 10,
};
export const AZURE_RULES: SubsetRules = {
  ...OPENAI_RULES,
  forbidden: [
    ...OPENAI_RULES.forbidden,
    "pattern",
    "format",
    "minimum",
    "maximum",
    "multipleOf",
    "minItems",
    "maxItems",
  ],
  properties: 100,
  depth: 5,
};
export const ANTHROPIC_RULES: SubsetRules = {
  forbidden: [
    ...NEVER,
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "maxItems",
    "prefixItems",
  ],
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
  closed: true,
  allRequired: false,
  recursion: false,
  largestMinItems: 1,
  optional: 24,
};
export const GOOGLE_RULES: SubsetRules = {
  forbidden: [
    ...NEVER,
    "minLength",
    "maxLength",
    "pattern",
    "default",
    "const",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
  ],
  formats: ["date-time", "date", "time"],
  closed: false,
  allRequired: false,
  recursion: true,
};
export const MISTRAL_RULES: SubsetRules = {
  forbidden: [...NEVER, "default", "prefixItems"],
  formats: undefined,
  closed: true,
  allRequired: false,
  recursion: true,
};

/** One line for each broken rule. */
export function checkSubset(root: Json, rules: SubsetRules): string[] {
  const faults: string[] = [];
  const counts = { optional: 0, properties: 0 };
  const visit = (schema: Json, path: string, depth: number): void => {
    if (typeof schema !== "object" || schema === null) return void faults.push(`${path}: not a schema`);
    if (schema.$ref !== undefined) {
      if (Object.keys(schema).some((key) => key !== "$ref" && key !== "$defs"))
        faults.push(`${path}: keywords beside $ref`);
      if (!schema.$ref.startsWith("#")) faults.push(`${path}: external reference`);
    }
    for (const keyword of Object.keys(schema))
      if (rules.forbidden.includes(keyword)) faults.push(`${path}: ${keyword}`);
    if (schema.format !== undefined && rules.formats && !rules.formats.includes(schema.format))
      faults.push(`${path}: format`);
    if (schema.minItems > (rules.largestMinItems ?? Number.POSITIVE_INFINITY)) faults.push(`${path}: minItems`);
    if ([schema.type].flat().includes("object")) checkObject(schema, path, depth);
    if (schema.type === "array" && rules.closed && schema.items === undefined) faults.push(`${path}: no items`);
    if (schema.items) visit(schema.items, `${path}.items`, depth + 1);
    for (const [index, part] of (schema.anyOf ?? []).entries()) visit(part, `${path}.anyOf.${index}`, depth);
    for (const [index, part] of (schema.prefixItems ?? []).entries())
      visit(part, `${path}.prefixItems.${index}`, depth + 1);
    for (const [name, part] of Object.entries(schema.$defs ?? {})) visit(part, `${path}.$defs.${name}`, depth);
  };
  const checkObject = (schema: Json, path: string, depth: number): void => {
    const names = Object.keys(schema.properties ?? {});
    const optional = names.filter((name) => !schema.required?.includes(name));
    counts.properties += names.length;
    counts.optional += optional.length;
    if (rules.closed && schema.additionalProperties !== false) faults.push(`${path}: not closed`);
    if (rules.allRequired && optional.length > 0) faults.push(`${path}: optional ${optional}`);
    if (depth + 1 > (rules.depth ?? Number.POSITIVE_INFINITY)) faults.push(`${path}: too deep`);
    for (const name of names) visit(schema.properties[name], `${path}.${name}`, depth + 1);
  };
  if (root.type !== "object") faults.push("root: not an object");
  visit(root, "root", 0);
  if (counts.optional > (rules.optional ?? Number.POSITIVE_INFINITY)) faults.push("too many optional properties");
  if (counts.properties > (rules.properties ?? Number.POSITIVE_INFINITY)) faults.push("too many properties");
  return faults;
}
