/** The parts of JSON Schema that vendors accept for schemas that they enforce. One row for each vendor. */

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
  properties?: number;
  /** Levels of objects and lists. */
  depth?: number;
  /** Values of all `enum`s. */
  enumValues?: number;
  /** Characters in the names of properties and definitions and in the values of `enum` and `const`. */
  nameCharacters?: number;
  /** Properties that are not required. */
  optional?: number;
  /** Alternatives by `anyOf` or by a list of types. */
  unions?: number;
  /** Characters of the JSON text. */
  characters?: number;
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

const NUMBER_KEYWORDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const LENGTH_KEYWORDS = ["minLength", "maxLength"];
const PRIMITIVES = ["string", "number", "boolean", "null"];
const UNLIMITED: Pick<SchemaSubset, "largestMinItems"> = { largestMinItems: Number.POSITIVE_INFINITY };

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

export const AZURE_SUBSET: SchemaSubset = {
  ...OPENAI_SUBSET,
  source: "learn.microsoft.com, Azure OpenAI structured outputs, 2026-11",
  keywords: ["const"],
  formats: [],
  limits: { properties: 100, depth: 5 },
};

export const ANTHROPIC_SUBSET: SchemaSubset = {
  source: "platform.claude.com, Structured outputs: JSON Schema limitations, 2026-11",
  keywords: ["const", "default", "format", "minItems"],
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: false,
  largestMinItems: 1,
  limits: { optional: 24, unions: 16 },
};

export const BEDROCK_SUBSET: SchemaSubset = {
  ...ANTHROPIC_SUBSET,
  source: "docs.aws.amazon.com, Bedrock user guide, Get validated JSON results from models, 2026-11",
};

export const GOOGLE_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "ai.google.dev, Structured outputs: JSON Schema support, 2026-11",
  keywords: ["format", "minimum", "maximum", "prefixItems", "minItems", "maxItems"],
  formats: ["date-time", "date", "time"],
  enumTypes: ["string", "number"],
  closed: false,
  allRequired: false,
  recursion: true,
  limits: {},
};

/** The subset is not documented. The examples close every object. */
export const MISTRAL_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "docs.mistral.ai, Custom structured outputs, 2026-11",
  keywords: ["const", "format", "pattern", ...NUMBER_KEYWORDS, ...LENGTH_KEYWORDS, "minItems", "maxItems"],
  formats: OPENAI_SUBSET.formats,
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: true,
  limits: {},
};

/** What llama.cpp turns into a grammar. It ignores the keywords that it cannot enforce, and refuses few. */
export const LOCAL_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "github.com/ggml-org/llama.cpp, grammars/README.md: JSON Schemas, 2026-11",
  keywords: ["const", "format", "pattern", ...NUMBER_KEYWORDS, ...LENGTH_KEYWORDS, "minItems", "maxItems"],
  formats: ["date-time", "time", "date", "uuid"],
  enumTypes: PRIMITIVES,
  closed: false,
  allRequired: false,
  recursion: true,
  limits: {},
};

export const XAI_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "docs.x.ai, Structured outputs: Supported schemas, 2026-11",
  keywords: ["const", "format", ...NUMBER_KEYWORDS],
  formats: OPENAI_SUBSET.formats,
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: true,
  limits: {},
};

export const CEREBRAS_SUBSET: SchemaSubset = {
  ...UNLIMITED,
  source: "inference-docs.cerebras.ai, Structured outputs, 2026-11",
  keywords: ["const", ...NUMBER_KEYWORDS],
  formats: [],
  enumTypes: PRIMITIVES,
  closed: true,
  allRequired: false,
  recursion: false,
  limits: { properties: 500, depth: 10, enumValues: 500, characters: 5000 },
};
