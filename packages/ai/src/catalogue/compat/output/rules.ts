/** How a model can be made to respond with JSON that fits a schema, and the part of JSON Schema that its vendor accepts. */
import type { Model } from "../../../types/model.js";
import { type CompatRow, matchesModel } from "../match.js";

/** The schemas that a vendor accepts. Other keywords are omitted from the request, and the change is reported. */
export interface SchemaSubset {
  /** The document and its date. */
  source: string;
  /** Keywords beyond {@link CORE_KEYWORDS}. */
  keywords: readonly string[];
  /** Values of `format`. */
  formats: readonly string[];
  /** The types of values that `enum` and `const` may list. */
  enumTypes: readonly string[];
  /** Objects must forbid other properties, and every value must have a type. */
  closed: boolean;
  /** Every property must be required. An optional property becomes one that may be null. */
  allRequired: boolean;
  /** Whether a schema may refer to itself. */
  recursion: boolean;
  /** The largest `minItems`. */
  largestMinItems: number;
  limits: SchemaLimits;
}

/** The limits on a schema. A missing count means no limit. */
export interface SchemaLimits {
  /** Properties of all objects. */
  properties?: number | undefined;
  /** Levels of objects and lists. */
  depth?: number | undefined;
  /** Values of all `enum`s. */
  enumValues?: number | undefined;
  /** Characters in the names of properties and definitions and in the values of `enum` and `const`. */
  nameCharacters?: number | undefined;
  /** Properties that are not required. */
  optional?: number | undefined;
  /** Alternatives by `anyOf` or by a list of types. */
  unions?: number | undefined;
  /** Characters of the JSON text. */
  characters?: number | undefined;
}

/** The keywords that every vendor accepts. */
export const CORE_KEYWORDS: readonly string[] = [
  "$defs",
  "$ref",
  "additionalProperties",
  "anyOf",
  "description",
  "enum",
  "items",
  "properties",
  "required",
  "title",
  "type",
];

export const NUMBER_KEYWORDS: readonly string[] = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
];
export const PRIMITIVES: readonly string[] = ["string", "number", "boolean", "null"];
export const UNLIMITED: Pick<SchemaSubset, "largestMinItems"> = { largestMinItems: Number.POSITIVE_INFINITY };

export const OPENAI_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "platform.openai.com, Structured outputs: Supported schemas, 2026-11",
  keywords: ["const", "format", "pattern", ...NUMBER_KEYWORDS, "minItems", "maxItems"],
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: true,
  recursion: true,
  limits: { properties: 5000, depth: 10, enumValues: 1000, nameCharacters: 120_000 },
};

export interface OutputRules {
  /** The model has a native mode that enforces a JSON Schema on the text of a streamed response. */
  native: boolean;
  /** The native mode works in a request with tools. */
  nativeWithTools: boolean;
  /** The provider can enforce the schema of a tool (`strict`). */
  strictTools: boolean;
  /** Of the tools of a request, all are strict or none. */
  strictTogether?: true;
  /** The model can call tools. */
  tools: boolean;
  /** The part of JSON Schema that the native mode and strict tools accept. */
  subset: SchemaSubset;
}

/** The output that an api can enforce with some of its models. */
export type OutputRow = CompatRow<Partial<OutputRules>>;

const DEFAULTS: OutputRules = {
  native: false,
  nativeWithTools: false,
  strictTools: false,
  tools: true,
  subset: OPENAI_SUBSET,
};

export const FULL: Partial<OutputRules> = { native: true, nativeWithTools: true, strictTools: true };
export const NONE: Partial<OutputRules> = { native: false, nativeWithTools: false, strictTools: false };

/**
 * The rules of a model. The flag `supportsJsonSchema` of its `compat` overrides the rows.
 *
 * @param rows those of the model's api; later ones override earlier ones
 */
export function rulesOf(model: Model, rows: readonly OutputRow[] = []): OutputRules {
  const rules = { ...DEFAULTS };
  for (const { when, flags } of rows) if (matchesModel(model, when)) Object.assign(rules, flags);
  const own: { supportsJsonSchema?: boolean } = model.compat ?? {};
  return own.supportsJsonSchema === undefined ? rules : { ...rules, native: own.supportsJsonSchema };
}
