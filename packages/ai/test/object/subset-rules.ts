/**
 * The schemas that each vendor accepts, written from its documents independently of the library's table, and a
 * validator that reports every rule that a schema breaks.
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
  const check = new SubsetCheck(rules);
  check.visit(root, "root", 0);
  const { faults, optional, properties } = check;
  if (root.type !== "object") faults.push("root: not an object");
  if (optional > (rules.optional ?? Number.POSITIVE_INFINITY)) faults.push("too many optional properties");
  if (properties > (rules.properties ?? Number.POSITIVE_INFINITY)) faults.push("too many properties");
  return faults;
}

class SubsetCheck {
  readonly faults: string[] = [];
  optional = 0;
  properties = 0;
  readonly #rules: SubsetRules;

  constructor(rules: SubsetRules) {
    this.#rules = rules;
  }

  visit(schema: Json, path: string, depth: number): void {
    this.#checkReference(schema, path);
    this.#checkKeywords(schema, path);
    if ([schema.type].flat().includes("object")) this.#checkObject(schema, path, depth);
    if (schema.items) this.visit(schema.items, `${path}.items`, depth + 1);
    this.#visitAll(schema.prefixItems, `${path}.prefixItems`, depth + 1);
    this.#visitAll(schema.anyOf, `${path}.anyOf`, depth);
    this.#visitAll(schema.$defs, `${path}.$defs`, depth);
  }

  #visitAll(parts: Json, path: string, depth: number): void {
    for (const [name, part] of Object.entries(parts ?? {})) this.visit(part, `${path}.${name}`, depth);
  }

  #checkReference(schema: Json, path: string): void {
    if (schema.$ref === undefined) return;
    const beside = Object.keys(schema).filter((key) => key !== "$ref" && key !== "$defs");
    if (beside.length > 0) this.faults.push(`${path}: ${beside} beside $ref`);
    if (!schema.$ref.startsWith("#")) this.faults.push(`${path}: external reference`);
  }

  #checkKeywords(schema: Json, path: string): void {
    const { forbidden, formats, closed, largestMinItems = Number.POSITIVE_INFINITY } = this.#rules;
    const refused = Object.keys(schema).filter((keyword) => forbidden.includes(keyword));
    if (refused.length > 0) this.faults.push(`${path}: ${refused}`);
    if (schema.format !== undefined && formats && !formats.includes(schema.format)) this.faults.push(`${path}: format`);
    if (schema.minItems > largestMinItems) this.faults.push(`${path}: minItems`);
    if (closed && schema.type === "array" && schema.items === undefined) this.faults.push(`${path}: no items`);
  }

  #checkObject(schema: Json, path: string, depth: number): void {
    const { closed, allRequired, depth: deepest = Number.POSITIVE_INFINITY } = this.#rules;
    const names = Object.keys(schema.properties ?? {});
    const optional = names.filter((name) => !schema.required?.includes(name));
    this.properties += names.length;
    this.optional += optional.length;
    if (closed && schema.additionalProperties !== false) this.faults.push(`${path}: not closed`);
    if (allRequired && optional.length > 0) this.faults.push(`${path}: optional ${optional}`);
    if (depth + 1 > deepest) this.faults.push(`${path}: too deep`);
    this.#visitAll(schema.properties, path, depth + 1);
  }
}
