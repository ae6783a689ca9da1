/** Compiles a JSON Schema to check values and parts of values. */
import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { isRecord } from "../../utils/is-object.js";
import { cloneData } from "../../wire/index.js";
import { loadValidators } from "./ajv.js";
import { measureSchema, type SchemaSize } from "./measure-schema.js";
import { countPairs, countValues, isShort, stepsFor, WorkLimit } from "./work-limit.js";

export interface CompiledSchema {
  /** The schema. */
  readonly root: unknown;
  /** Whether any part of the schema states a default. */
  readonly hasDefaults: boolean;
  /**
   * All faults of a value; empty if it fits. Of a value with very many faults, only the first.
   *
   * @param values the number of values inside it, if it is known: to count them reads all of it
   */
  check(value: unknown, values?: number): ErrorObject[];
  /**
   * Whether a value fits the part of the schema at a JSON pointer such as `/properties/a/anyOf/0`. False for every
   * value if the part cannot be compiled by itself, or if too much has been spent since the last `check`.
   */
  fits(pointer: string, value: unknown): boolean;
  /** Counts steps of work beside `fits`. False if too many were spent since the last `check`. */
  spend(steps: number): boolean;
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
type Validator = Pick<Ajv, "addSchema" | "getSchema" | "RULES">;

const KEY = "tool";

/** Compiling a part takes about as long as so many steps, and as so many for each value that it consists of. */
const STEPS_TO_COMPILE = 3000;
const STEPS_TO_COMPILE_VALUE = 50;

/** All faults of a value are looked for in so many steps: a list of more helps nobody. */
const STEPS_TO_LIST = 20_000;

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
  // To optimize the code takes half as long again as to make it, and checks are as fast without.
  code: { regExp: Object.assign(createPattern, { code: "createPattern" }), optimize: false },
};

/**
 * Compiles a schema of draft 7, 2019-09 or 2020-12. If the runtime forbids code generation from strings, the schema is
 * interpreted at each check instead.
 *
 * @throws Error if the schema contradicts itself or refers to something that does not exist
 */
export function compileSchema(schema: object): CompiledSchema {
  const size = measureSchema(schema);
  try {
    return compileToCode(schema, size);
  } catch (error) {
    if (error instanceof EvalError) return interpretSchema(schema, size);
    throw error;
  }
}

function compileToCode(schema: object, size: SchemaSize): CompiledSchema {
  const limit = new WorkLimit();
  const counted = new CountedChecks(schema, limit);
  const plain = size.expanded <= MOST_PLAIN ? compile(createValidator(schema, OPTIONS), KEY) : undefined;
  if (!plain) counted.prepare();
  return {
    root: schema,
    hasDefaults: hasKeyword(schema, "default"),
    check(value, values = countValues(value)) {
      const steps = stepsFor(size, values);
      try {
        if (plain && isShort(size, values)) return plain(value) ? [] : (plain.errors ?? []);
        return counted.findFaults(value, steps);
      } catch (error) {
        return [toError(error)];
      } finally {
        limit.allow(steps);
      }
    },
    fits: (pointer, value) => {
      try {
        return counted.fits(pointer, value);
      } catch {
        return false;
      }
    },
    spend: (steps) => isLeft(limit, steps),
  };
}

function isLeft(limit: WorkLimit, steps: number): boolean {
  try {
    limit.spend(steps);
    return true;
  } catch {
    return false;
  }
}

/** A schema that is larger once its references are replaced is always checked with a count of the steps. */
const MOST_PLAIN = 50_000;

/** Checks that count their steps. The validators are made when they are needed, because few values need them. */
class CountedChecks {
  readonly #schema: object;
  readonly #limit: WorkLimit;
  readonly #validators = new Map<boolean, Validator>();
  readonly #parts = new Map<string, ValidateFunction | undefined>();
  #first: ValidateFunction | undefined;

  constructor(schema: object, limit: WorkLimit) {
    this.#schema = schema;
    this.#limit = limit;
  }

  /** @throws Error if the schema cannot be compiled */
  prepare(): ValidateFunction {
    this.#first ??= this.#compile("");
    return this.#first;
  }

  /** A second validator lists all faults: one that stops at the first needs no steps for the alternatives after it. */
  findFaults(value: unknown, steps: number): ErrorObject[] {
    this.#limit.allow(steps);
    const first = this.prepare();
    if (first(value)) return [];
    const faults = first.errors ?? [];
    try {
      const all = compile(this.#validator(true), KEY);
      this.#limit.allow(STEPS_TO_LIST);
      return all(value) ? faults : (all.errors ?? faults);
    } catch {
      return faults;
    }
  }

  fits(pointer: string, value: unknown): boolean {
    this.#limit.spend(1);
    if (!this.#parts.has(pointer)) {
      const values = countValues(partAt(this.#schema, pointer));
      this.#limit.spend(STEPS_TO_COMPILE + STEPS_TO_COMPILE_VALUE * values);
      this.#parts.set(pointer, this.#compilePart(pointer));
    }
    return this.#parts.get(pointer)?.(value) === true;
  }

  #compilePart(pointer: string): ValidateFunction | undefined {
    try {
      return this.#compile(pointer);
    } catch {
      return undefined;
    }
  }

  #compile(pointer: string): ValidateFunction {
    const fragment = pointer.split("/").map(encodeURIComponent).join("/");
    const reference = pointer === "" ? KEY : `${KEY}#${fragment}`;
    try {
      return compile(this.#validator(false), reference);
    } catch (error) {
      // Code that stops at the first fault nests as many levels as an object has properties.
      if (!(error instanceof RangeError)) throw error;
      return compile(this.#validator(true), reference);
    }
  }

  #validator(allErrors: boolean): Validator {
    const made =
      this.#validators.get(allErrors) ??
      createValidator(this.#schema, { ...OPTIONS, allErrors, inlineRefs: false }, this.#limit);
    this.#validators.set(allErrors, made);
    return made;
  }
}

/** Each schema gets its own validator, so that equal ids do not conflict and nothing outlives its schema. */
function createValidator(schema: object, options: Options, limit?: WorkLimit): Validator {
  const validators = loadValidators();
  // Only older drafts allow `items` as a list; the newer validator rejects it. Other keywords mean the same in both.
  const Draft = hasTupleItems(schema) ? validators.Ajv2019 : validators.Ajv2020;
  const ajv = new Draft(options);
  limit?.countIn(ajv, validators);
  ajv.addSchema(schema, KEY);
  return ajv;
}

function compile(ajv: Validator, reference: string): ValidateFunction {
  const validate = ajv.getSchema(reference);
  if (!validate) throw new Error(`nothing exists at ${reference}`);
  return validate;
}

function hasTupleItems(schema: object): boolean {
  return hasPart(schema, (part) => "items" in part && Array.isArray(part.items));
}

function hasKeyword(schema: object, keyword: string): boolean {
  return hasPart(schema, (part) => Object.hasOwn(part, keyword));
}

function hasPart(schema: object, test: (part: object) => boolean): boolean {
  for (const part of partsOf(schema)) if (test(part)) return true;
  return false;
}

/** The objects and lists of a schema, each once. */
function partsOf(schema: object): Set<object> {
  const parts = new Set<object>([schema]);
  // Iterating a set also visits elements that are added during the iteration.
  for (const part of parts)
    for (const child of Object.values(part)) if (typeof child === "object" && child !== null) parts.add(child);
  return parts;
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
 * @throws Error if the schema refers to something that does not exist
 */
function interpretSchema(schema: object, size: SchemaSize): CompiledSchema {
  // `items` as a list is supported by older drafts only.
  const draft: SchemaDraft = hasTupleItems(schema) ? "2019-09" : "2020-12";
  // The library changes its input.
  const root: Schema = cloneData(schema);
  const lookup = dereference(root);
  const work = { limit: new WorkLimit(), pairs: 0 };
  countApplications(root, work);
  const run = (part: Schema | boolean, value: unknown): ErrorObject[] => {
    try {
      const { valid, errors } = validate(value, part, draft, lookup, false);
      return valid ? [] : toErrors(errors);
    } catch (error) {
      return [toError(error)];
    }
  };
  return {
    root: schema,
    hasDefaults: hasKeyword(schema, "default"),
    check: (value, values = countValues(value)) => {
      const steps = stepsFor(size, values);
      work.pairs = countPairs(longestList(value), values);
      work.limit.allow(steps);
      const faults = run(root, value);
      work.limit.allow(steps);
      return faults;
    },
    fits: (pointer, value) => {
      const part = partAt(root, pointer);
      return part !== undefined && run(part, value).length === 0;
    },
    spend: (steps) => isLeft(work.limit, steps),
  };
}

/** Applying a part takes about as long as so many steps of compiled code. */
const STEPS_TO_APPLY = 8;

/** The interpreter reads this keyword of a part each time when it applies the part, and hardly any schema has it. */
const READ_ONCE = "$recursiveAnchor";

function countApplications(root: object, work: { limit: WorkLimit; pairs: number }): void {
  for (const part of partsOf(root)) {
    if (!isRecord(part)) continue;
    const { [READ_ONCE]: value, uniqueItems } = part;
    const steps = STEPS_TO_APPLY + Object.keys(part).length;
    Object.defineProperty(part, READ_ONCE, {
      enumerable: Object.hasOwn(part, READ_ONCE),
      get: () => {
        work.limit.spend(steps + (uniqueItems === true ? work.pairs : 0));
        return value;
      },
    });
  }
}

function longestList(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce<number>((longest, child) => Math.max(longest, longestList(child)), own);
}

function partAt(root: unknown, pointer: string): Schema | boolean | undefined {
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
