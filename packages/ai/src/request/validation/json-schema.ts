/** Compiles a JSON Schema to check values and parts of values. */
import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { loadValidators } from "./ajv.js";
import { cloneData } from "./clone-data.js";

export interface CompiledSchema {
  /** The schema. */
  readonly root: unknown;
  /** Whether any part of the schema states a default. */
  readonly hasDefaults: boolean;
  /** All faults of a value; empty if it fits. */
  check(value: unknown): ErrorObject[];
  /**
   * Whether a value fits the part of the schema at a JSON pointer such as `/properties/a/anyOf/0`. False for every
   * value if the part cannot be compiled by itself.
   */
  fits(pointer: string, value: unknown): boolean;
}

const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-]\d{2}:?\d{2})$/i;
const UUID = /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Each test takes at most linear time. */
const FORMATS: Record<string, (text: string) => boolean> = {
  date: (text) => DATE.test(text),
  time: (text) => TIME.test(text),
  "date-time": (text) => DATE.test(text.slice(0, 10)) && /^[t ]/i.test(text.slice(10)) && TIME.test(text.slice(11)),
  uuid: (text) => UUID.test(text),
  email: (text) => EMAIL.test(text),
  uri: (text) => URL.canParse(text),
};

/** The common interface of the validators of all drafts. */
type Validator = Pick<Ajv, "addSchema" | "getSchema">;

const KEY = "tool";

const OPTIONS: Options = {
  // Schemas have many origins, so unknown keywords and formats are not errors.
  strict: false,
  validateSchema: false,
  meta: false,
  logger: false,
  formats: FORMATS,
  allErrors: true,
  // An inherited property, such as `constructor`, does not count as present.
  ownProperties: true,
  // 0.3 is a multiple of 0.1, although the division of the two leaves a rest.
  multipleOfPrecision: 9,
  code: { regExp: Object.assign(createPattern, { code: "createPattern" }) },
};

/**
 * Compiles a schema of draft 7, 2019-09 or 2020-12. If the runtime forbids code generation from strings, the schema is
 * interpreted at each check instead.
 *
 * @throws Error if the schema contradicts itself or refers to something that does not exist
 */
export function compileSchema(schema: object): CompiledSchema {
  try {
    return compileToCode(schema);
  } catch (error) {
    if (error instanceof EvalError) return interpretSchema(schema, hasTupleItems(schema));
    throw error;
  }
}

function compileToCode(schema: object): CompiledSchema {
  const ajv = createValidator(schema);
  const validate = compile(ajv, KEY);
  const parts = new Map<string, ValidateFunction | undefined>();
  return {
    root: schema,
    hasDefaults: hasKeyword(schema, "default"),
    check(value) {
      try {
        return validate(value) ? [] : (validate.errors ?? []);
      } catch (error) {
        return [toError(error)];
      }
    },
    fits(pointer, value) {
      if (!parts.has(pointer)) parts.set(pointer, compilePart(ajv, pointer));
      try {
        return parts.get(pointer)?.(value) === true;
      } catch {
        return false;
      }
    },
  };
}

/** Each schema gets its own validator, so that equal ids do not conflict and nothing outlives its schema. */
function createValidator(schema: object): Validator {
  const { Ajv2019, Ajv2020 } = loadValidators();
  // Only older drafts allow `items` as a list; the newer validator rejects it. Other keywords mean the same in both.
  const ajv = hasTupleItems(schema) ? new Ajv2019(OPTIONS) : new Ajv2020(OPTIONS);
  ajv.addSchema(schema, KEY);
  return ajv;
}

function compile(ajv: Validator, reference: string): ValidateFunction {
  const validate = ajv.getSchema(reference);
  if (!validate) throw new Error(`nothing exists at ${reference}`);
  return validate;
}

function compilePart(ajv: Validator, pointer: string): ValidateFunction | undefined {
  try {
    return compile(ajv, `${KEY}#${pointer.split("/").map(encodeURIComponent).join("/")}`);
  } catch {
    return undefined;
  }
}

function hasTupleItems(schema: object): boolean {
  return hasPart(schema, (part) => "items" in part && Array.isArray(part.items));
}

function hasKeyword(schema: object, keyword: string): boolean {
  return hasPart(schema, (part) => Object.hasOwn(part, keyword));
}

function hasPart(schema: object, test: (part: object) => boolean): boolean {
  const seen = new Set<object>([schema]);
  // Iterating a set also visits elements that are added during the iteration.
  for (const part of seen) {
    if (test(part)) return true;
    for (const child of Object.values(part)) if (typeof child === "object" && child !== null) seen.add(child);
  }
  return false;
}

/** The standard defines patterns in Unicode mode, but many schemas are written for the older mode. */
function createPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

/** Infinite self-reference in a schema overflows the stack. Report it as a fault of the value instead of crashing. */
function toError(error: unknown): ErrorObject {
  const reason = formatThrownValue(error);
  return { keyword: "check", instancePath: "", schemaPath: "", params: {}, message: `could not be checked: ${reason}` };
}

// Interprets a JSON Schema at each check, for runtimes that forbid code generation from strings: pages with a
// strict content security policy, and some workers.

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
function interpretSchema(schema: object, hasTupleItems: boolean): CompiledSchema {
  const draft: SchemaDraft = hasTupleItems ? "2019-09" : "2020-12";
  // The library changes its input.
  const root: Schema = cloneData(schema);
  const lookup = dereference(root);
  const run = (part: Schema | boolean, value: unknown): ErrorObject[] => {
    try {
      const { valid, errors } = validate(value, part, draft, lookup, false);
      return valid ? [] : toErrors(errors);
    } catch (error) {
      const message = `could not be checked: ${formatThrownValue(error)}`;
      return [{ keyword: "check", instancePath: "", schemaPath: "", params: {}, message }];
    }
  };
  return {
    root: schema,
    hasDefaults: hasKeyword(schema, "default"),
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
